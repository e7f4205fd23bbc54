import { element } from "./chart.js";
// The tabs at the side, and those of them that are only text.

export class Tabs {
  constructor(onOpen) {
    this.tabs = [...document.querySelectorAll("#tabs [role=tab]:not([hidden])")];
    this.onOpen = onOpen;
    this.tabs.forEach((tab, i) => {
      tab.addEventListener("click", () => this.open(i));
      tab.addEventListener("keydown", (e) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
        if (!by) return;
        e.stopPropagation();
        this.open((i + by + this.tabs.length) % this.tabs.length);
        this.tabs[(i + by + this.tabs.length) % this.tabs.length].focus();
      });
    });
    this.open(0);
  }

  open(i) {
    if (!this.tabs[i]) return;
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
