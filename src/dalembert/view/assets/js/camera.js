// The eye: orbit, zoom, shift; fitted to the scene, or going along with it. Its place is measured from the origin of the poses.

const BUTTONS = 130;
const SHIFT = 22;

export class Eye {
  constructor(canvas, look, origin) {
    this.look = look;
    this.origin = origin;
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01 * look.radius, 200 * look.radius);
    this.camera.up.fromArray(look.up);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.minDistance = 0.1 * look.radius;
    this.controls.maxDistance = 60 * look.radius;
    this.height = 600;
    this.following = false;
    this.last = null;
  }

  /** Of the picture, in pixels; a little lower than its middle, to leave room for the buttons at its top. */
  resize(width, height) {
    this.height = height;
    this.camera.aspect = width / height;
    this.camera.setViewOffset(width, height, 0, -SHIFT, width, height);
  }

  /** All of the mechanism in sight, from where it is seen best; `centre` is in the world. */
  fit(centre = null) {
    const target = (centre ?? new THREE.Vector3().fromArray(this.look.centre)).sub(this.origin);
    this.controls.target.copy(target);
    this.camera.position.fromArray(this.look.towards).multiplyScalar(this.distance()).add(target);
    this.controls.update();
  }

  /** From where the corners of all that moves fill most of the picture. */
  distance() {
    const { low, high, towards } = this.look;
    const middle = new THREE.Vector3().fromArray(this.look.centre);
    this.camera.position.fromArray(towards);
    this.camera.lookAt(0, 0, 0);
    const turn = this.camera.quaternion.clone().invert();
    const half = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const tall = half * Math.max(0.55, 1 - BUTTONS / this.height);
    const wide = 0.88 * half * this.camera.aspect;
    let distance = 0.5 * this.look.radius;
    for (let i = 0; i < 8; i++) {
      const corner = new THREE.Vector3(i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]);
      corner.sub(middle).applyQuaternion(turn);
      distance = Math.max(distance, corner.z + Math.abs(corner.x) / wide, corner.z + Math.abs(corner.y) / tall);
    }
    return distance;
  }

  /** Goes along with the middle of the bodies by shifting the origin, and with it eye and aim. */
  follow(middle) {
    if (!this.following) {
      this.last = null;
      return;
    }
    if (this.last) this.origin.add(middle).sub(this.last);
    this.last = middle;
  }

  /** A still eye needs no new picture. */
  update() {
    return this.controls.update();
  }
}
