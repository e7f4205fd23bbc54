import { element } from "./chart.js";
// The graph of bodies and joints; choosing a body here chooses it in the scene.

export class Topology {
  constructor(data, panel, choose) {
    const key = element("div", "key");
    for (const [kind, words] of [["tree", "joint of the tree"], ["cut", "joint that closes a loop"]]) {
      const item = element("span");
      item.append(element("i", kind), words);
      if (kind === "tree" || data.joints.some((j) => j.cut)) key.append(item);
    }
    const field = element("div", "field");
    field.innerHTML = data.topology; // names in it were escaped when the page was written
    this.field = field;
    panel.append(key, field);
    if (data.blocks) {
      const blocks = element("div", "field blocks-field");
      blocks.innerHTML = data.blocks; // likewise
      panel.append(element("h2", "", "Elements"), blocks);
    }
    this.nodes = new Map();
    for (const node of field.querySelectorAll("[data-body]")) {
      const k = Number(node.dataset.body);
      this.nodes.set(k, node);
      if (k > 0) node.style.setProperty("--c", data.bodies[k].colour);
      const pressed = () => choose(k === 0 || node.classList.contains("chosen") ? null : k);
      node.addEventListener("click", pressed);
      node.addEventListener("keydown", (e) => {
        if (e.key === "Enter") pressed();
      });
    }
  }

  /** The ground in the middle of the field, where the graph is wider than it. */
  centre() {
    const field = this.field;
    const ground = this.nodes.get(0).getBoundingClientRect();
    const box = field.getBoundingClientRect();
    if (field.scrollWidth > field.clientWidth) field.scrollLeft += ground.left + ground.width / 2 - box.left - box.width / 2;
  }

  show(body) {
    for (const [k, node] of this.nodes) node.classList.toggle("chosen", k === body);
  }
}
