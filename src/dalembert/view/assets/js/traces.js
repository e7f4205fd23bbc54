// The ways of chosen points: the whole way faint, the part behind the present strong.

export class Traces {
  constructor(data, poses) {
    this.group = new THREE.Group();
    this.lines = [];
    const frames = data.t.length;
    const least = 1e-4 * data.look.radius;
    for (const [body, local] of data.traces) {
      const way = poses.path(body, local, frames);
      if (!moves(way, least)) continue;
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(way, 3));
      const colour = new THREE.Color(data.bodies[body].colour);
      const whole = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity: 0.28, depthWrite: false }));
      const passed = new THREE.Line(geometry.clone(), new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity: 0.95, depthWrite: false }));
      for (const line of [whole, passed]) {
        line.frustumCulled = false;
        this.group.add(line);
      }
      this.lines.push(passed);
    }
  }

  show(index) {
    for (const line of this.lines) line.geometry.setDrawRange(0, index + 1);
  }
}

function moves(way, least) {
  for (let i = 3; i < way.length; i++) if (Math.abs(way[i] - way[i % 3]) > least) return true;
  return false;
}
