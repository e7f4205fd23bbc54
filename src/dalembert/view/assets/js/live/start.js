import { filled, general, quotedList } from "./words.js";
// The start of a motion: loops closed with what is given kept, then speeds that keep them closed. The same starts, in the same order,
// as Python tries; where none leads to an assembled pose, its words.

const CLOSED = 0, TURNED_OVER = 2, PULLS = 0.01, SLIP = 1e-9, REACH_ROUNDING = 1e-9;

export class Start {
  constructor(machine) {
    this.machine = machine;
    this.live = machine.live;
    this.loops = Boolean(this.live.start.places);
    this.prefix = this.live.start.prefix ?? "";
    this.z = machine.states(Float64Array.from(Object.values(this.live.parameters)));
    for (const name of ["state", "beside"]) machine.reserve(name, machine.n);
    machine.reserve("rates", machine.n_q + 1);
    machine.reserve("nothing", machine.n_u + 1);
    machine.reserve("instant", 1);
    machine.reserve("one", this.live.sampleSize);
    machine.reserve("geometry", this.live.geometrySize + 1);
    if (this.loops) machine.reserve("start", this.live.start.places.end);
  }

  /** {q, u} to begin from, or {sentence}: what is given are all of q and u, and which of them are kept. */
  find({ q, u, fixed, fixedSpeeds, parameters, time }) {
    const m = this.machine;
    m.input("P").set(parameters);
    this.z = m.states(parameters);
    m.instant[0] = time;
    const found = this.assembled({ q, u, fixed, fixedSpeeds, time });
    return found.sentence ? found : (this.goneThrough(found.q) ?? found);
  }

  assembled({ q, u, fixed, fixedSpeeds, time }) {
    if (!this.loops) return { q: Float64Array.from(q), u: Float64Array.from(u) };
    const problem = this.outOfReach();
    if (problem) return { sentence: problem };
    this.settings();
    let best = null;
    for (const start of this.starts(q, fixed)) {
      const attempt = this.close(start, fixed);
      if (attempt.status === CLOSED) return this.withSpeeds(attempt.q, u, fixedSpeeds, time);
      if (!best || attempt.gap < best.gap || !Number.isFinite(best.gap)) best = attempt;
    }
    return { sentence: this.whyOpen(best, q, fixed) };
  }

  /** A state in the machine's memory: coordinates, speeds, and elements as they begin. */
  put(q, u = []) {
    const m = this.machine;
    m.state.fill(0);
    m.state.set(q);
    m.state.set(u, m.n_q);
    m.state.set(this.z, m.n_q + m.n_u);
  }

  settings() {
    const { start } = this.machine;
    const { places, tolerance, steps, sizes, still } = this.live.start;
    start.fill(0);
    start[places.tolerance] = tolerance;
    start.set(steps, places.steps);
    start.set(sizes, places.sizes);
    start.set(still, places.still);
  }

  *starts(q, fixed) {
    yield q;
    const m = this.machine, n = m.n_u, { tried } = this.live.start;
    for (let i = 0; i + n <= tried.length; i += n) {
      const step = tried.slice(i, i + n);
      for (const k of fixed) step[k] = 0;
      yield this.displaced(q, step);
    }
  }

  /** Coordinates moved along the directions of the speeds. */
  displaced(q, step) {
    const m = this.machine;
    m.beside.set(q);
    m.beside.set(step, m.n_q);
    this.onState(`${this.prefix}constrained_moving`, "beside");
    for (let i = 0; i < m.n_q; i++) m.beside[i] += m.rates[i];
    if (m.has(`${this.prefix}admissible`)) this.onState(`${this.prefix}admissible`, "beside");
    return m.beside.slice(0, m.n_q);
  }

  /** Calls a function of (t, q, u, x, P, y, work) on a state of the machine's memory. */
  onState(name, state, ...more) {
    const m = this.machine;
    return m.call(name, "instant", m.address(state), m.address(state, m.n_q), "nothing", m.inputAddress("P"), "rates", "work", ...more);
  }

  /** Which speeds may move: first with elastic bodies as they are, then all but those kept. */
  ways(fixed) {
    const { deforming } = this.live.start;
    const sets = deforming.length ? [[...fixed, ...deforming], fixed] : [fixed];
    return sets.map((kept) => Float64Array.from({ length: this.machine.n_u }, (_, i) => (kept.includes(i) ? 0 : 1)));
  }

  close(q, fixed) {
    const m = this.machine, { places } = this.live.start;
    let found = null;
    for (const free of this.ways(fixed)) {
      m.start.set(free, places.free);
      this.put(q);
      const status = this.onState(`${this.prefix}close`, "state", "start");
      found = { status, q: m.state.slice(0, m.n_q), gap: m.start[places.gap] };
      if (status === CLOSED) break;
    }
    return found;
  }

