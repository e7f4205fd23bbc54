import { Arrows, usual } from "./arrows.js";
import { FLASH } from "./clock.js";
// Contacts: a dot where they touch, an arrow for the force on what is touched, and a flash where something is hit.

export class Contacts {
  constructor(data, clock) {
    const { names, at, force, hits } = data.contacts;
    Object.assign(this, { clock, at, force, hits });
    this.count = names.length;
    this.group = new THREE.Group();
    if (!this.count) return;
    this.r = 1.3 * data.look.thickness;
    this.arrows = new Arrows(data, { count: this.count, scale: (0.4 * data.look.radius) / usual(force) });
    this.material = new THREE.MeshStandardMaterial({ roughness: 0.6, depthTest: false, transparent: true, opacity: 0.85 });
    this.dots = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 16, 12), this.material, this.count);
    this.dots.frustumCulled = false;
    this.dots.renderOrder = 7;
    this.group.add(this.arrows.group, this.dots);
  }

  paint(colour) {
    this.arrows?.paint(colour);
    this.material?.color.set(colour);
  }

  /** Places and forces of another motion, whose impacts are not told from other forces. */
  replace({ at, force }) {
    Object.assign(this, { at, force, hits: [] });
  }

  /** 1 at an impact of a contact, falling to 0 after it. */
  flash(c) {
    const { now, speed } = this.clock;
    const left = this.hits.filter(([t, place]) => place === c && t <= now).map(([t]) => 1 - (now - t) / (FLASH * speed));
    return Math.max(0, ...left);
  }

  show({ index, part }, poses) {
    if (!this.count || !this.group.visible) return;
    const f = new THREE.Vector3(), p = new THREE.Vector3(), m = new THREE.Matrix4(), none = new THREE.Quaternion(), size = new THREE.Vector3();
    for (let c = 0; c < this.count; c++) {
      const a = 3 * (index * this.count + c), b = part > 0 ? a + 3 * this.count : a;
      const between = (x, i) => x[a + i] + part * (x[b + i] - x[a + i]);
      const near = part < 0.5 ? a : b; // forces jump where contacts open and close
      f.set(this.force[near], this.force[near + 1], this.force[near + 2]);
      p.set(between(this.at, 0), between(this.at, 1), between(this.at, 2)).sub(poses.origin);
      const flash = this.flash(c);
      const r = this.r * ((f.lengthSq() > 0 ? 1 : 0) + 3 * flash) || 1e-9;
      this.dots.setMatrixAt(c, m.compose(p, none, size.set(r, r, r)));
      this.arrows.put(c, p, f);
    }
    this.dots.instanceMatrix.needsUpdate = true;
    this.arrows.updated();
  }
}
