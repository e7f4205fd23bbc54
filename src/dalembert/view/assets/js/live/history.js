// What happened in real time: samples one behind the other, of which the last seconds are shown.

const MOST_FRAMES = 36000, WINDOW = 600;

export class History {
  constructor() {
    this.count = 0;
    this.parts = null;
  }

  /** One more sample, as `shownMotion` gives it; the oldest go where there are too many. */
  append(motion) {
    const flat = flattened(motion);
    this.parts ??= flat.map((x) => ({ size: x.length, values: new x.constructor(x.length * 1024) }));
    if (this.count === MOST_FRAMES) this.forget(MOST_FRAMES / 4);
    this.parts.forEach((part, i) => {
      if ((this.count + 1) * part.size > part.values.length) {
        const larger = new part.values.constructor(2 * part.values.length + part.size);
        larger.set(part.values);
        part.values = larger;
      }
      part.values.set(flat[i], this.count * part.size);
    });
    this.shape = motion;
    this.count++;
  }

  forget(count) {
    for (const { size, values } of this.parts) values.copyWithin(0, count * size, this.count * size);
    this.count -= count;
  }

  /** The last samples as a motion; all of them where none is said. */
  motion(last = this.count) {
    const from = Math.max(0, this.count - last);
    const views = this.parts.map(({ size, values }) => values.subarray(from * size, this.count * size));
    return assembled(this.shape, views);
  }

  window() {
    return this.motion(WINDOW);
  }
}

function flattened({ t, rows, laws, contacts, position, quaternion, force, torque, charts, deflections, ways }) {
  return [t, rows, laws, contacts.at, contacts.force, position, quaternion, force, torque, ...charts.filter(Boolean), ...deflections, ...ways];
}

function assembled(shape, views) {
  const [t, rows, laws, at, of, position, quaternion, force, torque, ...rest] = views;
  const contacts = { at, force: of };
  const charts = shape.charts.map((chart) => chart && rest.shift());
  const deflections = shape.deflections.map(() => rest.shift());
  const ways = shape.ways.map(() => rest.shift());
  return { t, rows, laws, contacts, position, quaternion, force, torque, charts, deflections, ways, events: [] };
}
