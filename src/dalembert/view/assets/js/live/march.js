import { Acting } from "./acting.js";
import { filled, general } from "./words.js";
// A motion marched in stretches, as Python's `Run` does: all outputs, events, rows chosen anew, and words for what stops it.

const FINISHED = 0, PAUSED = 1, AT_END = 2, EVENT = 3, DEGRADED = 8;
const NOT_FINITE = -1, NO_CONVERGENCE = -3, SINGULAR_POSE = -4, CREEPS = -5;
const NEXT = 0, TOTAL = 1, STEPS = 2, PENDING = 4;
const WORTH_A_LOOK = 1e-2, BETTER_ROWS = 10, REGULAR = 1e-6, SINGULAR_START = 1e-10;
const PACE_WINDOW = 5000, HOPELESS = 100, MOST_EVENTS = 200, NEVER = 1e300, ROUNDING = 1e-9;

const MOST_STEPPED = 64; // in one stretch of time stepping, where a step with contacts may cost a thousand times one without

export class March {
  constructor(machines) {
    this.machines = machines;
    this.live = machines[0].live;
    this.acting = new Acting(machines[0]);
  }

  /** Sets everything to a start. Outputs are at `times`; null for none, where it is gone on with from picture to picture, and the state
   * is one that elements were sampled in before. */
  begin({ q, u, parameters, z = this.machines[0].states(parameters), times, end, time = this.live.options.start }) {
    const m = (this.machine = this.machines[0]);
    const outputs = times ?? [NEVER], count = outputs.length;
    m.reserve("times", count);
    m.reserve("rows", count * m.width);
    m.times.set(outputs);
    m.memory.set(this.live.memory);
    m.inputs.set(this.live.inputs[0]);
    for (const name of ["t", "t_old", "searched_to", "looked_to", "counted_from"]) if (m.hasPart(name)) m.part(name)[0] = time;
    for (const name of ["y", "y_old"]) {
      m.part(name).set(q);
      m.part(name).set(u, m.n_q);
      m.part(name).set(z, m.n_q + m.n_u);
    }
    if (!times) this.sampledBefore(time);
    m.input("P").set(parameters);
    m.counters.fill(0n);
    m.counters[TOTAL] = BigInt(count);
    this.endAt(end);
    this.events = [];
    this.budget = 64;
    this.slow = 0;
    this.pace = { t: this.t, steps: 0 };
    this.acting.begin();
    this.restart();
    return this.live.watched ? this.lookAtStart() : null;
  }

  /** Where the march ends; a stretch of it ends where an element is sampled before. */
  endAt(end) {
    const m = this.machine, samples = m.part("next_sample");
    this.end = m.part("until")[0] = end;
    m.part("end")[0] = Math.min(end, ...samples);
  }

  /** Elements are sampled on as if the march had come here from the start. */
  sampledBefore(time) {
    const m = this.machine, first = m.part("samples_from")[0];
    this.live.periods.forEach((period, k) => {
      const samples = Math.floor((time - first) / period + ROUNDING) + 1;
      m.part("samples")[k] = samples;
      m.part("next_sample")[k] = first + samples * period;
    });
  }

  get t() {
    return this.machine.part("t")[0];
  }

  get done() {
    return Number(this.machine.counters[NEXT]);
  }

  get steps() {
    return Number(this.machine.counters[STEPS]);
  }

  /** States at the outputs that are done, one behind the other. */
  get rows() {
    const { rows, n, width } = this.machine, { done } = this;
    if (width === n) return rows.subarray(0, done * n);
    const made = new Float64Array(done * n);
    for (let k = 0; k < done; k++) made.set(rows.subarray(k * width, k * width + n), k * n);
    return made;
  }

  /** What laws exerted and were at the same outputs, one behind the other. */
  get laws() {
    const { rows, n, width } = this.machine, { done } = this, made = new Float64Array(done * (width - n));
    for (let k = 0; k < done; k++) made.set(rows.subarray(k * width + n, (k + 1) * width), k * (width - n));
    return made;
  }

  get state() {
    return this.machine.part("y").subarray(0, this.machine.n);
  }

  /** Of the last step. */
  get lawsNow() {
    return this.machine.part("y").slice(this.machine.n, this.machine.width);
  }

  /** Slopes computed anew, after inputs have changed. */
  restart() {
    this.machine.call("begin", "memory", "inputs", "work");
  }

