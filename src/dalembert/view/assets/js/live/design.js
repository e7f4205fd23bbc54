import { element } from "../chart.js";
import { Plot } from "../plot.js";
import { Polygon } from "./polygon.js";
import { shownMotion } from "./shown_motion.js";
import { Sweep } from "./sweep.js";
import { general } from "./words.js";
// The design view: what a linkage is judged by, anew with every slider. Coupler curves, transmission angle and dead points of a sweep;
// polygons of velocities and accelerations, and hodographs of reactions, of the motion that is shown.

const DEGREES = 180 / Math.PI, MOTION_SIZE = 18, CAUGHT = 0.008;

export class Design {
  constructor(live) {
    this.live = live;
    this.data = live.live.design;
    this.page = live.page;
    this.panel = document.getElementById("design");
    this.tab = document.getElementById("tab-design");
    this.swept = null;
    this.stale = true;
    this.input = this.data.inputs[0];
    const point = (name) => ({ title: name, xName: "", yName: "", names: [], kind: "curve", x: [], y: [], marks: [] });
    this.curves = new Plot({ ...point("Coupler curves (m)"), xName: this.data.plane.names[0], yName: this.data.plane.names[1] });
    this.angle = new Plot({ ...point("Transmission angle (°)"), kind: "lines" });
    this.forces = new Plot({ ...point("Hodograph of the reactions (N)"), xName: this.data.plane.names[0], yName: this.data.plane.names[1] });
    const colours = this.page.data.bodies.map((body) => body.colour);
    this.velocity = new Polygon("Velocities", "m/s", colours);
    this.acceleration = new Polygon("Accelerations", "m/s²", colours);
    this.fill();
    live.onMotion(() => this.refresh());
    this.page.clock.onChange(() => (this.later = true));
    live.panel.catches = (slider, value) => this.caught(slider, value);
  }

  fill() {
    const { inputs, polygons, angles } = this.data;
    this.words = element("p", "note");
    this.snaps = element("div", "snaps");
    const choice = element("label", "choice", "Sweep along "), select = element("select");
    for (const { name } of inputs) select.append(new Option(name, name));
    select.addEventListener("change", () => {
      this.input = inputs.find((one) => one.name === select.value);
      this.refresh();
    });
    choice.append(select);
    this.panel.append(...(inputs.length > 1 ? [choice] : []), this.words, this.snaps, this.curves.card);
    if (angles.length) this.panel.append(this.angle.card);
    if (polygons) this.panel.append(this.velocity.card, this.acceleration.card);
    else this.panel.append(element("p", "note", "Polygons of velocities and accelerations are drawn of rigid bodies without laws, up to 40 of them."));
    if (this.page.data.reactions.joints.length) this.panel.append(this.forces.card);
    this.tab.hidden = false;
    this.page.tabs.add(this.tab);
  }

  get seen() {
    return !this.panel.hidden;
  }

  /** Everything anew before the next picture in which it is seen. */
  refresh() {
    this.stale = true;
  }

  /** Called before each picture. */
  advance() {
    if (!this.seen) return;
    if (this.stale) {
      if (!this.live.motion) this.live.marchAtOnce();
      this.stale = false;
      this.later = true;
      this.sweep();
      this.hodographs();
    }
    if (this.later && this.data.polygons) this.polygons();
    this.later = false;
  }

  /** The branch along the input, with curves, angles and dead points. */
  sweep() {
    const { live, data } = this;
    this.snaps.replaceChildren();
    if (!this.input) {
      this.words.textContent = `${data.why} The curves are those of the motion.`;
      return this.showCurves(live.motion, []);
    }
    this.swept = this.sweptNow();
    if (this.swept.sentence) {
      this.words.textContent = this.swept.sentence;
      return;
    }
    const count = this.swept.poses.length, times = new Float64Array(count).fill(live.live.options.start);
    const made = shownMotion(live.machines[0], this.page.data, times, this.swept.rows);
    this.showCurves(made, this.swept.dead);
    this.showAngles(times, count);
    this.tell();
  }

  sweptNow() {
    const given = this.live.values.begin();
    return new Sweep(this.live.start, { ...given, u: new Float64Array(given.u.length), fixedSpeeds: [] }, this.input);
  }

  tell() {
    const { name, unit } = this.input, { dead, closed } = this.swept;
    const shown = (x) => (unit === "rad" ? `${general(x * DEGREES, 5)}°` : `${general(x, 5)} ${unit}`);
    const whole = closed ? `${name} goes all the way round, without a dead point.` : `${name} meets no dead point on this branch, which ends elsewhere.`;
    this.words.textContent = dead.length ? `${name} has dead points, where it turns back and cannot drive the rest:` : whole;
    for (const point of dead) {
      const button = element("button", "", `Snap to ${shown(point.value)}`);
      button.title = "Begin the motion in this pose";
      button.addEventListener("click", () => this.snap(point));
      this.snaps.append(button);
    }
  }

  /** The motion begins in the pose of a dead point. */
  snap(point) {
    this.live.values.snap(point.q, [point.fixed]);
    for (const slider of this.live.panel.sliders) this.live.panel.show(slider);
    this.live.ask();
  }

  /** The dead point that a slider of the input has come near, if there is one. */
  caught(slider, value) {
    if (slider.kind !== "initial" || slider.at !== this.input?.at || !this.seen) return false;
    const near = this.swept?.dead?.find((one) => Math.abs(one.value - value) <= CAUGHT * (slider.max - slider.min));
    if (!near) return false;
    this.snap(near);
    return true;
  }

