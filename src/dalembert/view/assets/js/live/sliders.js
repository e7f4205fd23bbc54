import { element } from "../chart.js";
import { value as valueText } from "../ticks.js";
// The sliders' panel: one row each, what they set beside them, and a line for what there is to say.

const SLIDER_STEPS = 400, KINDS = { parameter: "Parameters", initial: "Initial values", speed: "Initial speeds", state: "Initial states", duration: "Time" };

export class SliderPanel {
  constructor(sliders, values, onChange) {
    this.sliders = sliders;
    this.values = values;
    this.onChange = onChange;
    this.catches = () => false; // whether something else takes the value of a slider that is dragged, as a dead point does
    this.box = document.getElementById("sliders");
    this.box.hidden = false;
    this.rows = new Map();
    const list = this.box.querySelector(".rows");
    for (const kind of Object.keys(KINDS)) {
      const own = sliders.filter((s) => s.kind === kind);
      if (own.length) list.append(element("h3", "", KINDS[kind]), ...own.map((s) => this.row(s)));
    }
    this.said = document.getElementById("said");
    this.bar = document.getElementById("marching");
    document.getElementById("reset").addEventListener("click", () => this.reset());
  }

  row(slider) {
    const label = element("label", "slider"), range = element("input"), shown = element("input");
    const spread = slider.max - slider.min;
    Object.assign(range, { type: "range", min: slider.min, max: slider.max, step: spread / SLIDER_STEPS, value: slider.value });
    range.id = `slider-${slider.name}`;
    Object.assign(shown, { type: "number", step: "any", value: readable(slider.value) });
    shown.setAttribute("aria-label", `${slider.name}${slider.unit ? `, ${slider.unit}` : ""}`);
    range.setAttribute("aria-label", slider.name);
    range.addEventListener("input", () => {
      const value = Number(range.value);
      if (!this.catches(slider, value)) this.set(slider, this.snapped(slider, value));
    });
    range.addEventListener("dblclick", () => this.set(slider, slider.value));
    shown.addEventListener("change", () => Number.isFinite(shown.valueAsNumber) && this.set(slider, shown.valueAsNumber));
    label.append(element("span", "", slider.name), range, shown, element("small", "", slider.unit));
    this.rows.set(slider, { range, shown, label });
    return label;
  }

  /** Exactly where it began, when a slider comes back to there: within half a step. */
  snapped(slider, value) {
    return Math.abs(value - slider.value) <= (0.5 * (slider.max - slider.min)) / SLIDER_STEPS ? slider.value : value;
  }

  set(slider, value, tell = true) {
    this.values.set(slider, value);
    this.show(slider);
    if (tell) this.onChange();
  }

  show(slider) {
    const { range, shown, label } = this.rows.get(slider);
    const now = this.values.get(slider);
    range.value = now;
    if (document.activeElement !== shown) shown.value = readable(now);
    label.classList.toggle("changed", now !== slider.value);
  }

  reset() {
    this.values.reset();
    for (const slider of this.sliders) this.show(slider);
    this.onChange();
  }

  /** A sentence in the package's own words; nothing where all is well. */
  say(sentence) {
    this.said.textContent = sentence ? sentence[0].toUpperCase() + sentence.slice(1) : "";
    this.said.hidden = !sentence;
  }

  /** How much of a long march is done, 0 … 1; null where none is under way. */
  progress(part) {
    this.bar.hidden = part === null;
    if (part !== null) this.bar.value = part;
  }
}

function readable(x) {
  return Number(x.toPrecision(6));
}

export function withUnit(x, unit) {
  return `${valueText(x)}${unit ? ` ${unit}` : ""}`;
}
