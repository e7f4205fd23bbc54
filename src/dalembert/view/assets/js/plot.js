import { element } from "./chart.js";
import { short, ticks } from "./ticks.js";
import { onTheme, themed } from "./theme.js";
// One plot of an analysis: curves, points or a map over something other than time.

const EDGE = { left: 58, right: 14, top: 10, bottom: 34 };
const MOST_NAMED = 12;
const PAINTS = ["#4c8dff", "#f0a23b", "#35b58a", "#e4607b", "#9a7af0", "#2fb3c6", "#c7b23a", "#df7c50"];

export class Plot {
  constructor(plot) {
    Object.assign(this, plot);
    this.card = element("div", "card");
    this.card.append(element("h3", "", this.title));
    this.box = element("div", "plot still");
    this.canvas = element("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${this.title} over ${this.xName}`);
    this.box.append(this.canvas);
    this.card.append(this.box);
    this.legend();
    new ResizeObserver(() => this.draw()).observe(this.box);
    onTheme(() => this.draw());
  }

  /** Other curves in the same plot. */
  set(curves) {
    const names = this.names.join("\n");
    Object.assign(this, curves);
    if (names !== this.names.join("\n")) this.legend();
    this.draw();
  }

  legend() {
    this.card.querySelector(".legend")?.remove();
    if (this.names.length > 1 && this.names.length <= MOST_NAMED) this.card.append(this.key());
  }

  key() {
    const box = element("div", "legend");
    this.names.forEach((name, i) => {
      const chip = element("span", "", name);
      chip.style.setProperty("--c", this.paint(i));
      chip.prepend(element("i"));
      box.append(chip);
    });
    return box;
  }

  paint(i) {
    return (this.paints ?? PAINTS)[i % (this.paints ?? PAINTS).length];
  }

  /** x of sample i of curve s: one x for all curves, or one each. */
  at(i, s) {
    return this.x.length === this.y.length && this.names.length > 1 ? this.x[i * this.names.length + s] : this.x[i];
  }

  range(values, more) {
    let low = Infinity, high = -Infinity;
    for (const v of [values, more].flatMap((some) => [...some])) {
      if (!Number.isFinite(v)) continue;
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
    if (low > high) return [0, 1];
    const room = high - low > 1e-12 * Math.max(Math.abs(low), Math.abs(high)) ? 0.05 * (high - low) : Math.abs(high) * 0.1 || 1;
    return [low - room, high + room];
  }

  draw() {
    const width = this.box.clientWidth, height = this.box.clientHeight, dense = Math.min(3, devicePixelRatio);
    if (!width) return;
    this.canvas.width = width * dense;
    this.canvas.height = height * dense;
    const pen = this.canvas.getContext("2d");
    pen.scale(dense, dense);
    pen.font = "10.5px system-ui, sans-serif";
    let xs = this.range(this.x, this.marks.map((m) => m[0])), ys = this.range(this.rows ?? this.y, this.marks.map((m) => m[1]));
    const inside = { w: width - EDGE.left - EDGE.right, h: height - EDGE.top - EDGE.bottom };
    if (this.kind === "curve") [xs, ys] = square(xs, ys, inside.w / inside.h);
    const x = (v) => EDGE.left + ((v - xs[0]) / (xs[1] - xs[0])) * inside.w;
    const y = (v) => EDGE.top + ((ys[1] - v) / (ys[1] - ys[0])) * inside.h;
    if (this.kind === "map") this.fields(pen, x, y);
    this.axes(pen, x, y, xs, ys, width, height);
    if (this.kind === "map") return;
    pen.save();
    pen.beginPath();
    pen.rect(EDGE.left, EDGE.top, inside.w, inside.h);
    pen.clip();
    for (let s = 0; s < this.names.length; s++) this.curve(pen, s, x, y);
    pen.restore();
    pen.fillStyle = themed("ink");
    pen.textAlign = "center";
    for (const [a, b, word] of this.marks) {
      pen.beginPath();
      pen.arc(x(a), y(b), 3.5, 0, 2 * Math.PI);
      pen.fill();
      pen.fillText(word, x(a), y(b) - 7);
    }
  }

  curve(pen, s, x, y) {
    const n = this.y.length / this.names.length;
    pen.strokeStyle = pen.fillStyle = this.paint(s);
    pen.lineWidth = 1.6;
    pen.beginPath();
    for (let i = 0; i < n; i++) {
      const a = x(this.at(i, s)), b = y(this.y[i * this.names.length + s]);
      if (!Number.isFinite(a + b)) continue;
      if (this.kind !== "points") pen.lineTo(a, b);
      else pen.fillRect(a - 2, b - 2, 4, 4);
    }
    if (this.kind !== "points") pen.stroke();
  }

  /** Fields of a map, each as wide as half the way to its neighbours. */
  fields(pen, x, y) {
    const n = this.rows.length;
    const edges = (v, i) => [i ? (v[i] + v[i - 1]) / 2 : v[i], i < v.length - 1 ? (v[i] + v[i + 1]) / 2 : v[i]];
    this.x.forEach((_, i) => {
      this.rows.forEach((_, j) => {
        const [a, b] = edges(this.x, i), [c, d] = edges(this.rows, j);
        pen.fillStyle = this.y[i * n + j] > 0.5 ? "#35b58a" : "#e4607b";
        pen.fillRect(x(a), y(d), x(b) - x(a) + 0.5, y(c) - y(d) + 0.5);
      });
    });
  }

  axes(pen, x, y, xs, ys, width, height) {
    pen.fillStyle = themed("faint");
    pen.strokeStyle = themed("line");
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const v of ticks(...ys, 5)) {
      stroke(pen, EDGE.left, y(v), width - EDGE.right, y(v));
      pen.fillText(short(v), EDGE.left - 6, y(v));
    }
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    for (const v of ticks(...xs, Math.max(2, width / 80))) {
      stroke(pen, x(v), EDGE.top, x(v), height - EDGE.bottom);
      pen.fillText(short(v), x(v), height - EDGE.bottom + 14);
    }
    pen.fillText(this.xName, (EDGE.left + width - EDGE.right) / 2, height - 4);
    pen.textAlign = "left";
    if (this.yName) pen.fillText(this.yName, 4, EDGE.top + 8);
  }
}

function stroke(pen, a, b, c, d) {
  pen.beginPath();
  pen.moveTo(Math.round(a) + 0.5, Math.round(b) + 0.5);
  pen.lineTo(Math.round(c) + 0.5, Math.round(d) + 0.5);
  pen.stroke();
}

/** Both ranges widened until a unit is as long along either axis. */
function square([a, b], [c, d], aspect) {
  const grow = (low, high, by) => [low - by / 2, high + by / 2];
  const wide = (d - c) * aspect;
  return b - a < wide ? [grow(a, b, wide - (b - a)), [c, d]] : [[a, b], grow(c, d, (b - a) / aspect - (d - c))];
}
