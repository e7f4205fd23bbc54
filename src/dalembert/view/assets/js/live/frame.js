// A page in a frame: who holds the frame may set sliders and time, and hears of them. Nobody hears who has not asked.

export class FrameLink {
  constructor(live) {
    this.live = live;
    this.sent = "";
    if (window.parent === window) return;
    addEventListener("message", (e) => e.source === window.parent && e.data?.dalembert && this.hear(e.data.dalembert));
    window.parent.postMessage({ dalembert: "ready" }, "*");
  }

  hear({ values = {}, time }) {
    const { live } = this, { panel, page } = live;
    let changed = false;
    for (const [name, value] of Object.entries(values)) {
      const slider = panel.sliders.find((s) => s.name === name);
      if (!slider || !Number.isFinite(value) || live.values.get(slider) === value) continue;
      panel.set(slider, value, false);
      changed = true;
    }
    if (changed) live.ask();
    if (this.asked && Number.isFinite(time) && time !== page.clock.now) {
      page.clock.play(false);
      page.clock.seek(time);
    }
    this.asked = true;
  }

  get state() {
    const { live } = this, { clock } = live.page;
    const values = Object.fromEntries(live.panel.sliders.map((s) => [s.name, live.values.get(s)]));
    return { values, said: document.getElementById("said").textContent, ...(clock.playing ? {} : { time: clock.now }) };
  }

  /** Called before each picture: tells what has changed, once a march is done. */
  advance() {
    if (!this.asked || this.live.under || this.live.asked) return;
    const state = this.state, text = JSON.stringify(state);
    if (text === this.sent) return;
    this.sent = text;
    window.parent.postMessage({ dalembert: state }, "*");
  }
}
