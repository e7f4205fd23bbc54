// Poses of all bodies at a time, between the frames on both sides of it. Graphics cards know seven digits: what they are given is
// measured from an origin near what is examined, subtracted in double precision.

export class Poses {
  constructor(data) {
    this.p = data.position;
    this.q = data.quaternion;
    this.n = data.bodies.length - 1;
    this.origin = new THREE.Vector3().fromArray(data.look.centre);
    this.matrices = Array.from({ length: this.n + 1 }, () => new THREE.Matrix4());
    this.turn = new THREE.Quaternion();
    this.next = new THREE.Quaternion();
    this.place = new THREE.Vector3();
    this.one = new THREE.Vector3(1, 1, 1);
  }

  /** Poses of another motion. */
  replace({ position, quaternion }) {
    this.p = position;
    this.q = quaternion;
  }

  /** Where a body is at a frame and a part of the way to the next, in the world. */
  at(k, { index, part }, into) {
    const a = 3 * (index * this.n + k - 1);
    const b = part > 0 ? a + 3 * this.n : a;
    const along = (i) => this.p[a + i] + part * (this.p[b + i] - this.p[a + i]);
    return into.set(along(0), along(1), along(2));
  }

  /** The middle of the bodies, in the world. */
  middle(when) {
    const sum = new THREE.Vector3();
    for (let k = 1; k <= this.n; k++) sum.add(this.at(k, when, this.place));
    return sum.divideScalar(Math.max(1, this.n));
  }

  /** Moves `matrices`, from the origin, to a frame and a part of the way to the next. */
  set(when) {
    const { q, n } = this;
    this.matrices[0].makeTranslation(-this.origin.x, -this.origin.y, -this.origin.z);
    for (let k = 1; k <= n; k++) {
      const a = when.index * n + k - 1;
      this.at(k, when, this.place).sub(this.origin);
      this.turn.fromArray(q, 4 * a);
      if (when.part > 0) this.turn.slerp(this.next.fromArray(q, 4 * (a + n)), when.part);
      this.matrices[k].compose(this.place, this.turn, this.one);
    }
  }

  /** A point of a body, now, from the origin. */
  point(body, local, into = new THREE.Vector3()) {
    return into.fromArray(local).applyMatrix4(this.matrices[body]);
  }

  /** The way of a point of a body through all frames: three numbers each, in the world. */
  path(body, local, frames) {
    const made = new Float64Array(3 * frames);
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
