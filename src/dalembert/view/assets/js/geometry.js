// Solids of all bodies, drawn in a few calls: one instanced mesh for each kind, layer and opacity.

const UNITS = {
  box: () => new THREE.BoxGeometry(1, 1, 1),
  sphere: (fine) => new THREE.SphereGeometry(1, fine ? 32 : 14, fine ? 20 : 10),
  cylinder: (fine) => new THREE.CylinderGeometry(1, 1, 1, fine ? 32 : 12).rotateX(Math.PI / 2),
  ring: () => new THREE.TorusGeometry(1, 0.16, 10, 36),
};

function placed(part) {
  return new THREE.Matrix4().compose(
    new THREE.Vector3(...part.at), new THREE.Quaternion(...part.turn), new THREE.Vector3(...part.size),
  );
}

function triangles(part) {
  const made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.BufferAttribute(part.vertices, 3));
  made.setIndex(new THREE.BufferAttribute(part.faces, 1));
  const split = made.toNonIndexed();
  split.computeVertexNormals();
  return split;
}

/** Groups of primitives: {mesh, layer, bodies, locals, paints}. */
export function solids(bodies) {
  const groups = new Map();
  const count = bodies.reduce((sum, body) => sum + body.parts.length, 0);
  bodies.forEach((body, k) => {
    body.parts.forEach((part, i) => {
      const own = part.kind === "mesh" ? `${k}.${i}` : "";
      const key = [part.kind, part.layer, part.opacity ?? 1, own].join("|");
      if (!groups.has(key)) groups.set(key, { part, entries: [] });
      groups.get(key).entries.push({ k, part, body });
    });
  });
  return [...groups.values()].map(({ part, entries }) => {
    const geometry = part.kind === "mesh" ? triangles(part) : UNITS[part.kind](count < 2500);
    const clear = (part.opacity ?? 1) < 1;
    const material = new THREE.MeshStandardMaterial({ roughness: 0.5, metalness: 0.08, transparent: clear, opacity: part.opacity ?? 1, depthWrite: !clear });
    const mesh = new THREE.InstancedMesh(geometry, material, entries.length);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.frustumCulled = false;
    if (part.kind === "ring") {
      material.depthTest = false; // a closed loop is marked even inside a solid
      mesh.renderOrder = 5;
    }
    mesh.castShadow = part.kind !== "ring" && part.layer !== "axes" && !clear;
    mesh.receiveShadow = part.layer === "bodies";
    return {
      mesh,
      layer: part.layer,
      bodies: entries.map((e) => e.k),
      parts: entries.map((e) => e.part),
      locals: entries.map((e) => placed(e.part).elements),
      paints: entries.map((e) => e.part.colour ?? e.body.colour),
    };
  });
}

/** Primitives, joints and points moved to where numbers of the present parameters have them: see `follows` in page.py. */
export function follow(things, numbers) {
  const turn = new THREE.Quaternion(), z = new THREE.Vector3(0, 0, 1), along = new THREE.Vector3();
  for (const thing of things) {
    const [kind, from] = thing.follows;
    const x = numbers.subarray(from, from + 6);
    if (kind !== "bar") {
      for (let i = 0; i < 3; i++) thing.at[i] = x[i];
      if (kind === "part") for (let i = 0; i < 3; i++) thing.size[i] = x[3 + i];
      continue;
    }
    for (let i = 0; i < 3; i++) thing.at[i] = 0.5 * (x[i] + x[3 + i]);
    along.set(x[3] - x[0], x[4] - x[1], x[5] - x[2]);
    thing.size[2] = along.length();
    if (thing.size[2] > 0) turn.setFromUnitVectors(z, along.divideScalar(thing.size[2])).toArray(thing.turn);
  }
}

/** Where the parts of groups are drawn on their bodies, anew. */
export function replace(groups) {
  for (const group of groups) {
    if (group.parts) group.locals = group.parts.map((part) => placed(part).elements);
  }
}

/** Into `out` at `at`: the product of two affine 4 × 4 matrices in columns. */
export function multiply(a, b, out, at) {
  for (let c = 0; c < 4; c++) {
    const x = b[4 * c], y = b[4 * c + 1], z = b[4 * c + 2], w = c === 3 ? 1 : 0;
    out[at + 4 * c] = a[0] * x + a[4] * y + a[8] * z + a[12] * w;
    out[at + 4 * c + 1] = a[1] * x + a[5] * y + a[9] * z + a[13] * w;
    out[at + 4 * c + 2] = a[2] * x + a[6] * y + a[10] * z + a[14] * w;
    out[at + 4 * c + 3] = w;
  }
}
