"""What goes into a page that simulates: the code, how its memory is laid out and begun, and where everything shown stands in it."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.constraints.assembly.assemble import off_at
from dalembert.constraints.assembly.reach import sides_of
from dalembert.constraints.nonsmooth.at_state import INSIDE
from dalembert.mechanism import Mechanism
from dalembert.simulation.error_sizes import speed_units
from dalembert.simulation.march.memory import Layout, fill_inputs, fill_memory
from dalembert.simulation.march.program import Program
from dalembert.simulation.march.sampling import sample_clocks
from dalembert.simulation.time_stepping.stepping_program import SteppingProgram
from dalembert.topology import loops
from dalembert.trace.native.wasm import WasmModule
from dalembert.view.encode import array
from dalembert.view.live.live_laws import law_source, places_drawn
from dalembert.view.live.live_model import LiveModel
from dalembert.view.live.live_program import CLOSING, LiveProgram, live_programs
from dalembert.view.live.page_actions import acting_data, enforced_rows
from dalembert.view.live.sentences import SENTENCES
from dalembert.view.live.shown import Shown
from dalembert.view.live.sliders import Slider
from dalembert.view.series import Chart

STARTS, SEED = 24, 0
"""Starts from which loops are closed, as `assemble` makes them."""
ROUGH = 2.0
"""How many times as far open as the motion's own start loops may stay, where numbers of few digits leave them open."""


def packaged(
    live: LiveModel, shown: Shown, geometry: Sequence[Any], sliders: Sequence[Slider], charts: Sequence[Chart]
) -> dict[str, Any]:
    """Data for the page."""
    sides, lengths = _sides(live, len(geometry))
    programs = live_programs(live, shown, [*geometry, *lengths])
    linked = [p.linked() for p in programs]
    first, m, o = programs[0], live.mechanism, live.options
    return {
        "code": [_zipped(w) for w in linked],
        "heaps": [w.heap for w in linked],
        "name": m.name,
        "words": live.words,
        "coordinates": list(m.coordinates),
        "speeds": list(m.speeds),
        "states": {"names": list(m.states), "at": m.states_at},
        "unknowns": first.unknowns,
        "beside": first.beside - m.n_z,
        "gaps": watched_gaps(live, first),
        "places": places_drawn(live, first, shown.layout),
        "acting": _acting(live, first),
        "parameters": {name: float(x) for name, x in m.parameters.items()},
        "layout": _places(first.layout),
        "inputLayout": _places(first.input_layout),
        "memory": array(first_memory(live, first), "float64"),
        "inputs": [array(first_inputs(live, p), "float64") for p in programs],
        "work": first.notes["work"],
        "samples": _places(shown.layout),
        "sampleSize": shown.layout.size,
        "geometrySize": len(geometry) + len(lengths),
        "options": {
            "method": o.method.name, "adaptive": o.method.adaptive, "rtol": o.rtol, "step": o.step, "maxSteps": o.max_steps,
            "start": o.start,
        },
        "times": array(o.times, "float64"),
        "events": [{"name": e.name, "terminal": e.terminal} for e in live.events],
        "start": _start(live, first),
        "loops": sides,
        "dragged": first.dragged,
        "mass": _mass(live),
        "joints": _pushed(m),
        "push": _pushes(live),
        "watched": "distance" in first.layout.parts,
        "periods": list(sample_clocks(m).periods),
        "sliders": [s.data for s in sliders],
        "charts": [_sources(live, shown, c) for c in charts],
        "leftOut": dict(shown.left_out),
        "sentences": SENTENCES,
    }  # fmt: skip


def _zipped(w: WasmModule) -> str:
    return base64.b64encode(gzip.compress(w.code, 9, mtime=0)).decode("ascii")


def watched_gaps(live: LiveModel, program: Program) -> list[dict[str, Any]]:
    """Gaps of laws that are on, where they stand in working memory, and the least at which nothing has gone through."""
    if not isinstance(program, SteppingProgram) or not live.mechanism.laws:
        return []
    table, at = program.table, program.rhs.places["gap"]
    gaps = [(i, e.normal) for i, e in enumerate(table.elements) if e.normal is not None and e.has_gap]
    on = [(i, r) for i, r in gaps if live.mechanism.laws[table.elements[i].law].on]
    return [{"law": table.title(i), "at": at + r, "least": -INSIDE * float(live.kept.law_sizes[r])} for i, r in on]


def _acting(live: LiveModel, program: LiveProgram) -> dict[str, Any] | None:
    """What events do."""
    solved = enforced_rows(live.motion) or {}
    if not isinstance(program, SteppingProgram) or not (program.acting or solved):
        return None
    sizes = live.kept.law_sizes
    least = {e.normal: -INSIDE * float(sizes[e.normal]) for e in program.table.elements if e.normal is not None}
    return acting_data(program, live.events, least, solved)


def _places(layout: Layout) -> dict[str, list[int]]:
    return {name: [at.start, at.stop] for name, at in layout.parts.items()}


def first_memory(live: LiveModel, program: Program) -> np.ndarray:
    """The integrator's memory at the start; the page puts another state there."""
    memory, beside = np.zeros((program.layout.size, 1)), np.zeros(program.beside - live.mechanism.n_z)
    y = np.concatenate([live.q, live.u, live.z, beside])
    atol = np.concatenate([live.options.atol, live.options.state_atol, beside])
    fill_memory(memory, program, live.mechanism, live.options, y, atol)
    if "theta" in program.layout.parts:
        program.layout.view(memory, "theta")[:] = live.options.theta
    return np.where(np.isfinite(memory[:, 0]), memory[:, 0], 1e300)


