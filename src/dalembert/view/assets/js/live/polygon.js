import { element } from "../chart.js";
import { general } from "./words.js";
import { onTheme, themed } from "../theme.js";
// A polygon of velocities or accelerations: from the pole to every joint's own, those of one body joined, as they are drawn by hand.

const MARGIN = 26, MOST_LABELLED = 12;

export class Polygon {
  constructor(title, unit, colours) {
    this.unit = unit;
    this.colours = colours;
    this.card = element("div", "card");
    this.scale = element("small");
    const head = element("h3", "", title);
    head.append(this.scale);
    this.box = element("div", "plot still");
    this.canvas = element("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", title);
    this.box.append(this.canvas);
    this.card.append(head, this.box);
    this.points = [];
    new ResizeObserver(() => this.draw()).observe(this.box);
    onTheme(() => this.draw());
  }

  /** Points {name, x, y, bodies} of the polygon. */
  show(points) {
    this.points = points;
    this.draw();
  }

  draw() {
    const width = this.box.clientWidth, height = this.box.clientHeight, dense = Math.min(3, devicePixelRatio);
    if (!width) return;
    this.canvas.width = width * dense;
    this.canvas.height = height * dense;
    const pen = this.canvas.getContext("2d");
    pen.scale(dense, dense);
    pen.font = "10.5px system-ui, sans-serif";
    const most = roundedUp(this.points.reduce((m, p) => Math.max(m, Math.hypot(p.x, p.y)), 0));
    const by = (Math.min(width, height) / 2 - MARGIN) / most;
    const place = (p) => [width / 2 + p.x * by, height / 2 - p.y * by];
    this.scale.textContent = `radius ${general(most, 3)} ${this.unit}`;
    pen.strokeStyle = themed("line");
    pen.beginPath();
    pen.arc(width / 2, height / 2, most * by, 0, 2 * Math.PI);
    pen.stroke();
    this.images(pen, place);
    pen.textAlign = "center";
    pen.lineWidth = 1.2;
    for (const p of this.points) {
      const [x, y] = place(p), out = Math.hypot(x - width / 2, y - height / 2);
      if (out < 3) continue;
      pen.strokeStyle = pen.fillStyle = themed("faint");
      arrow(pen, width / 2, height / 2, x, y);
      pen.fillStyle = themed("ink");
      if (this.points.length <= MOST_LABELLED) pen.fillText(p.name, x + (11 * (x - width / 2)) / out, y + (11 * (y - height / 2)) / out + 4);
    }
    pen.fillStyle = themed("ink");
    pen.beginPath();
    pen.arc(width / 2, height / 2, 2.5, 0, 2 * Math.PI);
    pen.fill();
  }

  /** The image of every body: the points of its joints, joined. */
  images(pen, place) {
    pen.lineWidth = 2.2;
    const bodies = new Set(this.points.flatMap((p) => p.bodies));
    for (const body of bodies) {
      const own = this.points.filter((p) => p.bodies.includes(body));
      if (!body || own.length < 2) continue;
      pen.strokeStyle = this.colours[body];
      pen.beginPath();
      own.forEach((p) => pen.lineTo(...place(p)));
      if (own.length > 2) pen.closePath();
      pen.stroke();
    }
  }
}

/** The next of 1, 2, 5, 10, … that is not below x: a scale that stays while the polygon moves. */
function roundedUp(x) {
  if (!(x > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [1, 2, 5, 10].find((step) => step * power >= x * (1 - 1e-12));
}

function arrow(pen, a, b, x, y) {
  const size = 5, way = Math.atan2(y - b, x - a);
  pen.beginPath();
  pen.moveTo(a, b);
  pen.lineTo(x, y);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(x, y);
  for (const side of [-0.4, 0.4]) pen.lineTo(x - size * 1.6 * Math.cos(way + side), y - size * 1.6 * Math.sin(way + side));
  pen.fill();
}
