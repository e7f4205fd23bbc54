import { filled, general } from "./words.js";
// What events do to a motion that is stepped: laws switched on and off, parameters set, and blows. A latch holds what is there when it
// is switched on, or at the start.

const OFF = 0, OPEN = 1, ENGAGED = 4;

export class Acting {
  constructor(machine) {
    this.machine = machine;
    this.plan = machine.live.acting;
    this.changes = [];
    if (!this.plan) return;
    machine.reserve("actedState", machine.width);
    machine.reserve("actedTime", 1);
    machine.reserve("acted", this.plan.size + 1);
    machine.reserve("inertia", machine.n_u ** 2);
  }

  begin() {
    this.changes = []; // of parameters: time, place, value
    const on = this.plan?.holds.filter(({ element }) => this.mode("state")[element] !== OFF) ?? [];
    if (on.length) this.hold(on);
  }

  /** A part of the laws' mode, among the inputs. */
  mode(name) {
    return this.machine.inputs.subarray(...this.plan.mode[name]);
  }

  /** These hold what is there; the others that hold, what they held. */
  hold(added) {
    const m = this.machine, { gap, holds } = this.plan, state = this.mode("state"), anchor = this.mode("anchor");
    if (added.length) {
      this.copyState();
      m.call("gaps_at", "actedTime", "actedState", "inputs", "work");
    }
    for (const { element, rows, placed } of added) {
      rows.forEach((r, k) => (anchor[r] = placed[k] ? m.work[gap + r] : 0));
      state[element] = ENGAGED;
    }
    const [active, enforced] = [this.mode("active").fill(0), this.mode("enforced").fill(0)];
    for (const { rows, solved } of holds.filter(({ element }) => state[element] === ENGAGED)) {
      for (const r of rows) enforced[r] = 1;
      for (const r of solved) active[r] = 1;
    }
  }

  /** Whether one of these events asks for anything. */
  acts(which) {
    return which.some((k) => this.plan?.actions[k]?.length);
  }

  /** Does what these events ask for, in their order; a sentence where that cannot be done. Whether anything was done is left in `done`. */
  act(which) {
    const actions = which.flatMap((k) => this.plan?.actions[k] ?? []), m = this.machine;
    this.done = actions.length > 0;
    if (!this.done) return null;
    const blow = new Float64Array(m.n_u);
    for (const action of actions) {
      if ("elements" in action) {
        const sentence = this.switch(action);
        if (sentence) return sentence;
        continue;
      }
      this.onState("acted", "acted");
      if ("blow" in action) for (let i = 0; i < m.n_u; i++) blow[i] += m.acted[action.blow + i];
      else this.set(action, m.acted[action.at]);
    }
    if (blow.some((x) => x !== 0)) this.push(blow);
    this.copyState();
    m.call("brought_back", "actedTime", "actedState", "inputs", "work");
    m.part("y").set(m.actedState.subarray(0, m.n_q + m.n_u));
    return null;
  }

  copyState() {
    const m = this.machine;
    m.actedState.set(m.part("y"));
    m.actedTime[0] = m.part("t")[0];
  }

  set({ set, state }, value) {
    const m = this.machine;
    if (state >= 0) return void (m.part("y")[m.n_q + m.n_u + state] = value);
    m.input("P")[set] = value;
    this.changes.push([m.part("t")[0], set, value]);
  }

  /** What is switched on touches where it is; it must not have gone through. */
  switch({ elements, on }) {
    const m = this.machine, { gap, holds } = this.plan, state = this.mode("state");
    const which = elements.filter((i) => (state[i] === OFF) === on);
    if (on) {
      this.copyState();
      m.call("gaps_at", "actedTime", "actedState", "inputs", "work");
      const through = which.map((i) => this.plan.elements[i]).find((e) => e && m.work[gap + e.normal] < e.least);
      if (through) {
        const when = `at t = ${general(m.part("t")[0], 9)} s, where it is switched on`;
        return filled(m.live.sentences.violated, { law: through.law, when, gap: general(m.work[gap + through.normal]) });
      }
    }
    for (const i of which) state[i] = on ? OPEN : OFF;
    this.hold(on ? holds.filter(({ element }) => which.includes(element)) : []);
    return null;
  }

  onState(name, into) {
    const m = this.machine, { y, t } = m.live.layout, at = (place) => m.address("memory", place);
    m.call(name, at(t[0]), at(y[0]), at(y[0] + m.n_q), m.inputAddress("x"), m.inputAddress("P"), into, "work");
  }

  /** u + A⁻¹ times the impulse, by Cholesky. */
  push(impulse) {
    const m = this.machine, n = m.n_u, u = m.part("y").subarray(m.n_q, m.n_q + n), x = impulse;
    this.onState("mass_matrix", "inertia");
    const L = m.inertia.slice();
    for (let j = 0; j < n; j++) {
      for (let i = j; i < n; i++) {
        let sum = L[i * n + j];
        for (let k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
        L[i * n + j] = i === j ? Math.sqrt(sum) : sum / L[j * n + j];
      }
    }
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
      x[i] /= L[i * n + i];
    }
    for (let i = n - 1; i >= 0; i--) {
      for (let k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
      x[i] /= L[i * n + i];
    }
    for (let i = 0; i < n; i++) u[i] += x[i];
  }
}
