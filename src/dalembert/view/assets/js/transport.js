import { FLASH, SPEEDS } from "./clock.js";
import { element } from "./chart.js";
// Play, scrub, speed, loop.

const SIGNS = { play: "M6 4l11 6-11 6z", pause: "M5 4h4v12H5zM11 4h4v12h-4z" };

export class Transport {
  constructor(data, clock) {
    this.clock = clock;
    this.part = Object.fromEntries(["play", "back", "on", "scrub", "time", "speed", "loop"].map((id) => [id, document.getElementById(id)]));
    const { play, back, on, scrub, speed, loop } = this.part;
    for (const s of SPEEDS) speed.append(new Option(s < 1 ? `1/${1 / s} ×` : `${s} ×`, s));
    const realTime = () => window.dalembert?.live?.realTime;
    play.addEventListener("click", () => (realTime()?.on ? realTime().pause() : clock.play()));
    back.addEventListener("click", () => clock.step(-1));
    on.addEventListener("click", () => (realTime()?.on ? realTime().step() : clock.step(1)));
    scrub.addEventListener("input", () => {
      const wanted = Number(scrub.value); // before pausing puts the slider back
      clock.play(false);
      clock.seek(wanted);
    });
    speed.addEventListener("change", () => {
      clock.speed = Number(speed.value);
      clock.tell("speed");
    });
    loop.addEventListener("click", () => {
      clock.loop = !clock.loop;
      clock.tell("loop");
    });
    this.events = data.events;
    clock.onChange((what) => this.show(what));
    this.span();
    this.show("all");
  }

  /** The scrubber from the first to the last time, with a mark at every event. */
  span() {
    const { first, last } = this.clock;
    this.part.scrub.min = first;
    this.part.scrub.max = last;
    this.digits = Math.max(2, Math.min(6, 3 - Math.floor(Math.log10(last - first || 1))));
    this.marks = this.events.map(([name, t, kind]) => {
      const mark = element("i", kind ?? "");
      mark.time = t;
      mark.title = name;
      mark.style.left = `${(100 * (t - first)) / (last - first || 1)}%`;
      return mark;
    });
    document.getElementById("marks").replaceChildren(...this.marks);
  }

  show(what) {
    const { play, scrub, time, speed, loop } = this.part;
    if (what === "times") this.span();
    const { now, last } = this.clock;
    const realTime = window.dalembert?.live?.realTime, playing = realTime?.on ? realTime.running : this.clock.playing;
    scrub.value = now;
    for (const mark of this.marks) mark.classList.toggle("now", mark.time <= now && now - mark.time < FLASH * this.clock.speed);
    scrub.setAttribute("aria-valuetext", `${now.toFixed(this.digits)} s`);
    const strong = element("b", "", now.toFixed(this.digits));
    time.replaceChildren(strong, ` / ${last.toFixed(this.digits)} s`);
    if (what === "time") return;
    play.setAttribute("aria-label", playing ? "Pause" : "Play");
    document.getElementById("play-sign").setAttribute("d", playing ? SIGNS.pause : SIGNS.play);
    speed.value = this.clock.speed;
    loop.setAttribute("aria-pressed", this.clock.loop);
  }
}
