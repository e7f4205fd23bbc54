import { Reactions } from "./arrows.js";
import { Bending } from "./bending.js";
import { Eye } from "./camera.js";
import { Contacts } from "./contacts.js";
import { Floor } from "./floor.js";
import { multiply, replace, solids } from "./geometry.js";
import { Ghost } from "./ghost.js";
import { Labels } from "./labels.js";
import { Poses } from "./poses.js";
import { onTheme, themed } from "./theme.js";
import { Traces } from "./traces.js";
// The scene: solids, floor, lights, ways and arrows, drawn again whenever time, eye or colours change.

const ROLES = { joint: "joint", cut: "cut", axis: "axis", slide: "slide", centre: "centre", ground: "foot" };
const SHADOWS = 2500;

export class Stage {
  constructor(data, clock, canvas) {
    this.data = data;
    this.clock = clock;
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.scene = new THREE.Scene();
    this.poses = new Poses(data);
    this.bending = new Bending(data);
    this.solids = [...solids(data.bodies), ...this.bending.solids];
    this.traces = new Traces(data, this.poses);
    this.arrows = new Reactions(data);
    this.contacts = new Contacts(data, clock);
    this.floor = new Floor(data.look);
    this.labels = new Labels(data, document.getElementById("labels"));
    this.eye = new Eye(canvas, data.look, this.poses.origin);
    this.chosen = null;
    this.stale = true;
    this.ghosts = [];
    this.beforeDraw = new Set();
    this.scene.add(this.floor.group, this.traces.group, this.arrows.group, this.contacts.group, ...this.solids.map((s) => s.mesh));
    this.light();
    this.layers = this.listLayers();
    this.eye.controls.addEventListener("change", () => this.refresh());
    onTheme(() => this.paint());
    clock.onChange(() => this.refresh());
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
    this.paint();
    this.eye.fit();
    this.pick();
  }

  light() {
    const { look } = this.data;
    const up = new THREE.Vector3().fromArray(look.up);
    const sky = new THREE.HemisphereLight(0xffffff, 0xb8c2cc, 2.1);
    sky.position.copy(up);
    const side = new THREE.Vector3().fromArray(look.towards).cross(up).normalize();
    const sun = new THREE.DirectionalLight(0xffffff, 2.0);
    sun.position.copy(up).multiplyScalar(3 * look.radius).addScaledVector(new THREE.Vector3().fromArray(look.towards), 1.6 * look.radius);
    sun.position.addScaledVector(side, -1.2 * look.radius);
    const shaded = this.solids.reduce((sum, s) => sum + s.bodies.length, 0) <= SHADOWS;
    if (shaded) {
      this.renderer.shadowMap.enabled = true;
      this.renderer.shadowMap.type = THREE.PCFShadowMap;
      sun.castShadow = true;
      const r = 1.5 * look.radius;
      Object.assign(sun.shadow.camera, { left: -r, right: r, top: r, bottom: -r, near: 0.1 * look.radius, far: 9 * look.radius });
      sun.shadow.mapSize.set(2048, 2048);
      sun.shadow.normalBias = 0.3 * look.thickness;
      sun.shadow.bias = -0.0004;
      sun.shadow.radius = 4;
    }
    this.sun = sun;
    this.scene.add(sky, sun, sun.target);
  }

  /** What can be switched on and off: key → [words, on at first, how]. */
  listLayers() {
    const of = (layer) => this.solids.filter((s) => s.layer === layer).map((s) => s.mesh);
    const few = this.data.bodies.length <= 61;
    const every = {
      bodies: ["Bodies", true, of("bodies")],
      joints: ["Joints", true, of("joints")],
      axes: ["Axes", false, of("axes")],
      centres: ["Mass centres", few, of("centres")],
      ground: ["Floor", true, [this.floor.group, ...of("ground")]],
      traces: ["Traces", this.traces.lines.length > 0, [this.traces.group]],
      reactions: ["Reactions", false, this.arrows.count ? [this.arrows.group] : []],
      contacts: ["Contacts", true, this.contacts.count ? [this.contacts.group] : []],
      names: ["Names", false, []],
    };
    const made = {};
    for (const [key, [words, on, things]] of Object.entries(every)) {
      if (!things.length && key !== "names") continue;
      if (key === "traces" && !this.traces.lines.length) continue;
      made[key] = { words, on, things };
      this.switchLayer(made[key], key, on);
    }
    return made;
  }

