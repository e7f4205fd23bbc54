"""Mechanisms with laws, and mechanisms in variables of one's own choice, in a random state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import dalembert as da
from tests.constraints.loops import closed_system, consistent
from tests.invariance.cases import Case, Unsuitable, _built, _in_random_state, _thinned
from tests.mechanisms import matter, random_tree, unit
from tests.variables import choose_speeds, own_values

Z = (0.0, 0.0, 1.0)
SPAN = 0.2
"""Of the motion of mechanisms with laws: some of what is near touches in it."""


def _with_laws(case: Case, rng: np.random.Generator) -> Case:
    """Stops, friction and floors beside where it is, so that some act soon; nothing is violated."""
    s, m = case.system, case.mechanism
    state = m.state(case.q, case.u, case.t)
    for name, p in s.joints.items():
        if isinstance(p.joint, (da.Revolute, da.Prismatic)) and name in m.joint_number and p.law.q[0] is None:
            _on_joint(s, name, float(state.q[name]), rng)
    for k, body in enumerate(list(s.bodies)[-2:]):
        normal, point = np.array(unit(rng)), rng.uniform(-0.3, 0.3, 3)
        place = np.asarray(state.position((body, point)), dtype=float)
        radius = float(rng.choice([0.0, 0.05]))
        at = "ground", place - (rng.uniform(0.005, 0.1) + radius) * normal
        mu, e = rng.uniform(0, 0.8), rng.uniform(0, 0.9)
        s.add_law(f"floor{k}", da.Contact((body, point), at, tuple(normal), mu=mu, restitution=e, radius=radius))
    if not s.laws:
        raise Unsuitable
    return replace(case, duration=SPAN)


def _on_joint(s: da.System, name: str, now: float, rng: np.random.Generator) -> None:
    match int(rng.integers(5)):
        case 0:
            ends = now - rng.uniform(0.01, 0.1), now + rng.uniform(0.01, 0.1)
            s.add_law(f"stop_{name}", da.Stop(name, *ends, restitution=rng.uniform(0, 0.9)))
        case 1:
            by = {"force": rng.uniform(0.1, 3.0), "viscous": rng.uniform(0, 0.2), "stribeck": 0.4}
            s.add_law(f"dry_{name}", da.JointFriction(name, static_force=3.5, **by))
        case 2:
            worn = da.JointFriction(name, mu=rng.uniform(0.05, 0.4), radius=0.05, stribeck=0.3, mu_static=0.5)
            s.add_law(f"worn_{name}", worn)
        case 3:
            s.add_law(f"brake_{name}", da.Brake(name, torque=lambda s: 1.0 + 0.3 * da.sin(3.0 * s.t)))


def _lawful_tree(rng: np.random.Generator, small: bool) -> Case:
    s = random_tree(rng, int(rng.integers(1, 3 if small else 5)))
    return _with_laws(_in_random_state(_thinned(s, rng, small), rng), rng)


def _lawful_loops(rng: np.random.Generator, small: bool) -> Case:
    s, q, u, t = closed_system(rng, 2 if small else int(rng.integers(2, 5)), 1)
    m = _thinned(s, rng, small).build()
    case = _built(Case("", 0, s, q, consistent(m, q, u, t), t), m)
    return _rebuilt(_with_laws(case, rng))


def _rebuilt(case: Case) -> Case:
    """As a case of its own: what was built before laws and choices were added is forgotten."""
    return replace(case)


def _thrown(rng: np.random.Generator, small: bool) -> Case:
    """A box thrown at a tilted floor that its corners meet, with a tether; one corner lies on the floor."""
    s = da.System("thrown", gravity=rng.normal(size=3) * 5)
    s.add_body("box", matter(rng))
    s.add_joint("free", da.Free(), "ground", "box")
    s.add_body("arm", matter(rng))
    s.add_joint("hinge", da.Revolute(unit(rng)), "box", "arm", (0.2, 0, 0), (0.1, 0, 0))
    m = s.build()
    q, u = m.admissible(rng.uniform(-1, 1, m.n_q)), rng.uniform(-1, 1, m.n_u)
    state, normal = m.state(q, u, 0.0), np.array(unit(rng))
    corners = [np.array([0.2 * (k & 1) - 0.1, 0.1 * (k & 2) - 0.1, 0.05 * (k & 4) - 0.1]) for k in range(2, 8, 2)]
    heights = [normal @ np.asarray(state.position(("box", c)), dtype=float) for c in corners]
    low = (min(heights) - rng.uniform(0.001, 0.05)) * normal
    for k, c in enumerate(corners):
        mu = rng.uniform(0.1, 0.8)
        s.add_law(f"corner{k}", da.Contact(("box", c), ("ground", low), tuple(normal), mu=mu, restitution=0.4))
    far = float(np.linalg.norm(np.asarray(state.position("arm"), dtype=float)))
    s.add_law("tether", da.Rope("ground", "arm", far + 0.02, restitution=0.3))
    return Case("", 0, s, q, u, 0.0, duration=SPAN)


def _geared(rng: np.random.Generator, small: bool) -> Case:
    """Shafts with a clutch, a freewheel, play, a limit, a brake, and a latch that breaks."""
    s = da.System("shafts", gravity=rng.normal(size=3))
    for k in range(4):
        s.add_body(f"b{k}", matter(rng))
        s.add_joint(f"s{k}", da.Prismatic(unit(rng)) if k == 3 else da.Revolute(unit(rng)), "ground", f"b{k}")
        push = float(rng.uniform(1, 4))
        s.add_force(f"push{k}", da.Motor(f"s{k}", lambda s, push=push: push * da.cos(5.0 * s.t)))
    q, u = rng.uniform(-1, 1, 4), rng.uniform(-1, 1, 4)
    s.add_law("clutch", da.Clutch("s0", "s1", capacity=float(rng.uniform(0.5, 3)), static_capacity=4.0, ratio=1.3))
    sense = 1.0 if u[1] > 0.7 * u[2] else -1.0
    if sense > 0:
        s.add_law("free", da.OneWay("s1", "s2", ratio=0.7))
    together = {"s0": 1.0, "s2": float(rng.uniform(0.5, 1.5))}
    middle = sum(c * q[int(n[1])] for n, c in together.items())
    s.add_law("play", da.Backlash(together, play=0.1, offset=float(middle + rng.uniform(-0.04, 0.04)), restitution=0.2))
    s.add_law("limit", da.Limit({"s3": 1.0, "s1": 0.5}, upper=float(q[3] + 0.5 * q[1] + 0.03), restitution=0.5))
    u[3] = 0.0
    s.add_law("latch", da.Latch("s3", strength=float(rng.uniform(0.5, 6))))
    return Case("", 0, s, q, u, 0.0, duration=SPAN)


LAWFUL: dict[str, Callable[[np.random.Generator, bool], Case]] = {
    "laws on a tree": _lawful_tree,
    "laws in loops": _lawful_loops,
    "thrown box": _thrown,
    "shafts": _geared,
}
"""Kinds with laws."""


def _chosen(case: Case, rng: np.random.Generator) -> Case:
    """In random speeds, mixed across joints, with coefficients of the pose and of time."""
    s, joints = case.system, case.mechanism.in_joint_variables
    choose_speeds(s, rng)
    m = s.build()
    if m.variables is None:
        raise Unsuitable
    q, u = own_values(m, case.q, case.u, case.t)
    assert joints.n_u == m.n_u
    return _built(replace(case, q=q, u=u), m)


def _chosen_speeds(rng: np.random.Generator, small: bool) -> Case:
    s = random_tree(rng, int(rng.integers(1, 3 if small else 5)), prescribed=bool(rng.random() < 0.5))
    return _chosen(_in_random_state(_thinned(s, rng, small), rng), rng)


def _chosen_in_loops(rng: np.random.Generator, small: bool) -> Case:
    s, q, u, t = closed_system(rng, 2 if small else int(rng.integers(2, 4)), 1)
    m = _thinned(s, rng, small).build()
    return _chosen(_built(Case("", 0, s, q, consistent(m, q, u, t), t), m), rng)


def _chosen_with_laws(rng: np.random.Generator, small: bool) -> Case:
    return _chosen(_lawful_tree(rng, small), rng)


def _preset(rng: np.random.Generator, small: bool) -> Case:
    """Speeds along the world's axes, or rates, of joints with three angles."""
    s = random_tree(rng, int(rng.integers(1, 3 if small else 4)), orientation="angles", floating=True)
    s.choose_speeds(str(rng.choice(["world axes", "rates"])))
    m = s.build()
    return _in_random_state(s, rng) if m.variables is not None else _preset(rng, small)


