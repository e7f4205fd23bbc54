"""Mechanisms of every kind in a random state, for asking whether an answer depends on how the question is put."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import numpy as np

import dalembert as da
from dalembert.elastic import Node, given_modes
from dalembert.elastic.body import ElasticBody
from dalembert.vectors import turn
from tests.constraints.loops import closed_system, consistent, rolling_system
from tests.importers.robots import mjcf_inertial, mjcf_joint, mjcf_place, urdf, urdf_tree, write
from tests.mechanisms import add_forces, joint, matter, planar_pendulum, random_state, random_tree, unit

Z = (0.0, 0.0, 1.0)
BOOM = (("y", 2), ("z", 1), ("torsion", 1))
COUPLER = (("y", 2),)
"""Modes of beams."""


@dataclass(frozen=True, eq=False)
class Case:
    """A system (with its cuts), and a state of the mechanism it builds, obeying every loop and constraint."""

    kind: str
    seed: int
    system: da.System
    q: np.ndarray
    u: np.ndarray
    t: float
    elastic: Callable[[float, float, float], Mapping[str, ElasticBody]] | None = None
    """Its elastic bodies in other units: length, mass, time."""
    duration: float = 0.06
    """Of the motion that is compared; longer where laws act at times."""
    said: Callable[[float, float, float], da.System] | None = None
    """The system in other units, for the elements in it."""

    @cached_property
    def mechanism(self) -> da.Mechanism:
        made: da.Mechanism = self.system.build()
        return made

    def __str__(self) -> str:
        return f"{self.kind} {self.seed}"


class Unsuitable(Exception):
    """A draw that cannot be what its kind says."""


def drawn(kind: str, seed: int, small: bool = False) -> Case:
    """The random mechanism of this kind and number; those that a random draw made impossible are drawn again.

    A small one has few bodies and some of the forces.
    """
    for attempt in range(20):
        rng = np.random.default_rng([seed, attempt, len(kind), *([1] if small else [])])
        try:
            case = _maker(kind)(rng, small)
            if case.mechanism.n_u and _well_posed(case):
                return _built(replace(case, kind=f"small {kind}" if small else kind, seed=seed), case.mechanism)
        except (da.LoopError, Unsuitable):
            continue
    raise AssertionError(f"no {kind} for seed {seed}")


def _maker(kind: str) -> Callable[[np.random.Generator, bool], Case]:
    from tests.invariance.cases_with_elements import EQUIPPED
    from tests.invariance.cases_with_laws import CHOSEN, LAWFUL

    return (KINDS | LUMPED | LAWFUL | CHOSEN | EQUIPPED)[kind]


def _built(case: Case, m: da.Mechanism) -> Case:
    """With the mechanism that was built already."""
    vars(case)["mechanism"] = m
    return case


def _thinned(s: da.System, rng: np.random.Generator, small: bool) -> da.System:
    """Every force, or of a small mechanism about a third of them."""
    for name in list(s.forces) if small else ():
        if rng.random() < 0.65:
            del s.forces[name]
    return s


def _well_posed(case: Case) -> bool:
    """Whether the rows' singular values are plainly zero or plainly not."""
    from dalembert.kinematics.constraint_rows import constraint_rows

    sizes = np.linalg.svd(constraint_rows(case.mechanism.numeric.state(case.q, case.u, case.t)).B, compute_uv=False)
    kept = sizes[sizes > 1e-9 * sizes.max(initial=0.0)]
    return not len(kept) or bool(kept[-1] > 1e-2 * kept[0])


def _in_random_state(s: da.System, rng: np.random.Generator, assemble: bool = False) -> Case:
    m = s.build()
    q, u, t = random_state(m, rng)
    if assemble:
        q, _ = m.assemble(q, t=t)
    return _built(Case("", 0, s, q, consistent(m, q, u, t) if m.constraint_rows else u, t), m)


def _tree(rng: np.random.Generator, small: bool) -> Case:
    s = random_tree(rng, int(rng.integers(1, 3 if small else 5)))
    return _in_random_state(_thinned(s, rng, small), rng)


def _floating(rng: np.random.Generator, small: bool) -> Case:
    s = random_tree(rng, int(rng.integers(1, 3) if small else rng.integers(2, 5)), floating=True)
    return _in_random_state(_thinned(s, rng, small), rng)


