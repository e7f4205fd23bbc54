// What a motion is marched from: parameters, initial values and speeds, and how long; as the sliders set them.

export class Values {
  constructor(live, times) {
    this.live = live;
    this.names = Object.keys(live.parameters);
    this.times = times;
    this.span = times[times.length - 1] - live.options.start;
    this.reset();
  }

  reset() {
    const { parameters, start } = this.live;
    this.parameters = Float64Array.from(Object.values(parameters));
    this.q = Float64Array.from(start.q);
    this.u = Float64Array.from(start.u);
    this.fixed = new Set(start.fixed);
    this.fixedSpeeds = new Set(start.fixedSpeeds);
    this.duration = this.span;
    this.snapped = false;
  }

  /** A whole pose to begin from, of which these speeds' coordinates are kept. */
  snap(q, fixed) {
    this.q = Float64Array.from(q);
    this.fixed = new Set(fixed);
    this.snapped = true;
  }

  /** Back from a pose to what was given. */
  unsnap() {
    const { start } = this.live;
    this.q = Float64Array.from(start.q);
    this.fixed = new Set(start.fixed);
    this.snapped = false;
  }

  get(slider) {
    return { parameter: this.parameters, state: this.parameters, initial: this.q, speed: this.u }[slider.kind]?.[slider.at] ?? this.duration;
  }

  /** What a slider sets; an initial value or speed that is set is kept from then on. */
  set(slider, value) {
    if (slider.kind === "parameter" || slider.kind === "state") this.parameters[slider.at] = value;
    else if (slider.kind === "duration") this.duration = value;
    else if (slider.kind === "initial") {
      if (this.snapped) this.unsnap();
      this.q[slider.at] = value;
      if (slider.given || value !== slider.value) this.fixed.add(slider.speed);
      else this.unfix(slider);
    } else {
      this.u[slider.at] = value;
      if (slider.given || value !== slider.value) this.fixedSpeeds.add(slider.speed);
      else {
        this.fixedSpeeds.delete(slider.speed);
        this.u[slider.at] = this.live.start.u[slider.at];
      }
    }
  }

  /** Back to what was not given: solved for, from where it was. */
  unfix(slider) {
    this.fixed.delete(slider.speed);
    this.q[slider.at] = this.live.start.q[slider.at];
  }

  /** Times of the outputs: as they were, or as closely spaced up to another end. */
  outputs() {
    if (this.duration === this.span) return this.times;
    const { start } = this.live.options, count = this.times.length;
    const step = (this.times[count - 1] - this.times[0]) / Math.max(1, count - 1);
    const wanted = Math.max(2, Math.min(20000, Math.floor(this.duration / step + 1e-9) + 1));
    return Float64Array.from({ length: wanted }, (_, i) => (i === wanted - 1 ? start + this.duration : start + (i * this.duration) / (wanted - 1)));
  }

  /** For `Start.find`. */
  begin() {
    return {
      q: this.q, u: this.u, fixed: [...this.fixed].sort((a, b) => a - b), fixedSpeeds: [...this.fixedSpeeds].sort((a, b) => a - b),
      parameters: this.parameters, time: this.live.options.start,
    };
  }

  /** Whether anything differs from what the page was made with. */
  changes(sliders) {
    return sliders.filter((s) => this.get(s) !== s.value);
  }
}
