import { element } from "./chart.js";
// Keys, and the sheet that tells them.

export function listenToKeys({ clock, fit, theme, tabs, realTime, chosen }) {
  const keys = document.getElementById("keys");
  const actions = {
    " ": ["Space", "play or pause", () => (realTime()?.on ? realTime().pause() : clock.play())],
    ArrowLeft: ["←  →", "one frame back or on (ten with shift)", (e) => clock.step(e.shiftKey ? -10 : -1)],
    ArrowRight: [null, null, (e) => (realTime()?.on ? realTime().step() : clock.step(e.shiftKey ? 10 : 1))],
    ArrowUp: ["↑  ↓", "in real time: push the joint of the chosen body", () => push(1)],
    ArrowDown: [null, null, () => push(-1)],
    r: ["R", "real time on or off", () => realTime()?.switch()],
    Home: ["Home  End", "first or last frame", () => clock.seek(clock.first)],
    End: [null, null, () => clock.seek(clock.last)],
    "+": ["+  −", "faster or slower", () => clock.faster(1)],
    "-": [null, null, () => clock.faster(-1)],
    "=": [null, null, () => clock.faster(1)],
    l: ["L", "start again at the end, or not", () => { clock.loop = !clock.loop; clock.tell("loop"); }],
    f: ["F", "fit the mechanism into the view", fit],
    t: ["T", "dark or light", theme],
    1: ["1 … 5", "plots, graph, equations, model, analysis", () => tabs.open(0)],
    2: [null, null, () => tabs.open(1)],
    3: [null, null, () => tabs.open(2)],
    4: [null, null, () => tabs.open(3)],
    5: [null, null, () => tabs.open(4)],
    "?": ["?", "this sheet", () => keys.showModal()],
  };
  const push = (sign) => {
    const now = realTime();
    if (!now?.on) return;
    const { joints, push: strengths } = now.live.live;
    const speed = joints[Math.max(0, (chosen() ?? 1) - 1)]?.[0] ?? 0;
    now.push(speed, sign * strengths[speed]);
  };
  document.addEventListener("keyup", (e) => ["ArrowUp", "ArrowDown"].includes(e.key) && realTime()?.on && realTime().push(0, 0));
  keys.querySelector("dl").append(
    ...Object.values(actions).filter(([key]) => key).flatMap(([key, words]) => [element("dt", "", key), element("dd", "", words)]),
  );
  document.getElementById("help").addEventListener("click", () => keys.showModal());
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || keys.open) return;
    const action = actions[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    const own = e.target.closest("input:not([type=range]), select, textarea");
    const pressed = e.key === " " && e.target.closest("button, [role=button]");
    if (!action || own || pressed || (/^Arrow(Up|Down)$/.test(e.key) && !realTime()?.on)) return;
    e.preventDefault();
    action[2](e);
  });
}
