"""A motion as one HTML file that opens by double click, offline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.atomic import write_whole
from dalembert.errors import SimulationError
from dalembert.mechanism import Mechanism
from dalembert.motion.motion import Motion
from dalembert.parts.forces.points import point
from dalembert.view.about import equations, facts, inspection
from dalembert.view.bundle import document
from dalembert.view.drawing.joint_frames import on_child
from dalembert.view.drawing.primitives import Primitive
from dalembert.view.drawing.scene import Scene, scene
from dalembert.view.drawing.topology_svg import topology_svg
from dalembert.view.drawing.wires import Wire, deflections, wire
from dalembert.view.encode import array, rounded
from dalembert.view.findings import encoded, findings
from dalembert.view.series import charts, reactions
from dalembert.view.shown_samples import quaternions, thinned

BUDGET = 15_000_000
"""Bytes of numbers in a page; more samples than fit are thinned out evenly."""
EXACT = 14
"""Digits of places: they may be far from where they are measured from, and yet near each other."""
MODULES = (
    "decode", "theme", "clock", "geometry", "poses", "bending", "camera", "floor", "labels", "traces", "arrows", "stage", "ticks",
    "chart", "charts", "topology", "panels", "plot", "analysis", "transport", "keyboard", "main",
)  # fmt: skip


def write_page(
    motion: Motion,
    path: str | Path,
    traces: Iterable[Any] | None = None,
    reactions: Sequence[str] | None = None,
    results: Iterable[Any] = (),
) -> Path:
    """See `Motion.page`."""
    target = Path(path)
    write_whole(target, page_html(motion, traces, reactions, BUDGET, results).encode("utf-8"), "page")
    return target


def page_html(
    motion: Motion,
    traces: Iterable[Any] | None,
    reactions: Sequence[str] | None,
    budget: int = BUDGET,
    results: Iterable[Any] = (),
) -> str:
    """The whole document as text."""
    data = page_data(motion, traces, reactions, budget, results)
    return document("page.html", "page.css", ("vendor/three.min.js",), MODULES, data, title=data["name"])


def page_data(
    motion: Motion,
    traces: Iterable[Any] | None,
    wanted: Sequence[str] | None,
    budget: int,
    results: Iterable[Any] = (),
) -> dict[str, Any]:
    """Everything the page shows."""
    if motion.mechanism is None:
        raise SimulationError(
            "this motion was loaded without its mechanism; give it with da.load_motion(path, mechanism=m)"
        )
    m = motion.mechanism.with_parameters(**motion.record["parameters"]).numeric
    drawn = [w for w in (wire(k, b) for k, b in enumerate(m.bodies, start=1)) if w is not None]
    extra = 6 * (len(wanted) if wanted else 0) + sum(3 * len(w.nodes) for w in drawn)
    shown = thinned(motion, budget, extra)
    bodies = shown.body_motion()
    view = scene(m, bodies.rotation, bodies.position)
    forces = reactions(shown, wanted)
    plots = charts(shown)
    return {
        "name": m.name,
        "version": str(motion.record.get("version", "")),
        "samples": len(motion),
        "t": array(shown.t, "float64"),
        "position": array(bodies.position, "float64"),
        "quaternion": array(quaternions(bodies.rotation)),
        "bodies": [
            {"name": name, "colour": colour, "parts": [_part(p) for p in parts if not p.bent]}
            for name, colour, parts in zip(["ground", *motion.bodies], view.colours, view.parts)
        ],
        "wires": [_wire(shown, w, view.thickness) for w in view.wires],
        "joints": _joints(m),
        "look": _look(view),
        "traces": [_trace(shown, m, p) for p in (_chosen(traces, m) if traces is not None else _ends(m, view))],
        "charts": [
            {"key": c.key, "title": c.title, "unit": c.unit, "names": list(c.names), "values": array(c.values)}
            for c in plots
        ],
        "reactions": {
            "joints": list(forces.joints),
            "force": array(forces.force),
            "torque": array(forces.torque),
            "note": forces.note,
        },
        "topology": topology_svg(m),
        "equations": equations(motion.mechanism),
        "inspection": inspection(shown),
        "facts": facts(motion),
        "events": [[e.name, e.t] for e in motion.events[:200]],
        "findings": encoded(findings(results, m)),
    }


def _part(p: Primitive) -> dict[str, Any]:
    made: dict[str, Any] = {"kind": p.kind, "layer": p.layer, "at": rounded(p.position, EXACT), "size": rounded(p.size)}
    made["turn"] = rounded(quaternions(p.rotation[None, None])[0, 0])
    if p.colour:
        made["colour"] = p.colour
    if p.opacity < 1.0:
        made["opacity"] = p.opacity
    if p.vertices is not None and p.faces is not None:
        middle = p.vertices.mean(axis=0)
        made["at"] = rounded(p.position + p.rotation @ (p.size * middle), EXACT)
        made |= {"vertices": array(p.vertices - middle), "faces": array(p.faces, "uint32")}
    return made


def _wire(motion: Motion, w: Wire, radius: float) -> dict[str, Any]:
    """Points of an elastic body, how they are joined, and how far they are displaced at every sample."""
    moved = {"points": array(w.points), "deflections": array(deflections(motion, w))}
    return {"body": w.body, "radius": radius, "edges": [list(e) for e in w.edges], **moved}


def _joints(m: Mechanism) -> list[dict[str, Any]]:
    """Every joint with the bodies it connects and its point on the child."""
    tree = [(j.name, m.parent[k], k + 1, on_child(m, j, k + 1), False) for k, j in enumerate(m.joints)]
    cuts = [(c.name, c.parent, c.child, on_child(m, c, c.child), True) for c in m.cuts]
    return [
        {"name": name, "parent": a, "child": b, "at": rounded(place.position, EXACT), "cut": cut}
        for name, a, b, place, cut in tree + cuts
    ]


def _look(s: Scene) -> dict[str, Any]:
    vectors = {"centre": 0.5 * (s.low + s.high), "low": s.low, "high": s.high, "up": s.up, "towards": s.towards}
    lengths = {"thickness": s.thickness, "radius": s.radius, "floor": s.floor, "travels": s.travels}
    return {name: rounded(v, EXACT) for name, v in vectors.items()} | lengths


def _chosen(given: Iterable[Any], m: Mechanism) -> list[Any]:
    points = [point(x, "page: traces") for x in given]
    for p in points:
        m.state().body_number(p.body)
    return points


def _trace(motion: Motion, m: Mechanism, p: Any) -> list[Any]:
    """A point of a body; on an elastic one its way besides, because it moves in the body."""
    k = m.number_of[p.body]
    bends = k and m.bodies[k - 1].modes
    return [k, rounded(p.at, EXACT), *([array(motion.position(p), "float64")] if bends else [])]


def _ends(m: Mechanism, view: Scene) -> list[Any]:
    """Ends of the bodies that carry nothing (of all, where they are few): what lies farthest from the joint that carries them."""
    parents = set(m.parent)
    found = []
    for k in range(1, m.n_bodies + 1):
        if k in parents and m.n_bodies > 3:
            continue
        drawn = [p for p in view.parts[k] if p.layer == "bodies"]
        body = m.bodies[k - 1]
        joint = on_child(m, m.joints[k - 1], k).position
        if body.nodes:
            far = max(body.nodes, key=lambda x: float(np.linalg.norm(body.nodes[x].r - joint)))
            found.append(point((body.name, far), "page"))
        elif drawn:
            far = max((p.position for p in drawn), key=lambda x: float(np.linalg.norm(x - joint)))
            found.append(point((body.name, tuple(far)), "page"))
    return found[:8]
