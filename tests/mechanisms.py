"""Random mechanisms, the one generator all tests use, and the mechanisms of the source documents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
import numpy as np

import dalembert as da
from dalembert.vectors import turn

seeds = st.integers(0, 2**32 - 1)


def unit(rng: np.random.Generator) -> tuple[float, ...]:
    """A random unit vector; sometimes a coordinate axis, so that exact zeros and ones are met too."""
    if rng.random() < 0.3:
        return tuple(float(x) for x in np.eye(3)[rng.integers(3)])
    v = rng.normal(size=3)
    return tuple(float(x) for x in v / np.linalg.norm(v))


def rotation(rng: np.random.Generator) -> np.ndarray:
    return np.eye(3) if rng.random() < 0.3 else turn(np.array(unit(rng)), rng.uniform(-3, 3))


def frame(rng: np.random.Generator) -> da.Frame:
    return da.Frame(rng.uniform(-0.5, 0.5, 3) * (rng.random() < 0.9), rotation(rng))


def matter(rng: np.random.Generator) -> da.MassProperties:
    """Mass, mass centre and inertia of six random point masses: always physical."""
    x, w = rng.normal(size=(6, 3)) * 0.3, rng.uniform(0.1, 0.5, 6)
    com = w @ x / w.sum()
    inertia = sum(m * ((r @ r) * np.eye(3) - np.outer(r, r)) for m, r in zip(w, x - com, strict=True))
    return da.MassProperties(float(w.sum()), com, inertia)


def curved(rng: np.random.Generator, turns: str = "none") -> da.CurvedSlide:
    """A slide along a wave, through the origin."""
    along, aside, k = np.array(unit(rng)), np.array(unit(rng)), rng.uniform(1.0, 2.0)
    return da.CurvedSlide(lambda x: along * x + 0.3 / k * aside * da.sin(k * x), turns, unit(rng), ends=(-3.0, 3.0))


def in_length(joint: da.Joint, length: float) -> da.Joint:
    """The same joint where a metre is so many units."""
    if isinstance(joint, da.Screw):
        return replace(joint, pitch=joint.pitch * length)
    if isinstance(joint, da.CurvedSlide):
        ends = None if joint.ends is None else tuple(x * length for x in joint.ends)
        return replace(joint, curve=lambda x: length * joint.curve.point(x / length), ends=ends)
    return joint


def joint(rng: np.random.Generator, orientation: str = "euler_parameters") -> da.Joint:
    """Any joint type, with random axes."""
    first, second = unit(rng), unit(rng)
    while abs(np.dot(first, second)) > 0.8:
        second = unit(rng)
    choices = [
        da.Weld(),
        da.Revolute(first),
        da.Prismatic(first),
        da.Screw(first, pitch=float(rng.uniform(-1, 1))),
        da.Cylindrical(first),
        da.Universal(first, second),
        da.Spherical(orientation),
        da.Planar(first),
        da.Free(orientation),
        da.Translation(),
        curved(rng, str(rng.choice(["none", "pin", "ball"]))),
    ]
    return choices[rng.integers(len(choices))]


def add_forces(s: da.System, rng: np.random.Generator, conservative: bool = False) -> None:
    """One of each force, on random bodies and joints."""
    bodies = ["ground", *s.bodies]

    def place() -> Any:
        return (bodies[rng.integers(len(bodies))], rng.uniform(-1, 1, 3))

    s.add_force("spring", da.Spring(place(), place(), stiffness=rng.uniform(1, 9), length=rng.uniform(0, 0.5)))
    s.add_force("cord", da.Spring(place(), place(), stiffness=rng.uniform(1, 9)))
    moving = [p for p in s.joints.values() if p.joint.n_u]
    plain = [p for p in moving if p.joint.rates_are_speeds]
    if plain:
        p = plain[rng.integers(len(plain))]
        s.add_force("coil", da.JointSpring(p.name, stiffness=3.0, rest=0.2, coordinate=p.joint.speeds[-1]))
    if conservative:
        return
    damping = float(rng.uniform(0, 2))
    s.add_force("damper", da.Spring(place(), place(), damping=damping, tension=lambda x, v: 0.3 * x**3 + 0.1 * v))
    s.add_force("push", da.Load(place(), force=rng.normal(size=3), torque=rng.normal(size=3), axes="body"))
    s.add_force("pull", da.Load(place(), force=lambda s: (da.sin(s.t), 1.0, s.t), torque=(0.1, 0.2, 0.3)))
    if moving:
        p = moving[rng.integers(len(moving))]
        s.add_force("friction", da.JointSpring(p.name, damping=0.7))
        p = moving[rng.integers(len(moving))]
        s.add_force("motor", da.Motor(p.name, lambda s: 0.5 + da.cos(s.t), coordinate=p.joint.speeds[0]))


def random_tree(
    rng: np.random.Generator,
    n: int,
    *,
    forces: bool = True,
    conservative: bool = False,
    prescribed: bool = False,
    floating: bool = False,
    orientation: str = "euler_parameters",
) -> da.System:
    """n bodies on random joints in shuffled order, some joints given from child to parent, some prescribed."""
    s = da.System("random tree", gravity=np.zeros(3) if floating else rng.normal(size=3) * 5)
    names = [f"b{i}" for i in rng.permutation(n)]
    for name in rng.permutation(names):
        s.add_body(str(name), matter(rng))
    for i, name in enumerate(names):
        parent = "ground" if i == 0 else names[rng.integers(i)]
        if not floating and rng.random() < 0.15:
            parent = "ground"
        kind = da.Free(orientation) if floating and i == 0 else joint(rng, orientation)
        ends = {"parent": parent, "child": name}
        if rng.random() < 0.3:
            ends = {"parent": name, "child": parent}
        law = _law(rng, kind) if prescribed and rng.random() < 0.4 else None
        s.add_joint(f"j{i}", kind, **ends, at_parent=frame(rng), at_child=frame(rng), prescribed=law)
    if forces:
        add_forces(s, rng, conservative)
    return s


def _law(rng: np.random.Generator, kind: da.Joint) -> Any:
    a, b = rng.uniform(-1, 1, 2)
    if kind.n_u == 0:
        return None
    if kind.rates_are_speeds:
        chosen = kind.coordinates[: rng.integers(1, kind.n_u + 1)]
        return {c: (lambda t, k=k: a * da.sin(b * t + k) + 0.1 * t) for k, c in enumerate(chosen)}
    if kind.coordinates[0] == "a1":
        return lambda t: [0.5 * da.sin(a * t), 0.6 * da.cos(b * t), a * t, *([0.1 * t, t * t, b] * (kind.n_u == 6))]
    half = lambda t: 0.5 * (a + b * t)  # noqa: E731
    return lambda t: (
        ([0.5 * da.sin(b * t)] if kind.coordinates[0] == "slide" else [])
        + [da.cos(half(t)), 0.6 * da.sin(half(t)), 0.0, 0.8 * da.sin(half(t))]
        + ([0.1 * t, t * t, b] if kind.n_u == 6 else [])
    )


def random_state(m: da.Mechanism, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    """q, u, t with Euler parameters of unit length and angles away from their singularity."""
    q, u = rng.uniform(-1, 1, m.n_q), rng.uniform(-1, 1, m.n_u)
    return m.admissible(q), u, float(rng.uniform(0, 2))


def planar_pendulum(n: int, gravity: float = 9.81) -> da.System:
    """n links hinged about z, with symbolic masses, lengths and inertias; each link lies along its own x."""
    s = da.System(f"{n}-link pendulum")
    g = s.parameter("g", gravity)
    s.gravity = np.array([0.0, -g, 0.0], dtype=object)
    parent, end = "ground", (0.0, 0.0, 0.0)
    for i in range(1, n + 1):
        m, length, inertia = (
            s.parameter(f"m{i}", 1.0 + 0.1 * i),
            s.parameter(f"l{i}", 1.0 + 0.2 * i),
            s.parameter(f"I{i}", 0.1 * i),
        )
        s.add_body(f"link{i}", mass=m, com=(0.5 * length, 0, 0), inertia=(0, inertia, inertia))
        s.add_joint(f"A{i}", da.Revolute((0, 0, 1)), parent, f"link{i}", at_parent=end)
        parent, end = f"link{i}", (length, 0, 0)
    return s


def eight_body_tree(rng: np.random.Generator) -> da.System:
    """Source E's example: parents (0, 1, 2, 1, 2, 1, 1, 7), every joint with three angles and three translations."""
    s = da.System("eight bodies", gravity=(0, 0, -9.81))
    for k, parent in enumerate((0, 1, 2, 1, 2, 1, 1, 7), start=1):
        s.add_body(f"B{k}", matter(rng))
        s.add_joint(f"J{k}", da.General(), f"B{parent}" if parent else "ground", f"B{k}", frame(rng), frame(rng))
    return s