  /** Components of a vector in the plane of the pictures. */
  flat(x, y, z) {
    return this.data.plane.axes.map((axis) => axis[0] * x + axis[1] * y + axis[2] * z);
  }

  showCurves({ position, quaternion, ways, t }, dead) {
    const { data } = this.page, count = t.length, bodies = data.bodies.length - 1;
    const rigid = data.traces.filter((trace) => !trace.way), bent = data.traces.filter((trace) => trace.way);
    const places = (k) => [
      ...rigid.map(({ body, at }) => carried(position, quaternion, k * bodies + body - 1, at)), ...bent.map((_, i) => [...ways[i].subarray(3 * k, 3 * k + 3)]),
    ];
    const names = [...rigid, ...bent].map(({ body }) => data.bodies[body].name), x = [], y = [];
    for (let k = 0; k < count; k++) for (const place of places(k)) {
      const [a, b] = this.flat(...place);
      x.push(a);
      y.push(b);
    }
    const marks = dead.flatMap((point) => {
      const k = this.nearest(point);
      return places(k).slice(0, 1).map((place) => [...this.flat(...place), "dead"]);
    });
    const paints = [...rigid, ...bent].map(({ body }) => data.bodies[body].colour);
    this.curves.set({ x, y, names, marks, paints });
  }

  nearest(point) {
    const { poses } = this.swept;
    return poses.reduce((best, pose, k) => (this.swept.distance(pose.q, point.q) < this.swept.distance(poses[best].q, point.q) ? k : best), 0);
  }

  showAngles(times, count) {
    const { angles } = this.data, m = this.live.machines[0], { sampleSize, samples } = this.live.live;
    const own = angles.flatMap(([input, cut], i) => (input === this.input.name ? [[cut, samples[`angle ${i}`][0]]] : []));
    const unit = this.input.unit === "rad" ? DEGREES : 1, values = this.swept.values;
    const y = [];
    for (let k = 0; k < count; k++) for (const [, at] of own) y.push(DEGREES * m.shown[k * sampleSize + at]);
    this.angle.card.hidden = !own.length;
    this.angle.set({ x: Array.from(values, (v) => unit * v), y, names: own.map(([cut]) => cut), xName: `${this.input.name} (${unit === 1 ? this.input.unit : "°"})`, marks: [] });
  }

  /** Tips of the reactions over the motion, with where they are now. */
  hodographs() {
    const { joints } = this.page.data.reactions, { force, t } = this.live.motion, x = [], y = [];
    if (!joints.length) return;
    for (let i = 0; i < t.length * joints.length; i++) {
      const [a, b] = this.flat(force[3 * i], force[3 * i + 1], force[3 * i + 2]);
      x.push(a);
      y.push(b);
    }
    this.forces.set({ x, y, names: joints, marks: [] });
  }

  /** Velocities and accelerations of all joints at a sample of the motion. */
  ofJoints(k) {
    const { rows, t } = this.live.motion, { n } = this.live.machines[0];
    return this.atState(t[k], rows.slice(n * k, n * (k + 1)));
  }

  /** Likewise at a state. */
  atState(time, y) {
    const { live } = this, m = live.machines[0], { sampleSize, samples } = live.live;
    m.reserve("designRow", m.n).set(y);
    m.reserve("designTime", 1)[0] = time;
    m.reserve("designOne", sampleSize);
    m.call("samples", 1n, "designTime", "designRow", "inputs", "designOne", "work");
    const out = m.designOne, a = samples.accelerations[0];
    const made = this.page.data.joints.map(({ name, child, parent, at }) => {
      if (!child) return null;
      const pose = MOTION_SIZE * (child - 1), R = out.subarray(pose, pose + 9), arm = times(R, at);
      const w = out.subarray(pose + 12, pose + 15), v = out.subarray(pose + 15, pose + 18);
      const alpha = out.subarray(a + 6 * (child - 1), a + 6 * (child - 1) + 3), accelerated = out.subarray(a + 6 * (child - 1) + 3, a + 6 * child);
      const turned = cross(w, arm), inward = cross(w, turned), along = cross(alpha, arm);
      const velocity = this.flat(v[0] + turned[0], v[1] + turned[1], v[2] + turned[2]);
      const acceleration = this.flat(...[0, 1, 2].map((i) => accelerated[i] + along[i] + inward[i]));
      return { name, bodies: [parent, child], velocity, acceleration };
    });
    return made.filter(Boolean);
  }

  polygons() {
    const { realTime, march, motion } = this.live;
    const found = realTime.on ? this.atState(realTime.t, march.state.slice()) : this.ofJoints(Math.min(this.page.clock.place().index, motion.t.length - 1));
    for (const kind of ["velocity", "acceleration"]) {
      this[kind].show(found.map((p) => ({ name: p.name, bodies: p.bodies, x: p[kind][0], y: p[kind][1] })));
    }
  }
}

function times(R, [x, y, z]) {
  return [0, 3, 6].map((i) => R[i] * x + R[i + 1] * y + R[i + 2] * z);
}

function cross([a, b, c], [x, y, z]) {
  return [b * z - c * y, c * x - a * z, a * y - b * x];
}

/** A point of a body, in the world. */
function carried(position, quaternion, i, [x, y, z]) {
  const [a, b, c, w] = quaternion.subarray(4 * i, 4 * i + 4);
  const [tx, ty, tz] = cross([a, b, c], [x, y, z]).map((v) => 2 * v), more = cross([a, b, c], [tx, ty, tz]);
  return [x + w * tx + more[0] + position[3 * i], y + w * ty + more[1] + position[3 * i + 1], z + w * tz + more[2] + position[3 * i + 2]];
}
