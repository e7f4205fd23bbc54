// Elastic bodies: rods from point to point, laid anew in every picture. Deflections can be shown larger than they are.

export class Bending {
  constructor(data) {
    this.scale = 1;
    this.wires = data.wires;
    const rods = this.wires.flatMap((w) => w.edges.map(() => w));
    const balls = this.wires.flatMap((w) => Array(w.points.length / 3).fill(w));
    this.rods = group(new THREE.CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2), rods, data);
    this.balls = group(new THREE.SphereGeometry(1, 14, 10), balls, data);
    this.solids = this.wires.length ? [this.rods, this.balls] : [];
  }

  /** Lays all rods and balls for the poses at a frame and a part of the way to the next. */
  show({ index, part }, poses) {
    let rod = 0, ball = 0;
    const a = new THREE.Vector3(), b = new THREE.Vector3(), along = new THREE.Vector3(), z = new THREE.Vector3(0, 0, 1);
    const turn = new THREE.Quaternion(), size = new THREE.Vector3(), made = new THREE.Matrix4();
    for (const w of this.wires) {
      const places = this.points(w, index, part, poses);
      for (const [i, j] of w.edges) {
        a.fromArray(places, 3 * i);
        b.fromArray(places, 3 * j);
        along.subVectors(b, a);
        const length = along.length();
        turn.setFromUnitVectors(z, length > 0 ? along.divideScalar(length) : z);
        made.compose(a.add(b).multiplyScalar(0.5), turn, size.set(w.radius, w.radius, length));
        this.rods.mesh.setMatrixAt(rod++, made);
      }
      turn.identity();
      for (let i = 0; i < places.length; i += 3) {
        made.compose(a.fromArray(places, i), turn, size.setScalar(w.radius));
        this.balls.mesh.setMatrixAt(ball++, made);
      }
    }
    for (const s of this.solids) s.mesh.instanceMatrix.needsUpdate = true;
  }

  /** Where the points of a wire are drawn: three numbers each. */
  points(w, index, part, poses) {
    const n = w.points.length;
    const made = new Float64Array(n);
    const v = new THREE.Vector3();
    const from = index * n, to = part > 0 ? from + n : from;
    for (let i = 0; i < n; i++) {
      const d = w.deflections[from + i];
      made[i] = w.points[i] + this.scale * (d + part * (w.deflections[to + i] - d));
    }
    for (let i = 0; i < n; i += 3) v.fromArray(made, i).applyMatrix4(poses.matrices[w.body]).toArray(made, i);
    return made;
  }
}

function group(geometry, wires, data) {
  const material = new THREE.MeshStandardMaterial({ roughness: 0.5, metalness: 0.08 });
  const mesh = new THREE.InstancedMesh(geometry, material, wires.length);
  mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
  mesh.frustumCulled = false;
  mesh.castShadow = mesh.receiveShadow = true;
  return { mesh, layer: "bodies", bodies: wires.map((w) => w.body), paints: wires.map((w) => data.bodies[w.body].colour) };
}
