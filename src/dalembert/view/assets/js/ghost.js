import { multiply } from "./geometry.js";
import { Poses } from "./poses.js";
// A motion to compare with: the bodies as they are in it, seen through.

export class Ghost {
  constructor(data, solids, motion, number) {
    this.times = motion.t;
    this.poses = new Poses({ ...data, position: motion.position, quaternion: motion.quaternion });
    this.groups = solids.filter((s) => s.layer === "bodies" && s.locals).map((s) => {
      const material = new THREE.MeshStandardMaterial({ transparent: true, opacity: 0.28 - 0.04 * number, depthWrite: false, roughness: 0.7 });
      const mesh = new THREE.InstancedMesh(s.mesh.geometry, material, s.bodies.length);
      mesh.frustumCulled = false;
      const colour = new THREE.Color();
      s.bodies.forEach((_, i) => {
        s.mesh.getColorAt(i, colour);
        mesh.setColorAt(i, colour);
      });
      return { mesh, bodies: s.bodies, locals: s.locals };
    });
    this.meshes = this.groups.map((g) => g.mesh);
  }

  /** At the time that the clock shows, or at its end. */
  show(clock, origin) {
    this.poses.origin.copy(origin);
    this.poses.set(clock.place(Math.min(clock.now, this.times[this.times.length - 1]), this.times));
    for (const { mesh, bodies, locals } of this.groups) {
      bodies.forEach((body, i) => multiply(this.poses.matrices[body].elements, locals[i], mesh.instanceMatrix.array, 16 * i));
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}
