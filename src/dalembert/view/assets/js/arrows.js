// Arrows of forces.

export class Arrows {
  constructor(data, { count, scale }) {
    this.count = count;
    this.scale = scale;
    this.group = new THREE.Group();
    if (!this.count) return;
    this.longest = 0.9 * data.look.radius;
    this.r = 0.75 * data.look.thickness;
    const material = new THREE.MeshStandardMaterial({ roughness: 0.6, depthTest: false, transparent: true, opacity: 0.9 }); // seen through solids
    this.material = material;
    this.shafts = new THREE.InstancedMesh(new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0), material, this.count);
    this.heads = new THREE.InstancedMesh(new THREE.ConeGeometry(1, 1, 16).translate(0, 0.5, 0), material, this.count);
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 6;
      this.group.add(mesh);
    }
    this.up = new THREE.Vector3(0, 1, 0);
    Object.assign(this, { turn: new THREE.Quaternion(), size: new THREE.Vector3(), m: new THREE.Matrix4() });
  }

  paint(colour) {
    this.material?.color.set(colour);
  }

  /** Arrow j from the place p along the force f; both are changed. */
  put(j, p, f) {
    const { turn, size, m } = this;
    const length = Math.min(this.longest, f.length() * this.scale);
    turn.setFromUnitVectors(this.up, length > 0 ? f.normalize() : this.up);
    const head = Math.min(4.5 * this.r, 0.6 * length);
    const wide = Math.min(1, length / (6 * this.r)) || 1e-9;
    this.shafts.setMatrixAt(j, m.compose(p, turn, size.set(0.55 * this.r * wide, Math.max(length - head, 1e-9), 0.55 * this.r * wide)));
    p.addScaledVector(f, Math.max(length - head, 0));
    this.heads.setMatrixAt(j, m.compose(p, turn, size.set(1.6 * this.r * wide, Math.max(head, 1e-9), 1.6 * this.r * wide)));
  }

  updated() {
    this.shafts.instanceMatrix.needsUpdate = this.heads.instanceMatrix.needsUpdate = true;
  }
}

/** Reactions: the force that a joint exerts on its child, at the joint. */
export class Reactions extends Arrows {
  constructor(data) {
    const { joints, force } = data.reactions;
    super(data, { count: joints.length, scale: (0.4 * data.look.radius) / usual(force) });
    this.force = force;
    this.at = joints.map((name) => data.joints.find((j) => j.name === name));
  }

  show({ index, part }, poses) {
    if (!this.count || !this.group.visible) return;
    const f = new THREE.Vector3(), p = new THREE.Vector3();
    for (let j = 0; j < this.count; j++) {
      const a = 3 * (index * this.count + j);
      const b = part > 0 ? a + 3 * this.count : a;
      f.set(...[0, 1, 2].map((i) => this.force[a + i] + part * (this.force[b + i] - this.force[a + i])));
      poses.point(this.at[j].child, this.at[j].at, p);
      this.put(j, p, f);
    }
    this.updated();
  }
}

/** A size that three quarters of all vectors stay below, or the largest where that is nothing. */
export function usual(values) {
  const sizes = [];
  for (let i = 0; i < values.length; i += 3) sizes.push(Math.hypot(values[i], values[i + 1], values[i + 2]));
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(0.75 * (sizes.length - 1))] || sizes[sizes.length - 1] || 1;
}