def first_inputs(live: LiveModel, program: Program) -> np.ndarray:
    """What the equations are given at the start: parameters, scales of rows, the mode of laws."""
    inputs = np.zeros((program.input_layout.size, 1))
    fill_inputs(inputs, program, np.array([*live.mechanism.parameters.values()], dtype=float))
    if isinstance(program, SteppingProgram):
        inputs[program.mode_at, 0] = program.first_mode(live.mechanism, live.q, live.options.start).numbers
    return inputs[:, 0]


def _start(live: LiveModel, program: LiveProgram) -> dict[str, Any]:
    """Where a start comes from, and what assembly must know of it."""
    m, (q, u), (fixed, fixed_speeds) = live.mechanism, live.unassembled, live.fixed
    made: dict[str, Any] = {
        "q": array(q, "float64"), "u": array(u, "float64"), "fixed": fixed, "fixedSpeeds": fixed_speeds,
        "deforming": list(m.deforming),
    }  # fmt: skip
    if not m.constraint_rows:
        return made
    rows = m.rows
    return made | {
        "places": program.notes["start"],
        "prefix": CLOSING if isinstance(program, SteppingProgram) else "",
        "tolerance": max(m.scales.closed, ROUGH * off_at(m, live.q, live.options.start)),
        "steps": array(m.scales.speeds, "float64"),
        "sizes": array(m.scales.sizes[m.n_q :], "float64"),
        "still": [float(live.kept.sizes[k]) for k in program.notes["still"]],
        "tried": array(start_displacements(m), "float64"),
        "rowSizes": {name: [float(x) for x in live.kept.sizes[rows.of_owner(name)]] for name in m.constraint_rows},
        "cuts": [c.name for c in m.cuts],
    }


def start_displacements(m: Mechanism) -> np.ndarray:
    """Displacements along all speeds, as `assemble` makes them: loops are closed from there if they cannot be closed from the start."""
    rng = np.random.default_rng(SEED)
    return np.array(
        [
            rng.uniform(-1.0, 1.0, m.n_u) * (0.3 if i < STARTS // 3 else np.pi) * m.scales.speeds
            for i in range(STARTS - 1)
        ]
    )


def _mass(live: LiveModel) -> float:
    """Mass of all bodies: by it a hand's spring is made."""
    return float(sum(float(b.mass) for b in live.mechanism.numeric.bodies)) or 1.0


def _pushes(live: LiveModel) -> list[float]:
    """Generalized force of a key on every speed: half the weight, at the length of the mechanism where it turns."""
    weight = 0.5 * 9.81 * _mass(live)
    return [weight * (live.mechanism.scales.length if unit == "rad/s" else 1.0) for unit in speed_units(live.mechanism)]


def _pushed(m: Mechanism) -> list[list[int]]:
    """Places in u that a key pushes, by the body that is chosen: those of its joint; speeds that were chosen one after the other."""
    if m.variables is None:
        return [list(j.columns) for j in m.joints]
    return [[min(k, m.n_u - 1)] if m.n_u else [] for k in range(m.n_bodies)]


def _sides(live: LiveModel, begin: int) -> tuple[list[dict[str, Any]], list[Any]]:
    """Loops in words, with the sides of those that are polygons; their coordinates are further expressions of the geometry."""
    m, found = live.mechanism, []
    lengths: list[Any] = []
    for cut, loop, bodies in zip(m.cuts, loops(m.tree), m.loops):
        sides = None if m.elastic else sides_of(m, loop)
        at = {name: begin + len(lengths) + 3 * i for i, name in enumerate(sides or ())}
        lengths += [x for v in (sides or {}).values() for x in v]
        found.append({"name": cut.name, "bodies": list(bodies), "sides": at})
    return found, lengths


def _sources(live: LiveModel, shown: Shown, c: Chart) -> dict[str, Any]:
    """Where each curve of a plot comes from: a place in the row of (q, u, z), one in that of a sample, or several put together."""
    m, at = live.mechanism, shown.layout.parts
    kind, _, rest = c.key.partition(":")
    if kind == "energy":
        a = at["energy"].start
        return {"key": c.key, "curves": [{"at": a}, {"at": a + 1}, {"sum": [a, a + 3]}]}
    if kind == "energy_change":
        a = at["energy"].start
        return {"key": c.key, "curves": [{"change": [a, a + 3]}]}
    prescribed = list(m.prescribed)

    def source(name: str, i: int) -> dict[str, Any] | None:
        if kind.startswith("law_"):
            return law_source(kind, name, m.law_table, shown.layout)
        if kind == "q":
            if name in prescribed:
                return {"at": at["prescribed"].start + prescribed.index(name)}
            return {"row": m.coordinates.index(name)}
        if kind == "u":
            return {"row": m.n_q + m.speeds.index(name)}
        if kind == "z":
            return {"row": m.n_q + m.n_u + m.states.index(name)}
        place = at.get(f"{kind} {name}" if kind in ("gap", "signal") else f"output {name}")
        if kind == "gap":
            return None if place is None else {"norm": [place.start, place.stop]}
        if place is None or place.stop - place.start > 1:
            place = at.get(f"output {rest}")
            return None if place is None else {"at": place.start + i}
        return {"at": place.start}

    return {"key": c.key, "curves": [source(name, i) for i, name in enumerate(c.names)]}