  /** A sentence where the first pose is singular. */
  lookAtStart() {
    const distance = () => this.machine.part("distance")[0] ** 2;
    if (!(distance() > WORTH_A_LOOK)) {
      this.lookAtRows();
      this.restart();
    }
    if (distance() > SINGULAR_START) return null;
    return filled(this.live.sentences.singularStart, { mechanism: this.live.name, t: general(this.t) });
  }

  /** If it is the choice of rows that has become poor, not the pose: goes on with others. */
  lookAtRows() {
    const now = this.machine;
    if (this.machines.length === 1) return;
    const kept = now.memory.slice();
    const distances = this.machines.map((other) => {
      if (other !== now) this.copy(now, other);
      other.call("begin", "memory", "inputs", "work");
      const found = other.part("distance")[0];
      other.memory.set(kept);
      return found;
    });
    const best = distances.indexOf(Math.max(...distances));
    const next = this.machines[best];
    if (next === now || !(distances[best] > Math.max(BETTER_ROWS * distances[now.index], REGULAR))) return;
    next.counters.set(now.counters);
    next.reserve("times", now.times.length).set(now.times);
    next.reserve("rows", now.rows.length).set(now.rows);
    this.machine = next;
    next.part("distance")[0] = 1;
    next.part("approach")[0] = 0;
    if (next.hasPart("crossing")) next.part("crossing")[0] = next.part("crossing_error")[0] = 0;
  }

  /** State and inputs of one machine into another, which measures its rows by scales of its own. */
  copy(from, to) {
    to.memory.set(from.memory);
    to.inputs.set(from.inputs);
    const [a, b] = this.live.inputLayout.scales;
    to.inputs.set(this.live.inputs[to.index].subarray(a, b), a);
  }

  stretch(steps) {
    const m = this.machine;
    return m.call("march", "memory", "inputs", "work", "counters", "times", "rows", 0n, 1n, BigInt(steps));
  }

  /** Marches for about so many milliseconds: null as long as there is more to do, else {ended} or {sentence}. */
  go(milliseconds) {
    const until = performance.now() + milliseconds;
    for (;;) {
      const began = performance.now();
      const status = this.machine.counters[PENDING] ? EVENT : this.stretch(this.budget);
      if (status === FINISHED || status === AT_END) return { ended: "end" };
      if (status === EVENT && this.record()) return this.wrong ? { sentence: this.wrong } : { ended: "event" };
      if (status === DEGRADED) this.lookAtRows();
      if (status < 0) return { sentence: this.whyStopped(status) };
      if (this.steps >= this.live.options.maxSteps) return { sentence: this.tooManySteps() };
      if (this.creeps()) return { sentence: this.whyStopped(CREEPS) };
      const now = performance.now();
      if (status === PAUSED) {
        const wanted = Math.max(0.5, Math.min(4, milliseconds / 2));
        const longer = Math.min(8, wanted / Math.max(now - began, 0.05));
        this.budget = Math.round(Math.min(Math.max(16, this.budget * longer), this.machine.hasPart("unsolved") ? MOST_STEPPED : 1e7));
      }
      if (now >= until) return null;
    }
  }

  /** Marches on to another end, with slopes computed anew where inputs have changed; null where that took too long, and it got less far. */
  proceed(end, milliseconds, changed) {
    const until = performance.now() + milliseconds;
    this.endAt(end); // before the slopes: the first step is chosen by what lies ahead
    if (changed) this.restart();
    for (;;) {
      const status = this.machine.counters[PENDING] ? EVENT : this.stretch(32);
      if (status === AT_END || status === FINISHED) return { ended: "end" };
      if (status === EVENT && this.record() && this.wrong) return { sentence: this.wrong };
      if (status === DEGRADED) this.lookAtRows();
      if (status < 0) return { sentence: this.whyStopped(status) };
      if (performance.now() >= until) return null;
    }
  }

  /** Notes the events of an instant, and those of the rest of the step before one acts at its end; whether the march ends here, by one of them or by what is `wrong`. */
  record() {
    const m = this.machine, which = this.noteEvents(), ends = () => which.some((k) => this.live.events[k].terminal);
    while (this.acting.acts(which) && !ends() && m.part("searched_to")[0] < this.t) {
      if (this.searchOn() !== EVENT) break;
      which.push(...this.noteEvents());
    }
    this.wrong = this.acting.act(which);
    if (this.acting.done && !this.wrong) {
      m.part("searched_to")[0] = this.t; // where the event values begin anew
      this.restart();
    }
    return this.wrong !== null || ends();
  }