  withSpeeds(q, u, fixed, time) {
    const m = this.machine, { places } = this.live.start;
    for (const free of this.ways(fixed)) {
      m.start.set(free, places.speeds_free);
      this.put(q, u);
      const failed = this.onState(`${this.prefix}consistent`, "state", "start");
      const speeds = m.state.slice(m.n_q, m.n_q + m.n_u), slip = m.start[places.slip];
      const fastest = speeds.reduce((most, x, i) => Math.max(most, Math.abs(x) / this.live.start.steps[i]), 1e-6);
      if (!failed && slip <= SLIP * fastest) return { q, u: speeds };
    }
    return { sentence: this.whySlipping(q, fixed, time) };
  }

  /** Whether something has gone through a law at the start, in words. */
  goneThrough(q) {
    const m = this.machine, { gaps, sentences } = this.live;
    if (!gaps.length) return null;
    this.put(q);
    m.call("gaps_at", "instant", "state", "inputs", "work");
    const through = gaps.find(({ at, least }) => m.work[at] < least);
    return through ? { sentence: filled(sentences.violated, { law: through.law, when: "at the start", gap: general(m.work[through.at]) }) } : null;
  }

  // -- words ------------------------------------------------------------------------------------------------------------------
  outOfReach() {
    const m = this.machine;
    if (!this.live.loops.some((loop) => Object.keys(loop.sides).length)) return null;
    m.call("geometry", m.inputAddress("P"), "geometry");
    for (const { name, sides } of this.live.loops) {
      const lengths = Object.entries(sides).map(([body, at]) => [body, Math.hypot(...m.geometry.subarray(at, at + 3))]);
      if (!lengths.length) continue;
      const [longest, length] = lengths.reduce((most, one) => (one[1] > most[1] ? one : most));
      const rest = lengths.reduce((sum, [, x]) => sum + x, 0) - length;
      if (length > rest * (1 + REACH_ROUNDING)) {
        return filled(this.live.sentences.outOfReach, {
          loop: lengths.map(([body]) => body).join("–"), gap: general(length - rest, 3), name, longest, length: general(length), rest: general(rest),
        });
      }
    }
    return null;
  }

  /** The largest residual of every joint and constraint, as it is and by its rows' scales. */
  gaps(q) {
    const m = this.machine, { samples, start } = this.live;
    this.put(q);
    m.call("samples", 1n, "instant", "state", "inputs", "one", "work");
    return Object.entries(start.rowSizes).map(([name, sizes]) => {
      const at = samples[`gap ${name}`];
      const rows = at ? [...m.one.subarray(...at)].map(Math.abs) : [0];
      return { name, gap: Math.max(...rows), weight: Math.max(...rows.map((x, i) => x / sizes[i])) };
    });
  }

  sized(name, gap) {
    return this.live.start.cuts.includes(name) ? `${general(gap, 3)} m` : general(gap, 3);
  }

  whyOpen(best, q, fixed) {
    const { sentences, start, loops } = this.live;
    if (best.status === TURNED_OVER) return filled(sentences.turnedOver, { names: quotedList(start.cuts) });
    const gaps = this.gaps(best.q);
    const worst = gaps.reduce((most, one) => (one.weight > most.weight ? one : most));
    if (fixed.length && this.close(q, []).status === CLOSED) {
      const names = quotedList(fixed.map((i) => this.live.speeds[i]));
      return filled(sentences.valuesDoNotFit, { names, name: worst.name, gap: this.sized(worst.name, worst.gap) });
    }
    const pulling = gaps.filter((one) => one.weight > PULLS * worst.weight);
    const starts = start.tried.length / this.machine.n_u + 1;
    if (pulling.length > 1) {
      const shares = pulling.map((one) => `${this.sized(one.name, one.gap)} at "${one.name}"`).join(", ");
      return filled(sentences.contradict, { names: quotedList(pulling.map((one) => one.name)), when: "", starts, shares, driven: "" });
    }
    const loop = loops.find((one) => one.name === worst.name);
    const where = loop ? `the loop ${loop.bodies.join("–")}` : `constraint "${worst.name}"`;
    return filled(sentences.cannotBeClosed, { where, gap: this.sized(worst.name, worst.gap), name: worst.name, starts });
  }

  whySlipping(q, fixed, time) {
    const { sentences } = this.live, m = this.machine;
    const name = Object.keys(this.live.start.rowSizes)[0];
    const gap = general(m.start[this.live.start.places.slip], 3);
    if (fixed.length) return filled(sentences.speedsDoNotFit, { names: quotedList(fixed.map((i) => this.live.speeds[i])), name, gap });
    return filled(sentences.noSpeeds, { name, t: general(time), gap });
  }
}
