// The ways of chosen points: the whole way faint, the part behind the present strong.

const MOST = 2000;

export class Traces {
  constructor(data, poses) {
    this.group = new THREE.Group();
    this.least = 1e-4 * data.look.radius;
    this.lay(data, poses);
  }

  /** The ways anew, as poses and points are now. */
  lay(data, poses) {
    for (const line of this.group.children) line.geometry.dispose();
    this.group.clear();
    this.lines = [];
    const frames = data.t.length;
    this.stride = Math.ceil(frames / MOST);
    for (const { body, at, way: own } of data.traces) {
      const way = thin(own ?? poses.path(body, at, frames), this.stride);
      if (!moves(way, this.least)) continue;
      const first = way.slice(0, 3);
      const from = way.map((x, i) => x - first[i % 3]);
      const line = (width, opacity) => {
        const geometry = new THREE.LineGeometry();
        geometry.setPositions(from);
        const made = new THREE.Line2(geometry, this.material(data.bodies[body].colour, width, opacity));
        made.frustumCulled = false;
        made.userData.first = new THREE.Vector3(...first);
        this.group.add(made);
        return made;
      };
      line(1.2, 0.3);
      this.lines.push(line(2, 0.95));
    }
  }

  material(color, linewidth, opacity) {
    this.materials ??= new Map();
    const key = `${color} ${linewidth}`;
    if (!this.materials.has(key)) this.materials.set(key, new THREE.LineMaterial({ color, linewidth, transparent: true, opacity, depthWrite: false }));
    return this.materials.get(key);
  }

  show(index, origin) {
    for (const line of this.group.children) line.position.subVectors(line.userData.first, origin);
    for (const line of this.lines) line.geometry.instanceCount = Math.floor(index / this.stride);
  }
}

/** Every so many-th point. */
function thin(way, stride) {
  if (stride === 1) return way;
  const made = [];
  for (let i = 0; i < way.length; i += 3 * stride) made.push(way[i], way[i + 1], way[i + 2]);
  return new Float64Array(made);
}

function moves(way, least) {
  for (let i = 3; i < way.length; i++) if (Math.abs(way[i] - way[i % 3]) > least) return true;
  return false;
}
