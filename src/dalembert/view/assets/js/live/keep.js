import { general } from "./words.js";
// What is kept of a page: motions to compare with, the state of its sliders as its own address, and files to take away.

const MOST_KEPT = 4;

/** Motions kept beside the one shown: ghosts in the scene, faint curves in the plots. */
export class Kept {
  constructor(live) {
    this.live = live;
    this.motions = [];
  }

  keep() {
    const { live } = this;
    if (!live.motion) live.marchAtOnce();
    if (!live.motion) return;
    const changed = live.values.changes(live.live.sliders).map((s) => `${s.name} ${general(live.values.get(s), 4)}`);
    this.motions.push({ ...live.motion, label: changed.join(", ") || "as it was" });
    if (this.motions.length > MOST_KEPT) this.motions.shift();
    this.show();
  }

  clear() {
    this.motions = [];
    this.show();
  }

  show() {
    const { stage, charts } = this.live.page;
    stage?.setGhosts(this.motions);
    charts.setGhosts(this.motions);
    this.live.tell("kept");
  }
}

/** Sliders that were moved and the time shown, as the page's own address: `#live={"crank":0.3}&t=1.2`. */
export function addressOf(live) {
  const moved = Object.fromEntries(live.values.changes(live.live.sliders).map((s) => [s.name, live.values.get(s)]));
  const { snapped, q, fixed } = live.values, pose = snapped ? `&pose=${encodeURIComponent(JSON.stringify({ q: [...q], fixed: [...fixed] }))}` : "";
  return `#live=${encodeURIComponent(JSON.stringify(moved))}${pose}&t=${general(live.page.clock.now, 6)}`;
}

/** Sets sliders from an address; whether there were any. */
export function readAddress(live, hash) {
  const found = /[#&]live=([^&]*)/.exec(hash);
  if (!found) return false;
  let moved = {};
  try {
    moved = JSON.parse(decodeURIComponent(found[1]));
  } catch {
    return false;
  }
  for (const [name, value] of Object.entries(moved ?? {})) {
    const slider = live.live.sliders.find((s) => s.name === name);
    if (slider && Number.isFinite(value)) live.panel.set(slider, value, false);
  }
  readPose(live, /[#&]pose=([^&]*)/.exec(hash)?.[1]);
  return true;
}

function readPose(live, text) {
  if (!text) return;
  try {
    const { q, fixed } = JSON.parse(decodeURIComponent(text)), n = live.live.coordinates.length;
    const fits = q.length === n && q.every(Number.isFinite) && fixed.every((i) => Number.isInteger(i) && i >= 0 && i < live.live.speeds.length);
    if (fits) live.values.snap(q, fixed);
  } catch {
    return;
  }
  for (const slider of live.panel.sliders) live.panel.show(slider);
}

/** A table of a motion: time, coordinates, speeds, states of elements, and the curves of all plots but those of what is marched. */
export function csvOf(live, motion) {
  const { coordinates, speeds, states } = live.live, charts = live.page.charts.charts;
  const more = motion.charts.map((values, i) => ({ values, chart: charts[i] })).filter(({ values, chart }) => values && !/^[quz]:/.test(chart.key));
  const names = ["t", ...coordinates, ...speeds.map((name) => `${name}'`), ...states.names, ...more.flatMap(({ chart }) => chart.names.map((name) => `${chart.title}: ${name}`))];
  const { n } = live.machines[0];
  const lines = [names.map(cell).join(",")];
  motion.t.forEach((t, k) => {
    const rest = more.flatMap(({ values, chart }) => Array.from(values.subarray(k * chart.count, (k + 1) * chart.count)));
    lines.push([t, ...motion.rows.subarray(k * n, (k + 1) * n), ...rest].join(","));
  });
  return `${lines.join("\n")}\n`;
}

/** A name that no spreadsheet takes for a formula. */
function cell(name) {
  const safe = /^[=+\-@\t\r]/.test(name) ? `'${name}` : name;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** A motion with all that it was marched from. */
export function jsonOf(live, motion) {
  const { live: about, values } = live, { n_q, n_u, n } = live.machines[0];
  const column = (i) => Array.from(motion.t, (_, k) => motion.rows[k * n + i]);
  return JSON.stringify({
    model: about.name, version: live.page.data.version, options: about.options,
    parameters: Object.fromEntries(values.names.map((name, i) => [name, values.parameters[i]])),
    t: Array.from(motion.t), q: Object.fromEntries(about.coordinates.map((name, i) => [name, column(i)])),
    u: Object.fromEntries(about.speeds.map((name, i) => [name, column(n_q + i)])),
    z: Object.fromEntries(about.states.names.map((name, i) => [name, column(n_q + n_u + i)])),
  });
}

export function download(name, kind, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: kind }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** The scene as a video: begun, and given when it is stopped. */
export class Video {
  constructor(canvas) {
    this.chunks = [];
    this.recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: "video/webm" });
    this.recorder.addEventListener("dataavailable", (e) => this.chunks.push(e.data));
    this.recorder.start(200);
  }

  stop() {
    return new Promise((done) => {
      this.recorder.addEventListener("stop", () => done(new Blob(this.chunks, { type: "video/webm" })));
      this.recorder.stop();
    });
  }
}