def _prescribed(rng: np.random.Generator, small: bool) -> Case:
    n = int(rng.integers(1, 3) if small else rng.integers(2, 5))
    s = random_tree(rng, n, prescribed=True, orientation="angles")
    return _in_random_state(_thinned(s, rng, small), rng)


def _loops(rng: np.random.Generator, small: bool, doubled: bool = False) -> Case:
    n, loops = (int(rng.integers(1, 3)), 1) if small else (int(rng.integers(2, 5)), 1 if doubled else 0)
    s, q, u, t = closed_system(rng, n, loops or int(rng.integers(1, 3)), doubled=doubled)
    m = _thinned(s, rng, small).build()
    return _built(Case("", 0, s, q, consistent(m, q, u, t), t), m)


def _polygon(rng: np.random.Generator, small: bool) -> Case:
    """Links in a plane, hinged in a ring: three rows too many. Some slope with the whole plane in space; one has a spring."""
    n = 4 if small else int(rng.integers(4, 7))
    angles = np.sort(rng.uniform(0, 2 * np.pi, n) * 0.3 + 2 * np.pi * np.arange(n) / n)
    corners = rng.uniform(0.6, 1.0, n)[:, None] * np.stack([np.cos(angles), np.sin(angles), np.zeros(n)], axis=1)
    tilt = turn(np.array(unit(rng)), rng.uniform(-3, 3))
    s = da.System("polygon", gravity=rng.normal(size=3) * 5)
    parent, place = "ground", tilt @ corners[0]
    q = []
    for i in range(1, n):
        angle = rng.uniform(-1, 1)
        s.add_body(f"bar{i}", da.rod(1.0 + 0.1 * i, 0.5))
        s.add_joint(
            f"h{i}", da.Revolute(Z), parent, f"bar{i}", da.Frame(place, tilt if i == 1 else turn(np.array(Z), 0.0))
        )
        q.append(angle)
        side = turn(np.array(Z), -sum(q)) @ (corners[i] - corners[i - 1])
        parent, place = f"bar{i}", side
    add_forces(s, rng)
    s.add_joint(
        f"h{n}", da.Revolute(Z), parent, "ground", da.Frame(place, turn(np.array(Z), -sum(q))),
        da.Frame(tilt @ corners[-1], tilt),
    )  # fmt: skip
    s.cut = (f"h{n}",)
    m = _thinned(s, rng, small).build()
    pose = np.array(q)
    return _built(Case("", 0, s, pose, consistent(m, pose, rng.uniform(-1, 1, m.n_u), 0.3), 0.3), m)


def _bricard(rng: np.random.Generator, small: bool) -> Case:
    """The rectangular Bricard linkage with random sides: one freedom, against all counting."""
    a, b, c = rng.uniform(0.5, 1.5, 3)
    points = np.array([(0, 0, 0), (a, 0, 0), (a, -b, 0), (a, -b, c), (0, -b, c), (0, 0, c)])
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0)] * 2
    s = da.System("Bricard", gravity=rng.normal(size=3) * 5)
    parent, start = "ground", np.zeros(3)
    for i in range(5):
        s.add_body(f"rod{i + 1}", matter(rng))
        s.add_joint(f"J{i + 1}", da.Revolute(axes[i]), parent, f"rod{i + 1}", at_parent=points[i] - start)
        parent, start = f"rod{i + 1}", points[i]
    s.add_joint("J6", da.Revolute(axes[5]), "rod5", "ground", at_parent=points[5] - points[4], at_child=points[5])
    s.cut = ("J6",)
    m = s.build()
    return _built(Case("", 0, s, np.zeros(5), consistent(m, np.zeros(5), rng.uniform(-2, 2, 5), 0.0), 0.0), m)


def _rolling(rng: np.random.Generator, small: bool) -> Case:
    s = rolling_system(rng, "angles" if small else "euler_parameters")
    return _in_random_state(_thinned(s, rng, small), rng, assemble=True)


