"""What is asked of a mechanism, in the terms of its original drawing, and whether two answers are the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.formulations.tree import kane
from tests.invariance.redrawing import Seen
from tests.invariance.transformations import SHIFT, Anew, as_it_is

TOLERANCE = 1e-9
"""Of every answer, relative to the largest of its kind, or to a metre, kilogram and second, the size of all mechanisms here."""
DIGITS = 1e-15
"""Of what is far from the origin, a metre in so many is below what can be said: positions are known to `DIGITS` × distance."""
SAMPLES = 4
UNSEEN = 1e-13
"""Part of the kinetic energy that an impact takes at least, to be counted: of the last ones of many that accumulate, lower than what
the tolerance resolves, there may be one more or less."""
PROBE = (0.1, -0.2, 0.3)


@dataclass
class Answers:
    """Verdicts, which must be equal, and values, each an array by name."""

    verdicts: dict[str, Any] = field(default_factory=dict)
    values: dict[str, np.ndarray] = field(default_factory=dict)


def quick(x: Anew) -> Answers:
    """What needs no machine code: verdict, body accelerations and kinetic energy from the equations on numbers."""
    made = Answers()
    _told(made, "diagnosis", lambda: _verdict(x))
    if "diagnosis" in made.verdicts and isinstance(made.verdicts["diagnosis"], str):
        return made
    q, u = x.state
    s = x.mechanism.numeric.state(q, u, x.t)
    e = kane.equations(s)
    solution = METHODS["svd"](e)
    made.verdicts["redundant rows"] = len(e.gamma) - solution.rank
    made.values["accelerations on numbers"] = _accelerations(x, s, solution.udot)
    made.values["kinetic energy on numbers"] = np.array([0.5 * u @ e.A @ u]) / x.drawing.unit(2, 1, -2)
    if any(v is not None for j in x.mechanism.joints for v in j.law.u):
        del made.values["kinetic energy on numbers"]  # what time moves has energy besides
    for name in x.case.system.elements:
        _of_element(x, s, name, made)
    return made


def _signal(name: str, s: Any) -> Any:
    return s.signal(name)


def _of_element(x: Anew, s: Any, name: str, made: Answers) -> None:
    """What an element stores, and what becomes heat in it."""
    for what, unit in (("stored", x.drawing.unit(2, 1, -2)), ("dissipated", x.drawing.unit(2, 1, -3))):
        made.values[f"{what} in {name}"] = np.array([s.signal(f"{x.drawing.other(name)}.{what}")], dtype=float) / unit


def compiled(x: Anew, simulate: bool = True) -> Answers:
    """What machine code computes: accelerations, energies, Jacobians; over a short motion positions, outputs, events, reactions."""
    made = Answers()
    _told(made, "machine code", lambda: _at_once(x, made))
    if simulate and made.verdicts["machine code"] == "computed":
        _told(made, "motion", lambda: _motion(x, made))
    return made


def _at_once(x: Anew, made: Answers) -> str:
    """What one state is asked for."""
    d, m = x.drawing, x.mechanism
    q, u = x.state
    made.values["accelerations"] = _accelerations(x, m.numeric.state(q, u, x.t), m.forward_dynamics(q, u, t=x.t))
    energies = m.energies(q, u, x.t) / d.unit(2, 1, -2)
    made.values["kinetic energy"] = energies[:1]
    made.values["potential energy"] = energies[1:] + _raised(x)
    if x.case.system.laws:
        found = m.laws_at(q, u, t=x.t)
        made.verdicts["laws"] = [found[d.other(name)].state for name in x.case.system.laws]
        made.values["power of laws"] = np.array([found.exerted @ u]) / d.unit(2, 1, -3)
    still = m.numeric.state(q, np.zeros(m.n_u), x.t)
    moved = m.numeric.state(q, u, x.t)
    for name in x.case.system.bodies:
        if not _elastic(x, name):
            at = d.point(da.Point(name, np.array(PROBE)))
            w, v = np.split(m.point_jacobian(at, q, x.t) @ u, 2)
            made.values[f"point velocity of {name}"] = np.concatenate(
                [
                    d.direction(w + still.angular_velocity(at.body) - moved.angular_velocity(at.body), time=-1),
                    d.direction(v + still.velocity(at) - moved.velocity(at), length=1, time=-1),
                    d.direction(v, length=1, time=-1),
                ]
            )
    return "computed"


def _motion(x: Anew, made: Answers) -> Any:
    d, m, T = x.drawing, x.mechanism, x.drawing.time
    q, u = x.state
    kinds = {name: p.joint for name, p in x.case.system.joints.items()}
    name = next(b for b in x.case.system.bodies if not _elastic(x, b))
    start = x.case.mechanism.numeric.state(x.case.q, x.case.u, x.case.t)
    level = start.position((name, PROBE)) + 0.4 * 0.06 * start.velocity((name, PROBE))
    along = start.velocity((name, PROBE))

    def passed(s: Any) -> Any:
        return along @ (Seen(s, d, kinds).position((name, PROBE)) - level)

    span = x.case.duration * T
    motion = m.simulate(span, q, u, start=x.t, rtol=1e-11, output=span / SAMPLES, events={"passed": passed})
    for name in x.case.system.bodies:
        new = d.body(name)
        made.values[f"positions of {name}"] = np.array([d.position(p) for p in motion.position(new)])
        made.values[f"velocities of {name}"] = d.direction(motion.velocity(new).T, length=1, time=-1).T
    made.values["kinetic energies"] = motion.energy().kinetic / d.unit(2, 1, -2)
    hit = [e.t for e in motion.events]
    made.values["event"] = np.array(hit) / T - x.case.t
    seen = motion.evaluate(lambda s: Seen(s, d, kinds).position((name, PROBE))[0])
    made.values["an output"] = np.asarray(seen)
    for joint in x.case.system.joints:
        _reaction(x, motion, joint, made)
    if x.case.system.laws:
        _laws(x, motion, made)
    for element in x.case.system.elements:
        stored = motion.evaluate(partial(_signal, f"{d.other(element)}.stored"))
        made.values[f"stored in {element}, moving"] = np.asarray(stored) / d.unit(2, 1, -2)
    return len(hit)


def _laws(x: Anew, motion: Any, made: Answers) -> None:
    """What laws did: states, gaps, losses, impacts and changes of mode; forces where they are unique."""
    d, energy = x.drawing, x.drawing.unit(2, 1, -2)
    for name in x.case.system.laws:
        found = motion.contacts[d.other(name)]
        made.verdicts[f"states of {name}"] = found.state.tolist()
        made.values[f"loss of {name}"] = found.loss / energy
    seen = [i for i in motion.impacts if i.loss > UNSEEN * motion.energy().kinetic.max()]
    made.verdicts["impacts"] = sorted(next(n for n in x.case.system.laws if d.other(n) == i.law) for i in seen)
    made.values["times of impacts"] = np.array(sorted(i.t for i in seen)) / d.time
    made.values["losses of impacts"] = np.array([np.sum([i.loss for i in motion.impacts])]) / energy
    made.values["times of modes"] = np.array([c.t for c in motion.modes]) / d.time
    made.values["energy lost"] = motion.energy().lost / energy
    step = x.case.duration * d.time / 64
    stepped = x.mechanism.simulate(
        x.case.duration * d.time, *x.state, start=x.t, method="moreau", step=step, output=4 * step
    )
    for name in x.case.system.bodies:
        new = d.body(name)
        made.values[f"positions of {name}, stepped"] = np.array([d.position(p) for p in stepped.position(new)])


def _reaction(x: Anew, motion: Any, joint: str, made: Answers) -> None:
    d, swapped = x.drawing, x.ends_swapped(joint)
    sign, end = (-1.0, "parent") if swapped else (1.0, "child")
    if not x._same_ends(joint):
        return
    found = motion.reaction(d.joint(joint), at=end, axes=end)
    made.verdicts[f"determined at {joint}"] = tuple(np.ravel(found.determined))
    force, torque = sign * found.force[:2] / d.unit(1, 1, -2), sign * found.torque[:2] / d.unit(2, 1, -2)
    made.values[f"reaction of {joint}"] = np.concatenate([force * found.determined[0], torque * found.determined[1]])


def _verdict(x: Anew) -> tuple[Any, ...]:
    q, _ = x.state
    found = x.mechanism.diagnose(q, t=x.t)
    return found.mobility, found.redundant, found.shaky, found.rank - found.rank_here


def _told(made: Answers, name: str, ask: Any) -> None:
    """The verdict, or the kind of refusal."""
    try:
        made.verdicts[name] = ask()
    except da.DalembertError as problem:
        made.verdicts[name] = type(problem).__name__


def _elastic(x: Anew, body: str) -> bool:
    return bool(x.case.system.bodies[body].modes)


def _accelerations(x: Anew, s: Any, udot: np.ndarray) -> np.ndarray:
    """Of all bodies, in the order of the original."""
    d, a = x.drawing, s.accelerations(udot)
    found = []
    for name in x.case.system.bodies:
        k = x.mechanism.number_of[d.body(name)]
        found += [d.direction(a[k].w, time=-2), d.direction(a[k].v, length=1, time=-2)]
    return np.concatenate(found)


def _raised(x: Anew) -> Any:
    """The potential energy that the world's shift takes from all weights."""
    m = x.case.mechanism.numeric
    return sum(b.mass for b in m.bodies) * (m.gravity @ (x.drawing.R.T @ x.drawing.p))


