import { addressOf, csvOf, download, jsonOf, Kept, Video } from "./keep.js";
// Buttons of a page that simulates: real time, recording, comparing, sharing, files.

export class Tools {
  constructor(live, realTime) {
    this.live = live;
    this.realTime = realTime;
    this.kept = new Kept(live);
    this.button = Object.fromEntries(["live", "record", "keep", "clear", "share", "csv", "json"].map((id) => [id, document.getElementById(`tool-${id}`)]));
    const file = live.live.name.replace(/[^\w-]+/g, "_") || "motion";
    const on = (id, action) => this.button[id].addEventListener("click", action);
    on("live", () => realTime.switch());
    on("record", () => this.record(file));
    on("keep", () => this.kept.keep());
    on("clear", () => this.kept.clear());
    on("share", () => this.share());
    on("csv", () => this.write((motion) => download(`${file}.csv`, "text/csv", csvOf(live, motion))));
    on("json", () => this.write((motion) => download(`${file}.json`, "application/json", jsonOf(live, motion))));
    this.button.record.hidden = typeof MediaRecorder === "undefined" || !live.page.stage;
    live.onTell(() => this.show());
    this.show();
  }

  /** What happened, or the motion that is shown. */
  write(to) {
    const { live, realTime } = this;
    if (realTime.on) return to(realTime.history.motion());
    if (!live.motion) live.marchAtOnce();
    if (live.motion) to(live.motion);
  }

  /** A video of the scene, and what happened as a table, from one press of the button to the next. */
  async record(file) {
    if (!this.video) {
      this.video = new Video(this.live.page.stage.canvas);
      return this.show();
    }
    const film = this.video;
    this.video = null;
    this.show();
    download(`${file}.webm`, "video/webm", await film.stop());
  }

  async share() {
    const address = addressOf(this.live);
    try {
      history.replaceState(null, "", address); // a frame of a notebook has no address of its own
      await navigator.clipboard.writeText(location.href);
      this.button.share.textContent = "Copied";
    } catch {
      this.button.share.textContent = "In the address";
    }
    setTimeout(() => (this.button.share.textContent = "Share"), 2000);
  }

  show() {
    const { button, realTime, kept } = this;
    button.live.setAttribute("aria-pressed", realTime.on);
    button.record.setAttribute("aria-pressed", Boolean(this.video));
    button.record.textContent = this.video ? "Stop" : "Record";
    button.clear.hidden = !kept.motions.length;
    button.keep.textContent = kept.motions.length ? `Keep (${kept.motions.length})` : "Keep";
    document.body.classList.toggle("real-time", realTime.on);
    this.live.page.transport.show("playing");
  }
}
