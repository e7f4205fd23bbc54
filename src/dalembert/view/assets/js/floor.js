// The floor: a grid that fades with distance, and the shadows on it.

const VERTEX = "varying vec3 at; void main() { at = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }";
const FRAGMENT = `
varying vec3 at; uniform vec3 colour; uniform float cell; uniform float reach;
float lines(float cell) { vec2 x = at.xy / cell; vec2 d = abs(fract(x - 0.5) - 0.5) / fwidth(x); return 1.0 - min(min(d.x, d.y), 1.0); }
void main() {
  float fade = pow(max(0.0, 1.0 - length(at.xy) / reach), 1.6);
  float ink = max(0.35 * lines(cell), 0.8 * lines(5.0 * cell)) * fade;
  if (ink < 0.004) discard;
  gl_FragColor = vec4(colour, ink);
  #include <colorspace_fragment>
}`;

export class Floor {
  constructor(look) {
    const reach = 7 * look.radius;
    const cell = 10 ** Math.floor(Math.log10(look.radius)) / 2;
    this.material = new THREE.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false, side: THREE.DoubleSide,
      uniforms: { colour: { value: new THREE.Color() }, cell: { value: cell }, reach: { value: reach } },
    });
    this.shade = new THREE.ShadowMaterial({ opacity: 0.2, depthWrite: false });
    this.group = new THREE.Group();
    const plane = new THREE.PlaneGeometry(2 * reach, 2 * reach);
    const shadows = new THREE.Mesh(plane, this.shade);
    shadows.receiveShadow = true;
    this.group.add(new THREE.Mesh(plane, this.material), shadows);
    const up = new THREE.Vector3().fromArray(look.up);
    this.group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
    const centre = new THREE.Vector3().fromArray(look.centre);
    const drop = look.floor - 0.04 * look.radius - centre.dot(up);
    this.place = centre.addScaledVector(up, drop);
  }

  show(origin) {
    this.group.position.subVectors(this.place, origin);
  }

  paint(grid, shadow) {
    this.material.uniforms.colour.value.set(grid);
    this.shade.opacity = Number(shadow);
  }
}
