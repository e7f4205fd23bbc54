// A marched motion as the page's own arrays: poses, curves, reactions, deflections and ways, all from one compiled pass over its rows.

const MOTION = 18; // numbers per body: R (9), p (3), ω (3), v (3)

/** Everything shown of rows of (q, u, z) at times, which are not views of the machine's memory. Parameters that were set on the way are
 * known by time, place and value; `laws` are the forces and states that time stepping writes behind the state, null where they are not known. */
export function shownMotion(machine, data, times, rows, changes = [], laws = null) {
  const { live } = machine, count = times.length, width = live.sampleSize;
  machine.reserve("shownTimes", count).set(times);
  machine.reserve("shownRows", count * machine.n).set(rows.subarray(0, count * machine.n));
  machine.reserve("shown", count * width);
  let from = 0;
  for (const [t, at, value] of [...changes, [Infinity, 0, 0]]) {
    let to = from;
    while (to < count && times[to] < t) to++;
    const place = (name, size) => machine.address(name, from * size);
    machine.call("samples", BigInt(to - from), place("shownTimes", 1), place("shownRows", machine.n), "inputs", place("shown", width), "work");
    if (t < Infinity) machine.input("P")[at] = value;
    from = to;
  }
  const out = machine.shown;
  return {
    t: Float64Array.from(times),
    rows,
    laws: laws ?? new Float64Array(count * live.beside),
    contacts: contactsOf(live.places, out, width, count, laws, live.beside),
    ...posesOf(out, width, count, data.bodies.length - 1),
    charts: live.charts.map(({ curves }) => curvesOf(curves, machine, out, width, count, laws)),
    ...reactionsOf(out, width, count, data.reactions.joints.length, live.samples.reactions[0]),
    deflections: data.wires.map((_, i) => columns(out, width, count, ...live.samples[`wire ${i}`], Float32Array)),
    ways: data.traces.filter((trace) => trace.way).map((_, i) => columns(out, width, count, ...live.samples[`way ${i}`], Float64Array)),
  };
}

function columns(out, width, count, from, to, Type) {
  const size = to - from, made = new Type(count * size);
  for (let k = 0; k < count; k++) for (let i = 0; i < size; i++) made[k * size + i] = out[k * width + from + i];
  return made;
}

function posesOf(out, width, count, bodies) {
  const position = new Float64Array(3 * count * bodies), quaternion = new Float32Array(4 * count * bodies);
  const last = new Float64Array(4 * bodies);
  for (let k = 0; k < count; k++) {
    for (let b = 0; b < bodies; b++) {
      const from = k * width + MOTION * b, at = k * bodies + b;
      for (let i = 0; i < 3; i++) position[3 * at + i] = out[from + 9 + i];
      turnOf(out, from, last, 4 * b);
      for (let i = 0; i < 4; i++) quaternion[4 * at + i] = last[4 * b + i];
    }
  }
  return { position, quaternion };
}

/** The unit quaternion (x, y, z, w) of a rotation, of the sign nearest to what stood there [Shepperd 1978]. */
function turnOf(R, at, into, to) {
  const xx = R[at], yy = R[at + 4], zz = R[at + 8], trace = xx + yy + zz;
  const ax = R[at + 7] - R[at + 5], ay = R[at + 2] - R[at + 6], az = R[at + 3] - R[at + 1];
  const xy = R[at + 1] + R[at + 3], xz = R[at + 2] + R[at + 6], yz = R[at + 5] + R[at + 7];
  let x, y, z, w;
  if (trace >= xx && trace >= yy && trace >= zz) [x, y, z, w] = [ax, ay, az, 1 + trace];
  else if (xx >= yy && xx >= zz) [x, y, z, w] = [1 - trace + 2 * xx, xy, xz, ax];
  else if (yy >= zz) [x, y, z, w] = [xy, 1 - trace + 2 * yy, yz, ay];
  else [x, y, z, w] = [xz, yz, 1 - trace + 2 * zz, az];
  const sign = x * into[to] + y * into[to + 1] + z * into[to + 2] + w * into[to + 3] < 0 ? -1 : 1;
  const size = sign / Math.hypot(x, y, z, w);
  into[to] = size * x;
  into[to + 1] = size * y;
  into[to + 2] = size * z;
  into[to + 3] = size * w;
}

/** A plot's values, curve by curve; null where a curve's quantity could not be compiled. */
function curvesOf(curves, machine, out, width, count, laws) {
  if (curves.some((curve) => curve === null || (curve.law && !laws))) return null;
  const size = curves.length, made = new Float32Array(count * size), rows = machine.shownRows, n = machine.n;
  curves.forEach((curve, c) => {
    const sum = curve.sum ?? curve.change;
    let first = 0;
    for (let k = 0; k < count; k++) {
      const at = k * width;
      let value = 0;
      if (curve.law) value = sizeOf(laws, k * machine.live.beside, curve.law);
      else if (curve.least) value = Math.min(...out.subarray(at + curve.least[0], at + curve.least[1]));
      else if ("row" in curve) value = rows[k * n + curve.row];
      else if ("at" in curve) value = out[at + curve.at];
      else if (sum) for (let i = sum[0]; i < sum[1]; i++) value += out[at + i];
      else {
        for (let i = curve.norm[0]; i < curve.norm[1]; i++) value += out[at + i] ** 2;
        value = Math.sqrt(value);
      }
      if (curve.change) {
        if (k === 0) first = value;
        value -= first;
      }
      made[k * size + c] = value;
    }
  });
  return made;
}

function reactionsOf(out, width, count, joints, from) {
  const force = new Float32Array(3 * count * joints), torque = new Float32Array(3 * count * joints);
  for (let k = 0; k < count; k++) {
    for (let j = 0; j < joints; j++) {
      const at = k * width + from + 6 * j, to = 3 * (k * joints + j);
      for (let i = 0; i < 3; i++) {
        force[to + i] = out[at + i];
        torque[to + i] = out[at + 3 + i];
      }
    }
  }
  return { force, torque };
}

/** One number as it is; the length of several. */
function sizeOf(values, from, places) {
  return places.length === 1 ? values[from + places[0]] : Math.hypot(...places.map((i) => values[from + i]));
}

/** Where laws act, and with which force: the sum over their rows of the forces for a unit of each. */
function contactsOf(places, out, width, count, laws, beside) {
  const at = new Float64Array(3 * count * places.length), force = new Float32Array(at.length);
  for (let k = 0; k < count; k++) {
    places.forEach((place, c) => {
      const from = k * width + place.at, to = 3 * (k * places.length + c);
      for (let i = 0; i < 3; i++) {
        at[to + i] = out[from + i];
        if (laws) place.rows.forEach((row, j) => (force[to + i] += laws[k * beside + row] * out[from + 3 * (j + 1) + i]));
      }
    });
  }
  return { at, force };
}