# -- comparing ------------------------------------------------------------------------------------------------------------
def differences(before: Answers, after: Answers, how: str = "") -> list[str]:
    """Every answer that is not the same, in words."""
    assert before.values.keys() & after.values.keys() or before.verdicts.keys() & after.verdicts.keys(), (
        "nothing is compared"
    )
    found = [
        f"{name}: {before.verdicts.get(name)} became {after.verdicts.get(name)}"
        for name in before.verdicts.keys() & after.verdicts.keys()
        if before.verdicts.get(name) != after.verdicts.get(name)
    ]
    for name in before.values.keys() & after.values.keys():
        a, b = before.values[name], after.values[name]
        if a.shape != b.shape:
            found.append(f"{name}: {a.shape} values became {b.shape}")
            continue
        off, size = np.abs(a - b).max(initial=0.0), max(1.0, np.abs(a).max(initial=0.0))
        if not off <= tolerance(how) * size:
            found.append(f"{name}: off by {off / size:.1e}")
    return found


def tolerance(how: str) -> float:
    """1e-9; farther from the origin a thousand times the digits that a position has lost there."""
    return max(TOLERANCE, 1e3 * DIGITS * SHIFT.get(how, 0.0))


def reference(case: Any, ask: Any) -> Answers:
    found: Answers = ask(as_it_is(case))
    return found