def _sums(rng: np.random.Generator, small: bool) -> Case:
    """Sums and differences of the angles of two of a hub's arms, and speeds on top of these."""
    s = da.System("hub with arms", gravity=rng.normal(size=3) * 3)
    s.add_body("hub", matter(rng))
    s.add_joint("base", da.Universal((1, 0, 0), (0, 1, 0)), "ground", "hub")
    for k in (1, 2):
        s.add_body(f"arm{k}", matter(rng))
        s.add_joint(f"h{k}", da.Revolute(unit(rng)), "hub", f"arm{k}", rng.uniform(-0.5, 0.5, 3))
        s.add_force(f"spring{k}", da.JointSpring(f"h{k}", stiffness=5.0, damping=0.1))
    s.choose_coordinates({"sum": _combined(1.0), "difference": _combined(-1.0)})
    return _in_random_state(s, rng)


def _combined(sign: float) -> Any:
    return lambda s: s.q["h1"] + sign * s.q["h2"]


CHOSEN: dict[str, Callable[[np.random.Generator, bool], Case]] = {
    "chosen speeds": _chosen_speeds,
    "chosen speeds in loops": _chosen_in_loops,
    "chosen speeds with laws": _chosen_with_laws,
    "world axes or rates": _preset,
    "sums and differences": _sums,
}
"""Kinds in chosen variables."""
