import { element } from "./chart.js";
import { Plot } from "./plot.js";
// What analyses found: sentences, tables, plots.

export function fillAnalysis(data, panel) {
  const tab = document.getElementById("tab-analysis");
  tab.hidden = !data.findings.length;
  return data.findings.flatMap((finding) => {
    panel.append(element("h2", "", finding.title));
    if (finding.text) panel.append(element("pre", "", finding.text));
    for (const [name, rows] of finding.tables) panel.append(...table(name, rows));
    const plots = finding.plots.map((plot) => new Plot(plot));
    panel.append(...plots.map((plot) => plot.card));
    return plots;
  });
}

function table(name, rows) {
  const made = element("table");
  rows.forEach((cells, i) => {
    const row = made.insertRow();
    for (const text of cells) row.append(element(i ? "td" : "th", "", text));
  });
  const box = element("div", "wide");
  box.append(made);
  return name ? [element("h3", "", name), box] : [box];
}
