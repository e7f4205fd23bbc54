import { general } from "./words.js";
import { themed } from "../theme.js";
// A hand: in real time a body that is dragged is pulled by a spring with damping, drawn as a line, its force shown.

const HAND_RATE = 9, HAND_DAMPING = 0.8; // rad/s of all the mass on the spring, and its damping ratio

export class Hand {
  constructor(realTime, stage) {
    this.realTime = realTime;
    this.stage = stage;
    this.live = realTime.live;
    this.strength = 1;
    this.grip = null;
    if (!stage || !this.live.live.dragged) return;
    this.line = new THREE.Line2(new THREE.LineGeometry(), new THREE.LineMaterial({ linewidth: 2.5, depthTest: false, transparent: true }));
    this.line.geometry.setPositions([0, 0, 0, 0, 0, 0]);
    this.line.frustumCulled = false;
    this.line.renderOrder = 8;
    this.line.visible = false;
    stage.scene.add(this.line);
    const box = stage.canvas.parentElement;
    box.addEventListener("pointerdown", (e) => this.grab(e), true);
    box.addEventListener("pointermove", (e) => this.grip?.pointer === e.pointerId && this.move(e), true);
    for (const kind of ["pointerup", "pointercancel"]) box.addEventListener(kind, (e) => this.grip?.pointer === e.pointerId && this.letGo(e), true);
    stage.beforeDraw.add(() => this.draw());
  }

  get stiffness() {
    return this.strength * this.live.live.mass * HAND_RATE ** 2;
  }

  get damping() {
    return 2 * HAND_DAMPING * Math.sqrt(this.stiffness * this.live.live.mass);
  }

  grab(e) {
    if (!this.realTime.on || e.target !== this.stage.canvas || e.button) return;
    const hit = this.stage.hit(e);
    if (!hit?.body) return;
    e.stopPropagation();
    e.preventDefault();
    e.target.setPointerCapture?.(e.pointerId);
    const { eye, poses } = this.stage;
    const at = hit.point.clone().applyMatrix4(poses.matrices[hit.body].clone().invert());
    const across = { normal: eye.camera.getWorldDirection(new THREE.Vector3()), through: hit.point.clone() };
    this.grip = { body: hit.body, at, across, to: hit.point.clone().add(poses.origin), pointer: e.pointerId };
    this.stage.canvas.style.cursor = "grabbing";
    if (!this.realTime.running) this.realTime.pause(true);
    this.pull();
  }

  move(e) {
    e.stopPropagation();
    const { origin, direction } = this.stage.ray(e).ray, { normal, through } = this.grip.across;
    const along = through.clone().sub(origin).dot(normal) / direction.dot(normal); // to the plane of the picture through the grip
    if (!(along > 0)) return;
    this.grip.to.copy(direction).multiplyScalar(along).add(origin).add(this.stage.poses.origin);
    this.pull();
  }

  letGo(e) {
    e.stopPropagation();
    this.grip = null;
    this.stage.canvas.style.cursor = "";
    this.realTime.release();
  }

  pull() {
    const { body, at, to } = this.grip;
    this.realTime.pull(body, at.toArray(), to.toArray(), this.stiffness, this.damping);
  }

  /** The line from the point to the hand, and how strong the pull is. */
  draw() {
    const shown = document.getElementById("pulled");
    this.line.visible = Boolean(this.grip);
    shown.hidden = !this.grip;
    if (!this.grip) return;
    const { poses } = this.stage, { body, at, to } = this.grip;
    const from = poses.point(body, at.toArray()), end = to.clone().sub(poses.origin);
    this.line.material.color.set(themed("cut"));
    this.line.geometry.setPositions([...from, ...end]);
    shown.textContent = `${this.live.page.data.bodies[body].name}: pulled with ${general(this.stiffness * from.distanceTo(end), 3)} N (${general(this.stiffness, 3)} N/m)`;
  }
}
