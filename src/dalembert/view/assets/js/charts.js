import { Chart, element } from "./chart.js";
import { onTheme } from "./theme.js";
// All plots, under each other; only those in sight are kept up to date.

export class Charts {
  constructor(data, clock, panel) {
    this.clock = clock;
    this.panel = panel;
    this.charts = [...data.charts, ...ofReactions(data.reactions)].map((chart) => new Chart(chart, clock));
    this.seen = new Set();
    const watch = new IntersectionObserver((entries) => {
      for (const e of entries) this.seen[e.isIntersecting ? "add" : "delete"](e.target);
      this.stale = true;
    });
    for (const chart of this.charts) {
      panel.append(chart.card);
      watch.observe(chart.card);
    }
    if (data.reactions.note) panel.append(element("p", "note", `Reactions: ${data.reactions.note}`));
    if (data.samples > data.t.length) panel.append(element("p", "note", `${data.t.length} of ${data.samples} samples are in this page.`));
    onTheme(() => this.refresh());
    clock.onChange(() => (this.stale = true));
    this.stale = true;
  }

  /** Curves of another motion: those of the plots in their order, and the reactions. */
  replace(values, { force, torque }) {
    const all = [...values, sizes(force), sizes(torque)];
    this.charts.forEach((chart, i) => chart.replace(all[i]));
    this.stale = true;
  }

  /** Curves of kept motions, faint behind the others. */
  setGhosts(motions) {
    this.charts.forEach((chart, i) => {
      const of = (motion) => [...motion.charts, sizes(motion.force), sizes(motion.torque)][i];
      chart.ghosts = motions.filter(of).map((motion) => ({ times: motion.t, values: of(motion) }));
    });
    this.refresh();
  }

  refresh() {
    for (const chart of this.charts) chart.refresh();
    this.stale = true;
  }

  draw() {
    const place = this.stale ? this.clock.place() : null;
    for (const chart of this.charts) {
      if (!this.seen.has(chart.card)) continue;
      const renewed = chart.stale;
      chart.draw();
      if (place || renewed) chart.follow(place ?? this.clock.place());
    }
    this.stale = false;
  }
}

function ofReactions({ joints, force, torque }) {
  if (!joints.length) return [];
  return [
    { key: "force", title: "Reaction forces (N)", unit: "N", names: joints, values: sizes(force) },
    { key: "torque", title: "Reaction torques (N m)", unit: "N m", names: joints, values: sizes(torque) },
  ];
}

function sizes(vectors) {
  const made = new Float32Array(vectors.length / 3);
  for (let i = 0; i < made.length; i++) made[i] = Math.hypot(vectors[3 * i], vectors[3 * i + 1], vectors[3 * i + 2]);
  return made;
}
