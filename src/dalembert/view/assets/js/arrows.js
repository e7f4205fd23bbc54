// Reactions as arrows: the force that a joint exerts on its child, at the joint.

export class Arrows {
  constructor(data) {
    const { joints, force } = data.reactions;
    this.force = force;
    this.count = joints.length;
    this.at = joints.map((name) => data.joints.find((j) => j.name === name));
    this.group = new THREE.Group();
    if (!this.count) return;
    this.longest = 0.9 * data.look.radius;
    this.scale = (0.4 * data.look.radius) / usual(force);
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
  }

  paint(colour) {
    this.material?.color.set(colour);
  }

  show({ index, part }, poses) {
    if (!this.count || !this.group.visible) return;
    const f = new THREE.Vector3(), turn = new THREE.Quaternion(), size = new THREE.Vector3(), m = new THREE.Matrix4(), p = new THREE.Vector3();
    for (let j = 0; j < this.count; j++) {
      const a = 3 * (index * this.count + j);
      const b = part > 0 ? a + 3 * this.count : a;
      f.set(...[0, 1, 2].map((i) => this.force[a + i] + part * (this.force[b + i] - this.force[a + i])));
      const length = Math.min(this.longest, f.length() * this.scale);
      turn.setFromUnitVectors(this.up, length > 0 ? f.normalize() : this.up);
      poses.point(this.at[j].child, this.at[j].at, p);
      const head = Math.min(4.5 * this.r, 0.6 * length);
      const wide = Math.min(1, length / (6 * this.r)) || 1e-9;
      this.shafts.setMatrixAt(j, m.compose(p, turn, size.set(0.55 * this.r * wide, Math.max(length - head, 1e-9), 0.55 * this.r * wide)));
      p.addScaledVector(f, Math.max(length - head, 0));
      this.heads.setMatrixAt(j, m.compose(p, turn, size.set(1.6 * this.r * wide, Math.max(head, 1e-9), 1.6 * this.r * wide)));
    }
    this.shafts.instanceMatrix.needsUpdate = this.heads.instanceMatrix.needsUpdate = true;
  }
}

/** A size that three quarters of all vectors stay below, or the largest where that is nothing. */
function usual(values) {
  const sizes = [];
  for (let i = 0; i < values.length; i += 3) sizes.push(Math.hypot(values[i], values[i + 1], values[i + 2]));
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(0.75 * (sizes.length - 1))] || sizes[sizes.length - 1] || 1;
}
