// A linkage of one freedom moved along it, from pose to pose: the whole branch, with its dead points. Each step holds the coordinate
// that moves fastest and closes the loops for the others, so that a dead point of the input is passed like any other pose.

const SWEEP_STEP = 0.04, LEAST_STEP = 1e-4, MOST_POSES = 1500; // steps by the coordinates' scales: a radian, the mechanism's length
const STRAYED = 0.5, SAME_WAY = 0.5, BISECTIONS = 60, SWITCH = 1.5, DEAD_POINTS = 8, TURN = 2 * Math.PI;

export class Sweep {
  /** From a start as `Start.find` takes it, along the input {at, speed}. */
  constructor(start, given, input) {
    this.start = start;
    this.live = start.live;
    this.input = input;
    this.time = given.time;
    this.fixedFirst = given.fixed;
    this.n_u = start.machine.n_u;
    this.scale = this.live.start.steps;
    this.dead = [];
    const found = start.find(given);
    if (found.sentence) return void (this.sentence = found.sentence);
    this.first = this.moving(found.q, input.speed, null) ?? this.anyWay(found.q);
    if (!this.first) return void (this.sentence = "no single freedom was found to sweep along");
    this.poses = this.walked();
  }

  /** A pose with the way it moves: speeds by their scales, the fastest 1, and the coordinate that is fixed in the next step. */
  moving(q, by, before) {
    const unit = this.speeds(q, by, 1), still = this.speeds(q, by, 0);
    if (!unit || !still) return null;
    let v = unit.map((x, i) => x - still[i]); // what moves with time alone is not part of it
    const fastest = v.reduce((most, x, i) => Math.max(most, Math.abs(x) / this.scale[i]), 0);
    if (!(fastest > 0)) return null;
    const sign = before && before.v.reduce((sum, x, i) => sum + (x * v[i]) / this.scale[i] ** 2, 0) < 0 ? -1 : 1;
    v = v.map((x) => (sign * x) / fastest);
    let fixed = by;
    for (const [, i] of this.live.design.movable) {
      if (Math.abs(v[i]) / this.scale[i] > SWITCH * (Math.abs(v[fixed]) / this.scale[fixed])) fixed = i;
    }
    return { q, v, fixed };
  }

  anyWay(q) {
    for (const [, i] of this.live.design.movable) {
      const found = this.moving(q, i, null);
      if (found) return found;
    }
    return null;
  }

  speeds(q, by, value) {
    const u = new Float64Array(this.n_u);
    u[by] = value;
    return this.start.withSpeeds(q, u, [by], this.time).u ?? null;
  }

  /** The pose so far along the way, null where the loops do not close near it. */
  along({ q, v, fixed }, length) {
    const step = v.map((x) => x * length), guess = this.start.displaced(q, step);
    const closed = this.start.close(guess, [fixed]);
    if (closed.status !== 0) return null;
    const strayed = this.live.design.movable.some(([at, i]) => Math.abs(closed.q[at] - guess[at]) / this.scale[i] > STRAYED * length + 1e-9);
    return strayed ? null : closed.q;
  }

  step(from, wanted) {
    for (let length = wanted; length > LEAST_STEP; length /= 2) {
      const q = this.along(from, length), next = q && this.moving(q, from.fixed, from);
      if (next && this.alike(from, next) > SAME_WAY) return { next, length };
    }
    return null;
  }

  alike(a, b) {
    let sum = 0, one = 0, other = 0;
    a.v.forEach((x, i) => {
      sum += (x * b.v[i]) / this.scale[i] ** 2;
      one += (x / this.scale[i]) ** 2;
      other += (b.v[i] / this.scale[i]) ** 2;
    });
    return sum / Math.sqrt(one * other);
  }

  /** All poses of the branch: round to the first again, or both ways until it ends. */
  walked() {
    const ahead = this.oneWay(this.first);
    if (this.closed) return [...ahead, this.first];
    const back = this.oneWay({ ...this.first, v: this.first.v.map((x) => -x) });
    return [...back.slice(1).reverse(), ...ahead];
  }

  oneWay(first) {
    const poses = [first];
    let here = first, away = false;
    while (poses.length < MOST_POSES) {
      const made = this.step(here, SWEEP_STEP);
      if (!made) break;
      const s = this.input.speed;
      if (here.v[s] * made.next.v[s] < 0) this.noteDead(here, made.length);
      here = made.next;
      poses.push(here);
      const distance = this.distance(here.q, first.q);
      if (distance > 2 * SWEEP_STEP) away = true;
      if (away && distance <= SWEEP_STEP && this.alike(here, first) > SAME_WAY) {
        this.closed = true;
        break;
      }
    }
    return poses;
  }

  /** How far apart two poses are, whole turns left out. */
  distance(a, b) {
    return this.live.design.movable.reduce((most, [at, i]) => {
      let off = a[at] - b[at];
      if (this.live.design.units[at] === "rad") off -= TURN * Math.round(off / TURN);
      return Math.max(most, Math.abs(off) / this.scale[i]);
    }, 0);
  }

  /** The pose within a step where the input turns back. */
  noteDead(from, length) {
    const s = this.input.speed, at = (x) => {
      const q = this.along(from, x);
      return q && this.moving(q, from.fixed, from);
    };
    let low = 0, high = length, found = null;
    for (let i = 0; i < BISECTIONS && high - low > 1e-14; i++) {
      const middle = 0.5 * (low + high), here = at(middle);
      if (!here) return;
      found = here;
      if (here.v[s] * from.v[s] > 0) low = middle;
      else high = middle;
    }
    const known = this.dead.some((one) => this.distance(one.q, found.q) < LEAST_STEP);
    if (found && !known && this.dead.length < DEAD_POINTS) this.dead.push({ ...found, value: found.q[this.input.at] });
  }

  /** Rows of (q, u) of all poses, for everything that is shown of them. */
  get rows() {
    const { n, n_q, n_u } = this.start.machine, made = new Float64Array(n * this.poses.length);
    this.poses.forEach(({ q, v }, k) => {
      made.set(q, n * k);
      made.set(v, n * k + n_q);
      made.set(this.start.z, n * k + n_q + n_u);
    });
    return made;
  }

  /** Values of the input, without jumps where it has gone round. */
  get values() {
    const { at } = this.input, turns = this.live.design.units[at] === "rad", made = Float64Array.from(this.poses, ({ q }) => q[at]);
    for (let k = 1; turns && k < made.length; k++) made[k] -= TURN * Math.round((made[k] - made[k - 1]) / TURN);
    return made;
  }
}
