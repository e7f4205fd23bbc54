import { readData } from "./decode.js";
import { onTheme, startTheme, themed } from "./theme.js";
// An index of models, each with its motion drawn in two dimensions.

class Drawing {
  constructor(drawing, canvas) {
    Object.assign(this, drawing);
    this.canvas = canvas;
    this.n = this.position.shape[1];
    this.length = this.t[this.t.length - 1];
  }

  /** The samples around a time, and how far it is on the way between them. */
  between(time) {
    let i = 0;
    while (i < this.t.length - 2 && this.t[i + 1] <= time) i++;
    const next = Math.min(i + 1, this.t.length - 1);
    const part = next > i ? Math.min(1, (time - this.t[i]) / (this.t[next] - this.t[i])) : 0;
    return { i, next, mix: (from, a, b) => from[a] + part * (from[b] - from[a]) };
  }

  /** Poses, as functions from a body's points to the picture's. */
  poses({ i, next, mix }) {
    const made = [(p) => p];
    for (let k = 0; k < this.n; k++) {
      const a = i * this.n + k, b = next * this.n + k;
      const at = [0, 1, 2].map((c) => mix(this.position, 3 * a + c, 3 * b + c));
      const turn = [0, 1, 2, 3].map((c) => mix(this.quaternion, 4 * a + c, 4 * b + c));
      const size = Math.hypot(...turn);
      const [x, y, z, w] = turn.map((c) => c / size);
      made.push(([px, py, pz]) => {
        const tx = 2 * (y * pz - z * py), ty = 2 * (z * px - x * pz), tz = 2 * (x * py - y * px);
        return [at[0] + px + w * tx + y * tz - z * ty, at[1] + py + w * ty + z * tx - x * tz, at[2] + pz + w * tz + x * ty - y * tx];
      });
    }
    return made;
  }

  draw(time) {
    const dense = Math.min(2, devicePixelRatio);
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (!width) return;
    this.canvas.width = width * dense;
    this.canvas.height = height * dense;
    const pen = this.canvas.getContext("2d");
    pen.scale(dense, dense);
    const [left, right, bottom, top] = this.window;
    const scale = 0.84 * Math.min(width / Math.max(right - left, 1e-9), height / Math.max(top - bottom, 1e-9));
    const dot = (p, a) => p[0] * a[0] + p[1] * a[1] + p[2] * a[2];
    const place = (p) => [
      width / 2 + scale * (dot(p, this.axes[0]) - (left + right) / 2), height / 2 - scale * (dot(p, this.axes[1]) - (bottom + top) / 2), dot(p, this.axes[2]),
    ];
    pen.fillStyle = themed("foot");
    for (const anchor of this.anchors) {
      const [x, y] = place(anchor);
      pen.fillRect(x - 5, y - 3, 10, 6);
    }
    const now = this.between(time);
    const poses = this.poses(now);
    const shapes = this.solids.map(([k, colour, opacity, kind, flat, radius]) => {
      const points = [];
      for (let i = 0; i < flat.length; i += 3) points.push(place(poses[k](flat.slice(i, i + 3))));
      const depth = points.reduce((sum, p) => sum + p[2], 0) / points.length;
      return { colour, opacity, kind, points, depth: k === 0 ? -Infinity : depth, radius: Math.max(1.1, radius * scale) };
    });
    for (const bent of this.wires) shapes.push(...this.rods(bent, now, poses, place, Math.max(1.1, this.thickness * scale)));
    shapes.sort((a, b) => (a.depth === b.depth ? 0 : a.depth - b.depth)); // the ground behind all else
    for (const shape of shapes) paint(pen, shape);
  }
}

/** Elastic bodies: rods between points that move in the body. */
Drawing.prototype.rods = function ([k, colour, edges, points], { i, next, mix }, poses, place, radius) {
  const n = points.shape[1];
  const spot = (j) => place(poses[k]([0, 1, 2].map((c) => mix(points, 3 * (i * n + j) + c, 3 * (next * n + j) + c))));
  return edges.map(([a, b]) => {
    const ends = [spot(a), spot(b)];
    return { colour, opacity: 1, kind: "bar", points: ends, depth: (ends[0][2] + ends[1][2]) / 2, radius };
  });
};

function paint(pen, { colour, opacity, kind, points, radius }) {
  pen.globalAlpha = opacity;
  pen.fillStyle = pen.strokeStyle = colour;
  pen.beginPath();
  if (kind === "ball") {
    pen.arc(points[0][0], points[0][1], radius, 0, 2 * Math.PI);
    pen.fill();
  } else if (kind === "bar") {
    pen.lineWidth = 2 * radius;
    pen.lineCap = "butt";
    for (const p of points) pen.lineTo(p[0], p[1]);
    pen.stroke();
  } else {
    for (const p of hull(points)) pen.lineTo(p[0], p[1]);
    pen.closePath();
    pen.globalAlpha = 0.82 * opacity;
    pen.fill();
    pen.globalAlpha = opacity;
    pen.lineWidth = 1;
    pen.stroke();
  }
}

/** The outline of points in the plane, by Andrew's monotone chain. */
function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list) => {
    const made = [];
    for (const p of list) {
      while (made.length > 1 && cross2(made[made.length - 2], made[made.length - 1], p) <= 0) made.pop();
      made.push(p);
    }
    return made.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function cross2(o, a, b) {
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

function makeCard(card) {
  const link = document.createElement("a");
  link.href = card.page;
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${card.title}, moving`);
  const words = document.createElement("div");
  words.className = "words";
  const title = document.createElement("h2");
  const counts = document.createElement("small");
  counts.textContent = card.counts;
  title.append(card.title, counts);
  const purpose = document.createElement("p");
  purpose.textContent = card.purpose;
  words.append(title, purpose);
  link.append(canvas, words);
  document.getElementById("cards").append(link);
  return { link, text: `${card.title} ${card.purpose}`.toLowerCase(), drawing: new Drawing(card.drawing, canvas), seen: false };
}

function startGallery() {
  startTheme();
  const cards = readData().cards.map(makeCard);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const watch = new IntersectionObserver((entries) => {
    for (const e of entries) {
      const card = cards.find((c) => c.link === e.target);
      card.seen = e.isIntersecting;
      if (card.seen) card.drawing.draw(still ? card.drawing.length / 3 : card.drawing.now ?? 0);
    }
  });
  for (const card of cards) watch.observe(card.link);
  document.getElementById("find").addEventListener("input", (e) => {
    for (const card of cards) card.link.hidden = !card.text.includes(e.target.value.toLowerCase());
  });
  onTheme(() => cards.filter((c) => c.seen).forEach((c) => c.drawing.draw(c.drawing.now ?? 0)));
  const picture = (wall) => {
    for (const { drawing, seen } of cards) {
      if (!seen || !(drawing.length > 0)) continue;
      drawing.now = (wall / 1000) % drawing.length;
      drawing.draw(drawing.now);
    }
    requestAnimationFrame(picture);
  };
  if (!still) requestAnimationFrame(picture);
  window.dalembert = { cards };
}

startGallery();
