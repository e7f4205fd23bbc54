// Names beside the bodies, in the page's own text.

export class Labels {
  constructor(data, box) {
    this.box = box;
    this.visible = false;
    this.tags = data.bodies.slice(1, 61).map((body, i) => {
      const tag = document.createElement("span");
      tag.textContent = body.name;
      tag.style.color = `color-mix(in srgb, ${body.colour} 65%, var(--ink))`;
      const solid = body.parts.find((p) => p.layer === "centres") ?? body.parts[0];
      return { tag, k: i + 1, at: solid ? solid.at : [0, 0, 0] };
    });
  }

  show(on) {
    this.visible = on;
    this.box.replaceChildren(...(on ? this.tags.map((t) => t.tag) : []));
  }

  place(poses, camera, width, height) {
    if (!this.visible) return;
    const v = new THREE.Vector3();
    for (const { tag, k, at } of this.tags) {
      poses.point(k, at, v).project(camera);
      tag.style.transform = `translate(${((v.x + 1) / 2) * width + 8}px, ${((1 - v.y) / 2) * height - 22}px)`;
      tag.style.visibility = v.z < 1 ? "visible" : "hidden";
    }
  }
}