  switchLayer(layer, key, on) {
    layer.on = on;
    for (const thing of layer.things) thing.visible = on;
    if (key === "names") this.labels.show(on);
    this.refresh();
  }

  paint() {
    const colour = new THREE.Color();
    const grey = new THREE.Color(themed("foot"));
    for (const s of this.solids) {
      s.paints.forEach((paint, i) => {
        colour.set(paint in ROLES ? themed(ROLES[paint]) : paint);
        if (this.chosen !== null && s.bodies[i] !== this.chosen && s.layer === "bodies") colour.lerp(grey, 0.72);
        s.mesh.setColorAt(i, colour);
      });
      s.mesh.instanceColor.needsUpdate = true;
    }
    this.floor.paint(themed("grid"), themed("shadow"));
    this.arrows.paint(themed("arrow"));
    this.contacts.paint(themed("contact"));
    this.refresh();
  }

  /** One body in colour, the others grey; null for all. */
  choose(body) {
    this.chosen = body;
    document.getElementById("chosen").textContent = body === null ? "" : this.data.bodies[body].name;
    this.paint();
  }

  /** A click without a drag chooses the body under it. */
  pick() {
    let down = null;
    this.canvas.addEventListener("pointerdown", (e) => (down = [e.clientX, e.clientY]));
    this.canvas.addEventListener("pointerup", (e) => {
      if (!down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4) return;
      this.onChoose?.(this.hit(e)?.body || null);
    });
  }

  /** The ray through a pointer's place. */
  ray(e) {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((e.clientX - box.left) / box.width) * 2 - 1, 1 - ((e.clientY - box.top) / box.height) * 2);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.eye.camera);
    return ray;
  }

  /** The body under a pointer and the point of it, from the origin of the poses; null where there is none. */
  hit(e) {
    const drawn = this.solids.filter((s) => s.mesh.visible && s.layer !== "axes");
    for (const s of drawn) s.mesh.computeBoundingSphere();
    const hit = this.ray(e).intersectObjects(drawn.map((s) => s.mesh), false)[0];
    return hit ? { body: drawn.find((s) => s.mesh === hit.object).bodies[hit.instanceId], point: hit.point } : null;
  }

  /** Another motion of the same mechanism; the ways of points are laid anew only where that is wished. */
  replace(motion, ways = true) {
    this.poses.replace(motion);
    this.arrows.force = motion.force;
    this.contacts.replace(motion.contacts);
    if (ways) this.traces.lay(this.data, this.poses);
    this.refresh();
  }

  /** Motions to compare with, each drawn as a ghost of the bodies. */
  setGhosts(motions) {
    for (const ghost of this.ghosts) this.scene.remove(...ghost.meshes);
    this.ghosts = motions.map((motion, i) => new Ghost(this.data, this.solids, motion, i));
    for (const ghost of this.ghosts) this.scene.add(...ghost.meshes);
    this.refresh();
  }

  /** Bodies drawn anew, after lengths have changed. */
  redraw() {
    replace(this.solids);
    this.refresh();
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    if (!clientWidth || !clientHeight) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.eye.resize(clientWidth, clientHeight);
    this.refresh();
  }

  refresh() {
    this.stale = true;
  }

  /** The middle of the bodies now, in the world. */
  middle() {
    return this.poses.middle(this.clock.place());
  }

  /** Draws, if anything has changed since the last picture. */
  draw() {
    this.eye.update();
    if (!this.stale) return;
    this.stale = false;
    const place = this.clock.place();
    this.eye.follow(this.middle());
    this.poses.set(place);
    this.floor.show(this.poses.origin);
    for (const s of this.solids) {
      if (!s.mesh.visible || !s.locals) continue; // those of elastic bodies are laid below
      const out = s.mesh.instanceMatrix.array;
      for (let i = 0; i < s.bodies.length; i++) multiply(this.poses.matrices[s.bodies[i]].elements, s.locals[i], out, 16 * i);
      s.mesh.instanceMatrix.needsUpdate = true;
    }
    this.bending.show(place, this.poses);
    this.traces.show(place.index, this.poses.origin);
    this.arrows.show(place, this.poses);
    this.contacts.show(place, this.poses);
    for (const ghost of this.ghosts) ghost.show(this.clock, this.poses.origin);
    for (const draw of this.beforeDraw) draw();
    this.renderer.render(this.scene, this.eye.camera);
    this.labels.place(this.poses, this.eye.camera, this.canvas.clientWidth, this.canvas.clientHeight);
  }
}
