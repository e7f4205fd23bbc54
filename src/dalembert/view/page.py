"""A motion as one HTML file that opens by double click, offline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.atomic import write_whole
from dalembert.errors import SimulationError
from dalembert.mechanism import Mechanism
from dalembert.motion.motion import Motion
from dalembert.motion.quaternions import quaternions
from dalembert.parts.forces.points import Point, point
from dalembert.view.about import equations, facts, inspection
from dalembert.view.bundle import document
from dalembert.view.contact_arrows import contact_arrows
from dalembert.view.drawing.block_diagram import block_diagram
from dalembert.view.drawing.joint_frames import on_child, place_on_child
from dalembert.view.drawing.primitives import Primitive
from dalembert.view.drawing.scene import Scene, scene
from dalembert.view.drawing.topology_svg import topology_svg
from dalembert.view.drawing.traced_places import expression_of, has_symbols
from dalembert.view.drawing.wires import Wire, deflections, wire
from dalembert.view.encode import array, rounded
from dalembert.view.findings import encoded, findings
from dalembert.view.law_series import law_charts, marks
from dalembert.view.live.design import Design
from dalembert.view.live.live_laws import law_formulas
from dalembert.view.live.live_model import LiveModel, live_model, refusal
from dalembert.view.live.package import packaged
from dalembert.view.live.shown import Shown
from dalembert.view.live.sliders import sliders_of
from dalembert.view.series import Chart, Reactions, charts, reactions
from dalembert.view.shown_samples import thinned
from dalembert.view.signal_series import signal_charts

BUDGET = 15_000_000
"""Bytes of numbers in a page; more samples than fit are thinned out evenly."""
EXACT = 14
"""Digits of places: they may be far from where they are measured from, and yet near each other."""
MODULES = (
    "decode", "theme", "clock", "geometry", "poses", "bending", "camera", "floor", "labels", "traces", "arrows",
    "contacts", "ghost", "stage",
    "ticks", "chart", "charts", "topology", "panels", "plot", "analysis", "transport", "keyboard", "live/mathematics", "live/words",
    "live/machine", "live/start", "live/acting", "live/march", "live/shown_motion", "live/values", "live/sliders", "live/history",
    "live/real_time", "live/hand", "live/keep", "live/tools", "live/sweep", "live/polygon", "live/design",
    "live/frame", "live/live", "main",
)  # fmt: skip


def write_page(
    motion: Motion,
    path: str | Path,
    traces: Iterable[Any] | None = None,
    reactions: Sequence[str] | None = None,
    results: Iterable[Any] = (),
    live: bool | None = False,
    sliders: Iterable[Any] | None = None,
) -> Path:
    """See `Motion.page`."""
    target = Path(path)
    text = page_html(motion, traces, reactions, BUDGET, results, live, sliders)
    write_whole(target, text.encode("utf-8"), "page")
    return target


def page_html(
    motion: Motion,
    traces: Iterable[Any] | None,
    reactions: Sequence[str] | None,
    budget: int = BUDGET,
    results: Iterable[Any] = (),
    live: bool | None = False,
    sliders: Iterable[Any] | None = None,
) -> str:
    """The whole document as text."""
    data = page_data(motion, traces, reactions, budget, results, live, sliders)
    return document(
        "page.html", "page.css", ("vendor/three.min.js",), MODULES, data, "live" in data, title=data["name"]
    )


def page_data(
    motion: Motion,
    traces: Iterable[Any] | None,
    wanted: Sequence[str] | None,
    budget: int,
    results: Iterable[Any] = (),
    live: bool | None = False,
    sliders: Iterable[Any] | None = None,
) -> dict[str, Any]:
    """Everything the page shows, and where it is to be live everything that it marches with."""
    if motion.mechanism is None:
        raise SimulationError(
            "this motion was loaded without its mechanism; give it with da.load_motion(path, mechanism=m)"
        )
    m = motion.mechanism.with_parameters(**motion.record["parameters"]).numeric
    drawn = [w for w in (wire(k, b) for k, b in enumerate(m.bodies, start=1)) if w is not None]
    extra = 6 * (len(wanted) if wanted else 0) + sum(3 * len(w.nodes) for w in drawn)
    shown = thinned(motion, budget, extra)
    again, why_not = _again(shown, live, sliders)
    bodies = shown.body_motion()
    view = scene(m, bodies.rotation, bodies.position, again.mechanism if again else None)
    forces = _without_laws(shown, again, wanted)
    plots = [*charts(shown), *signal_charts(shown), *law_charts(shown)]
    follows = Following(again.mechanism if again else m)
    points = _chosen(traces, m) if traces is not None else _ends(m, view)
    made = {
        "name": m.name,
        "version": str(motion.record.get("version", "")),
        "samples": len(motion),
        "t": array(shown.t, "float64"),
        "position": array(bodies.position, "float64"),
        "quaternion": array(quaternions(bodies.rotation)),
        "bodies": [
            {"name": name, "colour": colour, "parts": [_part(p, follows) for p in parts if not p.bent]}
            for name, colour, parts in zip(["ground", *motion.bodies], _colours(view), view.parts)
        ],
        "wires": [_wire(shown, w, view.thickness) for w in view.wires],
        "joints": _joints(m, follows),
        "look": _look(view),
        "traces": [_trace(shown, m, p, middle, follows) for p, middle in points],
        "charts": [
            {"key": c.key, "title": c.title, "unit": c.unit, "names": list(c.names), "values": array(c.values)}
            for c in plots
        ],
        "reactions": _reactions(forces),
        **_diagrams(m),
        "equations": equations(motion.mechanism),
        "inspection": inspection(shown),
        "facts": facts(motion),
        **_happened(motion, shown, m, again is not None),
        "findings": encoded(findings(results, m)),
        "whyNotLive": why_not,
    }
    if again is not None:
        made["live"] = _live(again, m, points, forces.joints, view, plots, follows, sliders)
    return made


def _happened(motion: Motion, shown: Motion, m: Mechanism, live: bool) -> dict[str, Any]:
    """Events of the whole motion, and what touches at the samples shown, or may touch in others."""
    return {"events": [list(mark) for mark in marks(motion)], "contacts": contact_arrows(shown, m, live)}


def _diagrams(m: Mechanism) -> dict[str, str]:
    """Bodies and joints as a graph, elements as blocks."""
    return {"topology": topology_svg(m), "blocks": block_diagram(m)}


def _live(
    again: LiveModel, m: Mechanism, points: Sequence[Any], joints: Sequence[str], view: Scene, plots: Sequence[Chart],
    follows: Following, sliders: Iterable[Any] | None,
) -> dict[str, Any]:  # fmt: skip
    """What the page marches with."""
    ways = [p for p, _ in points if _bends(m, p)]
    signals = [name for c in plots if c.key.startswith("signal") for name in c.names]
    design = Design(again, [p for p, _ in points])
    further = design.formulas | (law_formulas(again) if again.stepping else {})
    quantities = Shown(again.mechanism.kernels, joints, view.wires, ways, further, signals, design.polygons)
    return packaged(again, quantities, follows.expressions, sliders_of(again, sliders), plots) | {"design": design.data}


def _without_laws(shown: Motion, again: LiveModel | None, wanted: Sequence[str] | None) -> Reactions:
    """Reactions; none where a page marches by impulses, which has none between its steps."""
    if again is None or not again.stepping:
        return reactions(shown, wanted)
    note = "not shown in a page that marches by impulses; motion.reaction has them"
    return replace(reactions(shown, ()), note=note)


def _reactions(forces: Any) -> dict[str, Any]:
    joints, note = list(forces.joints), forces.note
    return {"joints": joints, "force": array(forces.force), "torque": array(forces.torque), "note": note}


def _again(shown: Motion, live: bool | None, sliders: Any) -> tuple[LiveModel | None, str]:
    """What the page marches, where it is to be live, and why it only plays back where it was to be live if possible. Refused in words
    where it must be live and cannot be."""
    if live is False:
        if sliders is not None:
            raise SimulationError("page: sliders are for a page that simulates; say live=True as well")
        return None, ""
    why = refusal(shown)
    if why and live:
        raise SimulationError(f"page: live=True is not possible. {why} Leave out live, and the page plays back")
    return (None, why) if why else (live_model(shown), "")


class Following:
    """Expressions of parameters that the drawing follows, one behind the other."""

    def __init__(self, m: Mechanism):
        self.mechanism = m
        self.expressions: list[Any] = []

    def add(self, kind: str, values: Any) -> dict[str, Any]:
        """Where the expressions stand, for the page; nothing where there is no parameter in them."""
        if not has_symbols(values):
            return {}
        self.expressions += list(values)
        return {"follows": [kind, len(self.expressions) - len(values)]}


def _colours(view: Scene) -> list[str]:
    """Colours of bodies for their traces and the graph: those that they are drawn in, where no two have the same."""
    own = [
        next((p.colour for p in parts if p.layer == "bodies" and p.colour), usual)
        for usual, parts in zip(view.colours, view.parts)
    ]
    return own if len(set(own[1:])) == len(own) - 1 else view.colours


def _part(p: Primitive, follows: Following) -> dict[str, Any]:
    made: dict[str, Any] = {"kind": p.kind, "layer": p.layer, "at": rounded(p.position, EXACT), "size": rounded(p.size)}
    if p.expression is not None and p.vertices is None:
        made |= follows.add(*p.expression)
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


def _joints(m: Mechanism, follows: Following) -> list[dict[str, Any]]:
    """Every joint with the bodies it connects and its point on the child."""
    of = follows.mechanism
    tree = [(j.name, m.parent[k], k + 1, place_on_child(m, of, k), False) for k, j in enumerate(m.joints)]
    cuts = [(c.name, c.parent, c.child, place_on_child(m, of, k, cut=True), True) for k, c in enumerate(m.cuts)]
    return [
        {"name": name, "parent": a, "child": b, "at": rounded(at, EXACT), "cut": cut}
        | follows.add("point", expression_of(at))
        for name, a, b, at, cut in tree + cuts
    ]


def _look(s: Scene) -> dict[str, Any]:
    vectors = {"centre": 0.5 * (s.low + s.high), "low": s.low, "high": s.high, "up": s.up, "towards": s.towards}
    lengths = {"thickness": s.thickness, "radius": s.radius, "floor": s.floor, "travels": s.travels}
    return {name: rounded(v, EXACT) for name, v in vectors.items()} | lengths


def _chosen(given: Iterable[Any], m: Mechanism) -> list[tuple[Any, Any]]:
    points = [point(x, "page: traces") for x in given]
    for p in points:
        m.state().body_number(p.body)
    return [(p, None) for p in points]


def _trace(motion: Motion, m: Mechanism, p: Any, middle: Any, follows: Following) -> dict[str, Any]:
    """A point of a body, and what it follows; on an elastic body its way besides, because it moves in the body."""
    made = {"body": m.number_of[p.body], "at": rounded(p.at, EXACT)}
    if _bends(m, p):
        return made | {"way": array(motion.position(p), "float64")}
    return made | ({} if middle is None else follows.add("point", middle))


def _bends(m: Mechanism, p: Any) -> bool:
    k = m.number_of[p.body]
    return bool(k and m.bodies[k - 1].modes)


def _ends(m: Mechanism, view: Scene) -> list[tuple[Any, Any]]:
    """Ends of the bodies that carry nothing (of all, where they are few): what lies farthest from the joint that carries them."""
    parents = set(m.parent)
    found: list[tuple[Point, np.ndarray | None]] = []
    for k in range(1, m.n_bodies + 1):
        if k in parents and m.n_bodies > 3:
            continue
        drawn = [p for p in view.parts[k] if p.layer == "bodies"]
        body = m.bodies[k - 1]
        joint = on_child(m, m.joints[k - 1], k).position
        if body.nodes:
            far = max(body.nodes, key=lambda x: float(np.linalg.norm(body.nodes[x].r - joint)))
            found.append((point((body.name, far), "page"), None))
        elif drawn:
            far_part = max(drawn, key=lambda p: float(np.linalg.norm(p.position - joint)))
            found.append((point((body.name, tuple(far_part.position)), "page"), far_part.middle))
    return found[:8]
