import { short, ticks, value } from "./ticks.js";
import { themed } from "./theme.js";
// One plot against time: curves on a canvas drawn once, a cursor above it that moves with the clock.

const LEFT = 52, RIGHT = 8, TOP = 6, BOTTOM = 19;
const COLOURS = ["#4c8dff", "#f0a23b", "#35b58a", "#e4607b", "#9a7af0", "#2fb3c6", "#c7b23a", "#df7c50"];
const SHOWN = 8;

export class Chart {
  constructor(chart, clock) {
    Object.assign(this, chart);
    this.clock = clock;
    this.count = this.names.length;
    this.shown = new Set([...Array(Math.min(this.count, SHOWN)).keys()]);
    this.build();
    this.stale = true;
    this.ghosts = [];
  }

  build() {
    this.card = element("div", "card");
    const title = element("h3");
    title.append(this.title);
    this.card.append(title);
    this.box = element("div", "plot");
    this.canvas = element("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${this.title} against time`);
    this.cursor = element("div", "cursor");
    this.box.append(this.canvas, this.cursor);
    this.legend = element("div", "legend");
    this.chips = this.names.map((name, i) => this.chip(name, i));
    this.legend.append(...this.chips.map((c) => c.button));
    this.card.append(this.box, this.legend);
    if (this.count > 12) this.card.append(this.filter(title));
    this.scrubbing();
    new ResizeObserver(() => this.refresh()).observe(this.box);
  }

  chip(name, i) {
    const button = element("button");
    const reading = element("b");
    button.style.setProperty("--c", COLOURS[i % COLOURS.length]);
    button.setAttribute("aria-pressed", this.shown.has(i));
    button.append(element("i"), name, reading);
    button.addEventListener("click", () => {
      if (!this.shown.delete(i)) this.shown.add(i);
      button.setAttribute("aria-pressed", this.shown.has(i));
      if (!this.shown.has(i)) reading.textContent = "";
      this.refresh();
    });
    return { button, reading, name };
  }

  filter(title) {
    title.append(element("small", "", `${this.count} curves`));
    const field = element("input", "filter");
    field.type = "search";
    field.placeholder = "Find a curve";
    field.setAttribute("aria-label", `Find a curve of ${this.title}`);
    field.addEventListener("input", () => {
      const wanted = field.value.toLowerCase();
      for (const c of this.chips) c.button.hidden = !c.name.toLowerCase().includes(wanted);
      for (const c of this.chips) c.button.style.display = c.button.hidden ? "none" : "";
    });
    return field;
  }

  scrubbing() {
    const seek = (e) => {
      const box = this.box.getBoundingClientRect();
      const part = (e.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
      this.clock.seek(this.clock.first + part * (this.clock.last - this.clock.first));
    };
    this.box.addEventListener("pointerdown", (e) => {
      this.box.setPointerCapture(e.pointerId);
      this.clock.play(false);
      seek(e);
    });
    this.box.addEventListener("pointermove", (e) => this.box.hasPointerCapture(e.pointerId) && seek(e));
  }

  refresh() {
    this.stale = true;
  }

  /** Values of another motion; null where there are none. */
  replace(values) {
    this.values = values ?? new Float32Array(0);
    this.card.hidden = !values;
    this.stale = true;
  }

  /** Lowest and highest of the curves shown. */
  range() {
    let low = Infinity, high = -Infinity;
    for (const { values } of [this, ...this.ghosts]) {
      for (const s of this.shown) {
        for (let i = s; i < values.length; i += this.count) {
          if (values[i] < low) low = values[i];
          if (values[i] > high) high = values[i];
        }
      }
    }
    if (low > high) return [0, 1];
    const room = high > low ? 0.06 * (high - low) : Math.abs(high) * 0.1 || 1;
    return [low - room, high + room];
  }

  draw() {
    if (!this.stale || !this.box.clientWidth) return;
    this.stale = false;
    const width = this.box.clientWidth, height = this.box.clientHeight, dense = Math.min(3, devicePixelRatio);
    this.canvas.width = width * dense;
    this.canvas.height = height * dense;
    const c = this.canvas.getContext("2d");
    c.scale(dense, dense);
    c.font = "10.5px system-ui, sans-serif";
    const [low, high] = this.range();
    const { first, last } = this.clock;
    const x = (t) => LEFT + ((t - first) / (last - first || 1)) * (width - LEFT - RIGHT);
    const y = (v) => TOP + ((high - v) / (high - low)) * (height - TOP - BOTTOM);
    this.axes(c, x, y, low, high, width, height);
    c.save();
    c.beginPath();
    c.rect(LEFT, TOP - 2, width - LEFT - RIGHT, height - TOP - BOTTOM + 4);
    c.clip();
    c.globalAlpha = 0.35;
    for (const ghost of this.ghosts) for (const s of this.shown) this.curve(c, s, x, y, width, ghost);
    c.globalAlpha = 1;
    for (const s of this.shown) this.curve(c, s, x, y, width);
    c.restore();
  }

  axes(c, x, y, low, high, width, height) {
    c.fillStyle = themed("faint");
    c.strokeStyle = themed("line");
    c.lineWidth = 1;
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const v of ticks(low, high, 5)) {
      line(c, LEFT, y(v), width - RIGHT, y(v));
      c.fillText(short(v), LEFT - 6, y(v));
    }
    c.textAlign = "center";
    c.textBaseline = "alphabetic";
    for (const t of ticks(this.clock.first, this.clock.last, Math.max(2, width / 75))) {
      if (x(t) < width - 14) c.fillText(short(t), x(t), height - 5);
    }
    c.textAlign = "right";
    c.fillText("s", width - 2, height - 5);
  }

  /** Where samples are denser than pixels, from the lowest to the highest of each pixel. */
  curve(c, s, x, y, width, { times, values } = { times: this.clock.times, values: this.values }) {
    const n = Math.min(times.length, values.length / this.count);
    const dense = n > 3 * width;
    c.strokeStyle = COLOURS[s % COLOURS.length];
    c.lineWidth = 1.6;
    c.lineJoin = "round";
    c.beginPath();
    if (!dense) {
      for (let i = 0; i < n; i++) c.lineTo(x(times[i]), y(values[i * this.count + s]));
    } else {
      let column = null, low = 0, high = 0;
      for (let i = 0; i < n; i++) {
        const at = Math.round(x(times[i])), v = values[i * this.count + s];
        if (at !== column) {
          if (column !== null) {
            c.lineTo(column, y(low));
            c.lineTo(column, y(high));
          }
          column = at;
          low = high = v;
        }
        if (v < low) low = v;
        if (v > high) high = v;
      }
      c.lineTo(column, y(low));
      c.lineTo(column, y(high));
    }
    c.stroke();
  }

  /** The curve's height now, between frames in a straight line. */
  reading(s, { index, part }) {
    const a = this.values[index * this.count + s];
    return part > 0 ? a + part * (this.values[(index + 1) * this.count + s] - a) : a;
  }

  follow(place) {
    const { first, last, now } = this.clock;
    const inside = this.box.clientWidth - LEFT - RIGHT;
    this.cursor.style.transform = `translateX(${LEFT + (inside * (now - first)) / (last - first || 1)}px)`;
    for (const s of this.shown) {
      const height = this.reading(s, place), ghost = this.ghosts[this.ghosts.length - 1];
      const beside = ghost && ghost.values[this.clock.place(now, ghost.times).index * this.count + s];
      this.chips[s].reading.textContent = value(height) + (Number.isFinite(beside) ? ` (Δ ${value(height - beside)})` : "");
    }
  }
}

function line(c, x1, y1, x2, y2) {
  c.beginPath();
  c.moveTo(x1, Math.round(y1) + 0.5);
  c.lineTo(x2, Math.round(y2) + 0.5);
  c.stroke();
}

export function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}
