import { element } from "./chart.js";
// The tabs at the side, and those of them that are only text.

export class Tabs {
  constructor(onOpen) {
    this.tabs = [];
    this.onOpen = onOpen;
    for (const tab of document.querySelectorAll("#tabs [role=tab]:not([hidden])")) this.add(tab);
    this.open(0);
  }

  /** One more, in its place among those that are shown. */
  add(tab) {
    const every = [...document.querySelectorAll("#tabs [role=tab]")], open = this.tabs[this.at];
    this.tabs = [...this.tabs, tab].sort((a, b) => every.indexOf(a) - every.indexOf(b));
    this.at = this.tabs.indexOf(open);
    tab.tabIndex = -1;
    tab.addEventListener("click", () => this.open(this.tabs.indexOf(tab)));
    tab.addEventListener("keydown", (e) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!by) return;
      e.stopPropagation();
      this.open((this.tabs.indexOf(tab) + by + this.tabs.length) % this.tabs.length);
      this.tabs[this.at].focus();
    });
  }

  open(i) {
    if (!this.tabs[i]) return;
    this.at = i;
    this.tabs.forEach((tab, k) => {
      tab.setAttribute("aria-selected", k === i);
      tab.tabIndex = k === i ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = k !== i;
    });
    this.onOpen(this.tabs[i].getAttribute("aria-controls"));
  }
}

export function fillEquations(data, panel) {
  panel.append(element("p", "note", data.equations.text));
  if (!data.equations.html) return;
  const copy = element("button", "", "Copy LaTeX");
  copy.addEventListener("click", async () => {
    await navigator.clipboard?.writeText(data.equations.latex);
    copy.textContent = "Copied";
  });
  const written = element("div");
  written.innerHTML = data.equations.html; // MathML from expressions; names in it were escaped when the page was written
  panel.append(written, copy);
}

export function fillModel(data, panel) {
  const table = element("table");
  for (const [name, text] of data.facts) {
    const row = table.insertRow();
    row.insertCell().textContent = name;
    row.insertCell().textContent = text;
  }
  panel.append(element("h2", "", "Inspection"), element("pre", "", data.inspection), element("h2", "", "How it was computed"), table);
  panel.append(element("footer", "", `Made with dalembert ${data.version}. Drawn with three.js (MIT licence).`));
}

export function fillHeader(data) {
  const cuts = data.joints.filter((j) => j.cut).length;
  const counts = [[data.bodies.length - 1, "body", "bodies"], [data.joints.length, "joint", "joints"], [cuts, "loop", "loops"]];
  const words = counts.filter(([n]) => n > 0).map(([n, one, many]) => `${n} ${n === 1 ? one : many}`);
  words.push(`${data.samples} samples`);
  document.getElementById("counts").append(...words.map((w) => element("span", "", w)));
}
