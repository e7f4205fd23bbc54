import { History } from "./history.js";
// Real time: the march goes on from picture to picture, while a hand pulls and keys push.

const LONGEST_PICTURE = 0.05, MOST_WORK = 12; // seconds marched at most in one picture at normal speed; milliseconds spent on it

export class RealTime {
  constructor(live) {
    this.live = live;
    this.page = live.page;
    this.on = false;
    this.running = false;
    this.changed = false;
    this.frames = [];
  }

  switch(on = !this.on) {
    if (on === this.on) return;
    this.on = on;
    if (on) this.begin();
    else this.end();
    this.live.tell("real time");
  }

  /** From the state that is shown, or from the start. */
  begin() {
    const { live, page } = this;
    page.clock.play(false);
    if (!live.motion) live.marchAtOnce();
    if (!live.motion) return void (this.on = false);
    const { index } = page.clock.place(), n = live.machines[0].n;
    const y = live.motion.rows.slice(n * index, n * (index + 1)), { n_q, n_u } = live.machines[0];
    const [q, u, z] = [y.subarray(0, n_q), y.subarray(n_q, n_q + n_u), y.subarray(n_q + n_u)];
    this.t = live.motion.t[index];
    const sentence = live.march.begin({ q, u, z, parameters: live.values.parameters, times: null, end: this.t + 1, time: this.t });
    live.panel.say(sentence ?? "");
    this.history = new History();
    this.before = null;
    this.running = true;
    this.changed = true;
    this.append();
  }

  /** What happened becomes the motion that is shown, and can be played back. */
  end() {
    this.running = false;
    this.release();
    if (this.history?.count > 1) {
      const made = this.history.motion();
      this.live.motion = { ...made, t: made.t.slice(), rows: made.rows.slice() };
      this.page.showMotion(this.live.motion);
      this.live.design.refresh();
      this.page.clock.seek(this.page.clock.last);
    }
  }

  /** Parameters were set while it runs. */
  follow() {
    this.live.march.machine.input("P").set(this.live.values.parameters);
    this.live.march.acting.changes = [];
    this.page.follow(this.live.geometry());
    this.live.design.refresh();
    this.changed = true;
  }

  pause(on = !this.running) {
    this.running = on;
    this.before = null;
    this.live.tell("real time");
  }

  /** One picture on, while it pauses. */
  step(seconds = 1 / 60) {
    this.pause(false);
    this.advanceBy(seconds * this.page.clock.speed);
  }

  advance(wall) {
    if (!this.on) return;
    if (!this.running) return;
    const passed = this.before === null ? 0 : Math.min(LONGEST_PICTURE, (wall - this.before) / 1000);
    this.before = wall;
    if (passed > 0) this.advanceBy(passed * this.page.clock.speed);
  }

  advanceBy(seconds) {
    const { march, panel } = this.live, began = performance.now();
    const done = march.proceed(this.t + seconds, MOST_WORK, this.changed);
    this.changed = false;
    if (done?.sentence) {
      panel.say(done.sentence);
      return this.pause(false);
    }
    this.t = march.t;
    this.append();
    this.frames.push(performance.now() - began);
    if (this.frames.length > 2000) this.frames.shift();
  }

  append() {
    const { live, page } = this, y = live.march.state.slice();
    this.history.append(live.computed(Float64Array.of(this.t), y, live.march.lawsNow));
    page.showMotion(this.history.window(), this.history.count % 4 === 1);
    page.clock.seek(page.clock.last);
  }

  // -- hand and keys ----------------------------------------------------------------------------------------------------------
  /** Pulls at a point of a body, in its axes, towards a place in the world. */
  pull(body, at, to, stiffness, damping) {
    this.live.march.machine.input("hand").set([body, ...at, ...to, stiffness, damping]);
    this.pulled = true;
    this.changed = true;
  }

  /** A generalized force on one speed; 0 to let go. */
  push(speed, force) {
    const x = this.live.march.machine.input("x");
    x.fill(0);
    x[speed] = force;
    this.pushed = force !== 0;
    this.changed = true;
  }

  release() {
    this.live.march.machine?.input("hand").fill(0);
    this.pulled = false;
    this.changed = true;
  }
}