def _constrained(rng: np.random.Generator, small: bool) -> Case:
    """A chain with a gear, a rod between two points, and a table."""
    s = da.System("constrained", gravity=rng.normal(size=3) * 5)
    parent = "ground"
    n = 3 if small else 4
    for i in range(n):
        s.add_body(f"b{i}", matter(rng))
        kind = da.Prismatic(unit(rng)) if i == 2 else da.Revolute(unit(rng))
        s.add_joint(f"j{i}", kind, parent, f"b{i}", rng.uniform(-0.5, 0.5, 3), rng.uniform(-0.5, 0.5, 3))
        parent = f"b{i}"
    s.add_constraint("gear", da.Coupling({"j0": 1.0, "j1": float(rng.uniform(1, 2))}, offset=0.1))
    at = tuple(rng.uniform(-0.3, 0.3, 3))
    s.add_constraint("table", da.OnPlane((parent, at), ("ground", rng.uniform(-0.2, 0.2, 3)), unit(rng)))
    s.add_force("motor", da.Motor("j1", lambda s: 0.4 * s.u["j0"] + s.q["j2"]))
    add_forces_of_points(s, parent)
    return _in_random_state(_thinned(s, rng, small), rng, assemble=True)


def add_forces_of_points(s: da.System, last: str) -> None:
    """A spring, and a push that follows what it sees."""
    s.add_force("spring", da.Spring("ground", (last, (0.1, 0.2, 0.3)), stiffness=5.0, damping=0.4, length=0.2))
    s.add_force("wind", da.Load("b1", force=lambda s: (0.3 * s.velocity("b1")[1], s.position("b0")[2], da.cos(s.t))))


def _parameters(rng: np.random.Generator, small: bool) -> Case:
    s = planar_pendulum(2 if small else 3)
    s.add_force("damper", da.JointSpring("A2", stiffness=2.0, damping=0.1))
    return _in_random_state(s, rng)


@cache
def _beam(
    length: float, mass: float, time: float, span: float, modes: tuple[tuple[str, int], ...], support: str = "clamped"
) -> ElasticBody:
    """A slender beam of `span` metres, in units of which so many make a metre, a kilogram, a second."""
    L, pressure, density = length, mass / (length * time**2), mass / length**3
    return da.beam(
        span * L, E=2e9 * pressure, G=8e8 * pressure, rho=1000.0 * density, A=1e-4 * L**2, Iy=1e-9 * L**4,
        Iz=1.5e-9 * L**4, J=2e-9 * L**4, elements=4, modes=dict(modes), support=support,
    )  # fmt: skip


def _elastic(rng: np.random.Generator, small: bool) -> Case:
    """A hub with a boom, on it a body."""
    modes = COUPLER if small else BOOM

    def bodies(length: float, mass: float, time: float) -> dict[str, ElasticBody]:
        return {"boom": _beam(length, mass, time, 1.0, modes)}

    s = da.System("boom", gravity=rng.normal(size=3) * 5)
    s.add_body("hub", matter(rng))
    s.add_body("boom", elastic=bodies(1.0, 1.0, 1.0)["boom"])
    s.add_body("tip", matter(rng))
    s.add_joint("spin", da.Revolute(unit(rng)), "ground", "hub", rng.uniform(-0.5, 0.5, 3))
    s.add_joint("root", da.Revolute(unit(rng)), "hub", "boom", (0.1, 0, 0), "root")
    s.add_joint("end", da.Revolute(unit(rng)), "boom", "tip", "tip", (0.05, 0.02, 0))
    s.add_force("spring", da.Spring("ground", ("tip", (0.1, 0.2, 0.3)), stiffness=5.0, damping=0.4, length=0.2))
    m = s.build()
    q, u = rng.uniform(-1, 1, m.n_q), rng.uniform(-1, 1, m.n_u)
    bent = list(m.deforming)
    q[bent], u[bent] = 0.1 * q[bent] * s.bodies["boom"].data.amplitudes, 0.0
    return _built(Case("", 0, s, q, u, 0.2, bodies), m)


def _elastic_loop(rng: np.random.Generator, small: bool) -> Case:
    """A four-bar whose coupler bends."""

    def bodies(length: float, mass: float, time: float) -> dict[str, ElasticBody]:
        return {"coupler": _beam(length, mass, time, 1.0, COUPLER, support="pinned")}

    s = da.System("elastic four-bar", gravity=(0, -9.81, 0))
    s.add_body("crank", da.rod(0.5, 0.4))
    s.add_body("coupler", elastic=bodies(1.0, 1.0, 1.0)["coupler"])
    s.add_body("rocker", da.rod(0.5, 0.8))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(0.4, 0, 0), at_child="root")
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent="tip", at_child=(0.8, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(1.0, 0, 0))
    s.cut = ("C",)
    m = s.build()
    q, u = m.assemble({"A": float(rng.uniform(0.5, 1.5))}, {"A": float(rng.uniform(0.5, 2))})
    return _built(Case("", 0, s, q, u, 0.0, bodies), m)


