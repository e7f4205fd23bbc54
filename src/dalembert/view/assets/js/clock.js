// The time shown: playing, paused, sought; and the frames on both sides of it.

export const SPEEDS = [1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32, 64];
/** Seconds of the reader for which an event stands out after it has happened. */
export const FLASH = 0.35;

export class Clock {
  constructor(times) {
    this.times = times;
    this.first = times[0];
    this.last = times[times.length - 1];
    this.now = this.first;
    this.playing = false;
    this.loop = true;
    this.speed = this.usualSpeed();
    this.listeners = new Set();
    this.before = null;
  }

  /** Other times: of a motion marched anew. What was shown stays as far as it is there. */
  retime(times) {
    this.times = times;
    this.first = times[0];
    this.last = times[times.length - 1];
    this.now = Math.min(this.last, Math.max(this.first, this.now));
    this.tell("times");
  }

  /** The whole motion in between about 3 and 40 seconds. */
  usualSpeed() {
    const length = this.last - this.first;
    const wanted = length > 40 ? length / 40 : length < 3 ? length / 3 : 1;
    return SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best), 1);
  }

  onChange(listener) {
    this.listeners.add(listener);
  }

  tell(what) {
    for (const listener of this.listeners) listener(what);
  }

  seek(time) {
    this.now = Math.min(this.last, Math.max(this.first, time));
    this.tell("time");
  }

  play(on = !this.playing) {
    if (on && this.now >= this.last) this.now = this.first;
    this.playing = on && this.last > this.first;
    this.before = null;
    this.tell("playing");
  }

  /** Whole frames on or back. */
  step(count) {
    this.play(false);
    const { index, part } = this.place();
    const from = count < 0 && part > 0 ? index + 1 : index;
    this.seek(this.times[Math.min(this.times.length - 1, Math.max(0, from + count))]);
  }

  faster(by) {
    const at = SPEEDS.indexOf(this.speed);
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))];
    this.tell("speed");
  }

  /** Called before each picture, with the wall's milliseconds. */
  advance(wall) {
    if (!this.playing) return;
    const passed = this.before === null ? 0 : Math.min(0.25, (wall - this.before) / 1000);
    this.before = wall;
    let next = this.now + passed * this.speed;
    if (next > this.last) {
      if (this.loop) next = this.first + ((next - this.first) % (this.last - this.first));
      else {
        this.seek(this.last);
        this.play(false);
        return;
      }
    }
    this.seek(next);
  }

  /** The frame at or before a time, and which part of the way to the next has passed. */
  place(time = this.now, times = this.times) {
    let low = 0;
    let high = times.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle;
      else high = middle;
    }
    if (high === 0) return { index: 0, part: 0 };
    if (time >= times[high]) return { index: high, part: 0 };
    return { index: low, part: (time - times[low]) / (times[high] - times[low]) };
  }
}