  noteEvents() {
    const m = this.machine, t = m.part("event_t")[0], which = [...m.part("event_crossed").keys()].filter((k) => m.part("event_crossed")[k]);
    for (const k of which) if (this.events.length < MOST_EVENTS) this.events.push([this.live.events[k].name, t]);
    const y = m.part("event_y");
    this.last = { t, y: y.slice(0, m.n), laws: y.slice(m.n, m.width) };
    m.counters[PENDING] = 0n;
    return which;
  }

  /** Searches the rest of the step and writes the outputs within it; those at its end, and samples there, come after what acts. */
  searchOn() {
    const m = this.machine, times = m.times.slice(), clocks = m.part("next_sample"), due = clocks.slice();
    times.forEach((time, k) => time < this.t || (m.times[k] = Infinity));
    clocks.fill(Infinity);
    const status = this.stretch(0);
    m.times.set(times);
    m.part("next_sample").set(due);
    return status;
  }

  /** Whether two windows of steps in a row were hopelessly slow. */
  creeps() {
    const { steps, t, pace } = this;
    if (!this.live.options.adaptive || steps - pace.steps < PACE_WINDOW) return false;
    const ahead = (this.end - t) * (steps - pace.steps);
    const hopeless = !((t - pace.t) * HOPELESS * this.live.options.maxSteps > ahead);
    this.pace = { t, steps };
    this.slow = hopeless && ahead > 0 ? this.slow + 1 : 0;
    return this.slow >= 2;
  }

  // -- words ------------------------------------------------------------------------------------------------------------------
  whyStopped(status) {
    const { sentences, options, unknowns, name } = this.live, m = this.machine;
    const before = m.part("y_old"), t = general(m.part("t_old")[0], 9), cause = "";
    const rtol = general(options.rtol);
    if (status === NOT_FINITE) {
      const k = firstNotFinite(m.part("y"), before);
      const smaller = options.adaptive ? "tighter tolerances" : "a smaller step";
      return filled(sentences.notFinite, { t, name: unknowns[k], last: general(before[k]), cause, smaller });
    }
    if (status === NO_CONVERGENCE) {
      const k = m.n_q + largestOf(before.subarray(m.n_q));
      return filled(sentences.noConvergence, { step: general(options.step), t, name: unknowns[k], last: general(before[k]), cause });
    }
    if (status === SINGULAR_POSE) {
      const other = options.method === "dop853" ? sentences.staysSingular : filled(sentences.cannotCross, { method: options.method });
      return filled(sentences.singularPose, { mechanism: name, t, here: "", other });
    }
    const errors = m.hasPart("error") ? m.part("error").map((x, i) => x / (m.part("atol")[i] + options.rtol * Math.abs(before[i]))) : before;
    const worst = unknowns[largestOf(errors)];
    if (status === CREEPS) {
      const step = m.part("step")[0].toExponential(1).replace(/e([+-])(\d)$/, "e$10$2");
      return filled(sentences.creeping, { t, name: worst, step, end: general(this.end), cause, rtol, kept: "" });
    }
    const loops = this.live.watched;
    const radau = options.method === "radau" ? "smoother forces" : 'method="radau", which is made for stiff forces';
    return filled(sentences.tooSmall, { t, name: worst, cause, rtol, other: loops ? "other initial values" : radau, event: loops ? "" : " or an event" });
  }

  tooManySteps() {
    const { options, sentences } = this.live;
    const larger = options.adaptive ? "a larger rtol, " : "a larger step, ";
    const other = options.adaptive && options.method !== "radau" ? `method="radau" if forces are stiff, ${larger}` : larger;
    return filled(sentences.tooManySteps, { steps: options.maxSteps, t: general(this.t, 9), end: general(this.end), other });
  }
}

function firstNotFinite(now, before) {
  const k = now.findIndex((x) => !Number.isFinite(x));
  return k >= 0 && k < before.length ? k : largestOf(before);
}

function largestOf(values) {
  let best = 0;
  values.forEach((x, i) => {
    if (Math.abs(x) > Math.abs(values[best]) || Number.isNaN(values[best])) best = i;
  });
  return best;
}
