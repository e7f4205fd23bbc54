import { fillAnalysis } from "./analysis.js";
import { Charts } from "./charts.js";
import { Clock } from "./clock.js";
import { readData } from "./decode.js";
import { listenToKeys } from "./keyboard.js";
import { fillEquations, fillHeader, fillModel, Tabs } from "./panels.js";
import { Stage } from "./stage.js";
import { startTheme, switchTheme } from "./theme.js";
import { Topology } from "./topology.js";
import { Transport } from "./transport.js";
import { element } from "./chart.js";
import { follow } from "./geometry.js";
import { bringToLife, plain } from "./live/live.js";
// Puts the parts together and draws them, picture by picture.

function makeStage(data, clock) {
  try {
    return new Stage(data, clock, document.getElementById("scene"));
  } catch (problem) {
    console.warn(`no scene: ${problem.message}`);
    document.getElementById("no-webgl").hidden = false;
    return null;
  }
}

function layerButtons(stage) {
  const box = document.getElementById("layers");
  for (const [key, layer] of Object.entries(stage.layers)) {
    const button = element("button", "", layer.words);
    button.dataset.layer = key;
    button.setAttribute("aria-pressed", layer.on);
    button.addEventListener("click", () => {
      stage.switchLayer(layer, key, !layer.on);
      button.setAttribute("aria-pressed", layer.on);
    });
    box.append(button);
  }
}

function eyeButtons(stage, travels) {
  const follow = document.getElementById("follow");
  const set = (on) => {
    stage.eye.following = on;
    follow.setAttribute("aria-pressed", on);
    stage.refresh();
  };
  follow.addEventListener("click", () => set(!stage.eye.following));
  set(travels);
  stage.eye.last = stage.poses.middle({ index: 0, part: 0 }); // the eye is fitted to the start, wherever the clock begins
}

/** How much deflections are enlarged, where anything bends. */
function bendingChoice(stage) {
  const label = document.getElementById("bending");
  const choice = label.querySelector("select");
  label.hidden = !stage.bending.wires.length;
  for (const s of [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]) choice.append(new Option(`${s} ×`, s));
  choice.addEventListener("change", () => {
    stage.bending.scale = Number(choice.value);
    stage.refresh();
  });
}

function start() {
  startTheme();
  const data = readData();
  const clock = new Clock(data.t);
  const stage = makeStage(data, clock);
  const fit = () => stage?.eye.fit(stage.eye.following ? stage.middle() : null);
  document.getElementById("fit").addEventListener("click", fit);
  let topology = null;
  const choose = (body) => {
    stage?.choose(body);
    topology.show(body);
  };
  topology = new Topology(data, document.getElementById("graph"), choose);
  if (stage) {
    stage.onChoose = choose;
    layerButtons(stage);
    eyeButtons(stage, data.look.travels);
    bendingChoice(stage);
  }
  fillHeader(data);
  fillEquations(data, document.getElementById("equations"));
  fillModel(data, document.getElementById("model"));
  const findings = fillAnalysis(data, document.getElementById("analysis"));
  const charts = new Charts(data, clock, document.getElementById("plots"));
  const transport = new Transport(data, clock);
  const tabs = new Tabs((id) => {
    charts.refresh();
    if (id === "graph") topology.centre();
  });
  if (findings.length || data.findings.length) tabs.open(tabs.tabs.findIndex((tab) => tab.id === "tab-analysis"));
  listenToKeys({ clock, fit, theme: switchTheme, tabs, realTime: () => window.dalembert.live?.realTime, chosen: () => stage?.chosen });
  const page = { data, clock, stage, charts, transport, topology, tabs, findings, live: null };
  page.showMotion = (motion, ways = true) => showMotion(page, motion, ways);
  page.follow = (numbers) => followParameters(page, numbers);
  const picture = (wall) => {
    page.live?.advance(wall);
    clock.advance(wall);
    stage?.draw();
    charts.draw();
    requestAnimationFrame(picture);
  };
  requestAnimationFrame(picture);
  const asked = /[#&]t=([-+.\deE]+)/.exec(location.hash);
  if (asked) clock.seek(Number(asked[1]));
  else if (!matchMedia("(prefers-reduced-motion: reduce)").matches) clock.play(true);
  window.dalembert = page;
  if (data.whyNotLive) plain(data.whyNotLive);
  if (data.live) page.ready = bringToLife(page).then((live) => (page.live = live));
}

/** Another motion of the same mechanism, in place of the one that is shown. */
function showMotion({ data, clock, stage, charts, transport }, motion, ways) {
  Object.assign(data, { t: motion.t, position: motion.position, quaternion: motion.quaternion });
  Object.assign(data.reactions, { force: motion.force, torque: motion.torque });
  data.wires.forEach((wire, i) => (wire.deflections = motion.deflections[i]));
  data.traces.filter((trace) => trace.way).forEach((trace, i) => (trace.way = motion.ways[i]));
  transport.events = motion.events ?? [];
  stage?.replace(motion, ways);
  charts.replace(motion.charts, motion);
  clock.retime(motion.t);
}

/** The drawing as the present parameters have it. */
function followParameters({ data, stage }, numbers) {
  const things = [...data.bodies.flatMap((body) => body.parts), ...data.joints, ...data.traces].filter((thing) => thing.follows);
  if (!things.length) return;
  follow(things, numbers);
  stage?.redraw();
}

start();
