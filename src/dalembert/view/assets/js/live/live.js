import { Design } from "./design.js";
import { FrameLink } from "./frame.js";
import { Hand } from "./hand.js";
import { readAddress } from "./keep.js";
import { March } from "./march.js";
import { compileAll, Machine } from "./machine.js";
import { shownMotion } from "./shown_motion.js";
import { RealTime } from "./real_time.js";
import { SliderPanel } from "./sliders.js";
import { Start } from "./start.js";
import { Tools } from "./tools.js";
import { Values } from "./values.js";
// The page that simulates: on every move of a slider the loops are closed anew, the motion is marched, and everything shown follows.

const AT_ONCE = 30, PER_PICTURE = 10; // milliseconds of marching within one picture, and in each of a longer march

export class Live {
  constructor(page, modules) {
    this.page = page;
    this.live = page.data.live;
    this.machines = modules.map((module, i) => new Machine(module, this.live, i));
    this.march = new March(this.machines);
    this.start = new Start(this.machines[0]);
    this.values = new Values(this.live, this.live.times);
    this.panel = new SliderPanel(this.live.sliders, this.values, () => this.ask());
    document.getElementById("marched").textContent = this.live.words;
    this.under = null;
    this.took = [];
    this.listeners = new Set();
    this.listeners = new Set();
    this.motion = null;
    this.realTime = new RealTime(this);
    this.hand = new Hand(this.realTime, page.stage);
    this.tools = new Tools(this, this.realTime);
    this.design = new Design(this);
    this.link = new FrameLink(this);
    if (readAddress(this, location.hash)) this.ask();
  }

  /** Marches anew before the next picture. */
  ask() {
    this.asked = true;
  }

  onTell(listener) {
    this.listeners.add(listener);
  }

  tell(what) {
    for (const listener of this.listeners) listener(what);
  }

  onMotion(listener) {
    this.listeners.add(listener);
  }

  /** Called before each picture. */
  advance(wall) {
    this.goAhead(wall);
    this.design.advance();
    this.link.advance();
  }

  goAhead(wall) {
    if (this.realTime.on) {
      if (this.asked) this.realTime.follow();
      this.asked = false;
      return this.realTime.advance(wall);
    }
    if (this.asked) {
      this.asked = false;
      this.begin();
    } else if (this.under) this.goOn(PER_PICTURE);
  }

  /** Closes the loops and begins to march; what cannot be assembled is said, and the last good motion stays. */
  begin() {
    this.began = performance.now();
    const given = this.values.begin(), times = this.values.outputs();
    const found = this.start.find(given);
    this.assembled = performance.now();
    if (found.sentence) return this.stop(found.sentence);
    const sentence = this.march.begin({ ...found, parameters: given.parameters, times, end: times[times.length - 1] });
    if (sentence) return this.stop(sentence);
    this.under = { times, given };
    this.goOn(AT_ONCE);
  }

  /** All of it, however long that takes. */
  marchAtOnce() {
    this.begin();
    while (this.under) this.goOn(1000);
  }

  goOn(milliseconds) {
    const done = this.march.go(milliseconds);
    if (!done) return this.panel.progress(this.march.done / this.under.times.length);
    if (done.sentence) return this.stop(done.sentence);
    this.show(done.ended);
  }

  stop(sentence) {
    this.under = null;
    this.panel.progress(null);
    this.panel.say(sentence);
  }

  show(ended) {
    const marched = performance.now();
    let times = this.under.times.subarray(0, this.march.done), rows = this.march.rows.slice(), { laws } = this.march; // memory may grow, and views end
    if (ended === "event" && !(times[times.length - 1] >= this.march.last.t)) {
      times = Float64Array.of(...times, this.march.last.t);
      rows = Float64Array.of(...rows, ...this.march.last.y);
      laws = Float64Array.of(...laws, ...this.march.last.laws);
    }
    this.under = null;
    this.panel.progress(null);
    this.panel.say("");
    this.motion = this.computed(times, rows, laws);
    this.motion.events = this.march.events;
    this.page.follow(this.geometry());
    this.page.showMotion(this.motion);
    for (const listener of this.listeners) listener(this.motion);
    this.took.push({ assembly: this.assembled - this.began, march: marched - this.assembled, shown: performance.now() - marched, steps: this.march.steps });
  }

  /** Everything shown of rows, by the first machine, whose inputs have the same parameters. */
  computed(times, rows, laws) {
    this.machines[0].input("P").set(this.values.parameters);
    return shownMotion(this.machines[0], this.page.data, times, rows, this.march.acting.changes, laws);
  }

  /** Places and sizes of what is drawn, at the present parameters. */
  geometry() {
    const m = this.machines[0];
    m.input("P").set(this.values.parameters);
    m.call("geometry", m.inputAddress("P"), "geometry");
    return m.geometry;
  }
}

/** Says in a sentence why the page only plays back. */
export function plain(why) {
  const note = document.getElementById("said"), box = document.getElementById("sliders");
  box.hidden = false;
  box.classList.add("without");
  note.textContent = `This page plays back only: ${why}`;
  note.hidden = false;
  return null;
}

/** The page comes to life, or says why it only plays back. */
export async function bringToLife(page) {
  if (typeof WebAssembly === "undefined") return plain("this browser has no WebAssembly.");
  if (typeof DecompressionStream === "undefined") return plain("this browser cannot unzip.");
  try {
    return new Live(page, await compileAll(page.data.live.code));
  } catch (problem) {
    return plain(`its program could not be compiled (${problem.message}).`);
  }
}