def _robot(rng: np.random.Generator, small: bool) -> Case:
    with tempfile.TemporaryDirectory() as folder:
        n = int(rng.integers(1, 4) if small else rng.integers(3, 6))
        text = urdf(urdf_tree(rng, n, branching=True, inside='<dynamics damping="0.1"/>'))
        s = da.load_urdf(write(Path(folder), "robot.urdf", text)).system
    return _in_random_state(s, rng)


def _mjcf_robot(rng: np.random.Generator, small: bool) -> Case:
    """Nested bodies with a hinge, a slide and a ball, and a tendon-free spring in one of them."""
    inner = ""
    every = (("c", "ball"), ("b", "slide"), ("a", "hinge"))
    first = int(rng.integers(3)) if small else 0
    for name, kind in every[first : first + 2] if small else every:
        more = 'stiffness="3" damping="0.2"' if kind == "hinge" else ""
        link = f"{mjcf_joint(rng, f'j{name}', kind, more)}{mjcf_inertial(rng)}"
        inner = f'<body name="{name}" {mjcf_place(rng)}>{link}{inner}</body>'
    with tempfile.TemporaryDirectory() as folder:
        text = f'<mujoco model="robot"><worldbody>{inner}</worldbody></mujoco>'
        s = da.load_mjcf(write(Path(folder), "robot.xml", text)).system
    return _in_random_state(s, rng)


def _mass_points(rng: np.random.Generator, small: bool) -> Case:
    """Elastic bodies of three mass points each, some afloat, some with a rod to the ground."""
    s = da.System("mass points", gravity=rng.normal(size=3) * 5)
    names = [f"b{i}" for i in range(1 if small else int(rng.integers(2, 4)))]
    for i, name in enumerate(names):
        n = int(rng.integers(1, 3))
        r, Phi, K = 0.5 * rng.normal(size=(3, 3)), 0.3 * rng.normal(size=(3, 3, n)), rng.normal(size=(n, n))
        nodes = {"a": Node.of(r[0], Phi[0]), "b": Node.of(r[1], Phi[1])}
        lumped = given_modes(rng.uniform(0.2, 1.0, 3), r, Phi, K @ K.T + np.eye(n), damping=0.1 * K @ K.T, nodes=nodes)
        s.add_body(name, elastic=lumped)
        kind = da.Free() if i == 0 and rng.random() < 0.5 else joint(rng)
        ends = {"at_parent": "b"} if i else {}
        s.add_joint(f"j{i}", kind, names[i - 1] if i else "ground", name, at_child="a", **ends)
    s.add_force("push", da.Load((names[-1], "b"), force=rng.normal(size=3)))
    s.add_force("spring", da.Spring((names[0], "b"), "ground", stiffness=3.0, damping=0.2, length=0.3))
    m = s.build()
    q, u, t = random_state(m, rng)
    for b, j in zip(m.bodies, m.joints):
        q[list(j.q_at[len(j.q_at) - len(b.modes) :])] *= 0.1
    if rng.random() < 0.4 and m.n_u > 3:
        far = m.state(q, u, t).position((names[-1], "b"))
        s.add_constraint("rod", da.Distance((names[-1], "b"), "ground", float(np.linalg.norm(far))))
        m = s.build()
        u = consistent(m, q, u, t)
    return _built(Case("", 0, s, q, u, t), m)


KINDS: dict[str, Callable[[np.random.Generator, bool], Case]] = {
    "tree": _tree,
    "floating tree": _floating,
    "prescribed tree": _prescribed,
    "loops": _loops,
    "redundant loops": lambda rng, small: _loops(rng, small, doubled=True),
    "planar ring": _polygon,
    "Bricard": _bricard,
    "rolling": _rolling,
    "constrained chain": _constrained,
    "parameters": _parameters,
    "elastic tree": _elastic,
    "elastic loop": _elastic_loop,
    "URDF": _robot,
    "MJCF": _mjcf_robot,
}
LUMPED = {"mass points": _mass_points}
"""What only some formulations can write; its data are not said in other units."""
