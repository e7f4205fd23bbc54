// Poses of all bodies at a time, between the frames on both sides of it.

export class Poses {
  constructor(data) {
    this.p = data.position;
    this.q = data.quaternion;
    this.n = data.bodies.length - 1;
    this.matrices = Array.from({ length: this.n + 1 }, () => new THREE.Matrix4());
    this.turn = new THREE.Quaternion();
    this.next = new THREE.Quaternion();
    this.place = new THREE.Vector3();
    this.one = new THREE.Vector3(1, 1, 1);
  }

  /** Moves `matrices` to a frame and a part of the way to the next. */
  set({ index, part }) {
    const { p, q, n } = this;
    for (let k = 0; k < n; k++) {
      const a = index * n + k;
      const b = part > 0 ? a + n : a;
      const at = (i) => p[3 * a + i] + part * (p[3 * b + i] - p[3 * a + i]);
      this.place.set(at(0), at(1), at(2));
      this.turn.fromArray(q, 4 * a);
      if (part > 0) this.turn.slerp(this.next.fromArray(q, 4 * b), part);
      this.matrices[k + 1].compose(this.place, this.turn, this.one);
    }
  }

  /** A point of a body, now. */
  point(body, local, into = new THREE.Vector3()) {
    return into.fromArray(local).applyMatrix4(this.matrices[body]);
  }

  /** The way of a point of a body through all frames: three numbers each. */
  path(body, local, frames) {
    const made = new Float32Array(3 * frames);
    const v = new THREE.Vector3();
    for (let i = 0; i < frames; i++) {
      v.fromArray(local);
      if (body > 0) {
        const a = i * this.n + body - 1;
        v.applyQuaternion(this.turn.fromArray(this.q, 4 * a));
        v.set(v.x + this.p[3 * a], v.y + this.p[3 * a + 1], v.z + this.p[3 * a + 2]);
      }
      v.toArray(made, 3 * i);
    }
    return made;
  }
}
