"""Mechanisms written as robot files and read again: the same state in both, for comparing them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

import numpy as np

import dalembert as da
from dalembert.exporters.robots.joint_rows import FREE, RowJoint
from dalembert.exporters.robots.robot_tree import RobotTree, at_start
from dalembert.importers.poses import euler_parameters, then


def opened(s: da.System, seed: int) -> da.System:
    """The tree of a system without loops, laws and elements, in a random state as its start."""
    rng = np.random.default_rng(seed)
    s, m = copy(s), s.build()
    s.joints = {name: j for name, j in s.joints.items() if name not in [c.name for c in m.cuts]}
    s.cut, s.constraints, s.laws, s.elements, s.connections = (), {}, {}, {}, {}
    s.outputs, s.events = {}, {}
    m = s.build()
    q, u = m.somewhere(rng, 0.7), rng.uniform(-1, 1, m.n_u)
    s.initial = {j.name: [float(x) for x in q[list(j.q_at)]] for j in m.joints if _loose(j)}
    s.speeds = {j.name: [float(x) for x in u[list(j.u_at)]] for j in m.joints if _loose(j)}
    return s


def _loose(j: da.mechanism.TreeJoint) -> bool:
    return bool(j.q_at) and None not in j.q_at


def start_again(m: da.Mechanism, tree: RobotTree) -> tuple[np.ndarray, np.ndarray]:
    """The start of a tree in the mechanism that was read back, joint by joint."""
    q, u = m.reference.copy(), np.zeros(m.n_u)
    for link in tree.links:
        for one in link.row:
            for name, start, rate in _joints(m, link, one):
                j = m.joints[m.joint_number[name] - 1]
                q[list(j.q_at)], u[list(j.u_at)] = start, rate
    return q, u


def _joints(m: da.Mechanism, link: object, one: RowJoint) -> Iterator[tuple[str, object, object]]:
    """What a joint of a row became: itself, slides and a ball, a hinge and its advance, or a joint of SDF's from the world."""
    if f"{one.name}_ball" in m.joint_number:
        for k, axis in enumerate("xyz"):
            yield f"{one.name}_{axis}", one.start[4 + k], one.rate[3 + k]
        yield f"{one.name}_ball", one.start[:4], one.rate[:3]
    elif f"base_{link.name}" in m.joint_number and one.kind == FREE:
        at = then(link.at, at_start(one))
        rate = [*one.rate[:3], *(link.at.rotation @ np.array(one.rate[3:]))]
        yield f"base_{link.name}", [*euler_parameters(at.rotation), *at.position], rate
    else:
        yield (one.name if one.name in m.joint_number else f"{one.name}_joint"), one.start, one.rate
        if f"{one.name}_advance" in m.joint_number:
            h = one.pitch / (2.0 * np.pi)
            yield f"{one.name}_advance", h * one.start[0], h * one.rate[0]


def energies(m: da.Mechanism, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Kinetic energy, and masses times the places of their centres."""
    s = m.numeric.state(q, u)
    kinetic = 0.5 * u @ m.mass_matrix(q) @ u if m.n_u else 0.0
    centres = [np.asarray(s.position((b.name, b.com)), dtype=float) for b in m.numeric.bodies if b.mass > 1e-12]
    masses = [float(b.mass) for b in m.numeric.bodies if b.mass > 1e-12]
    order = np.argsort([b.name for b in m.numeric.bodies if b.mass > 1e-12])
    return np.array([float(kinetic), *np.concatenate([masses[k] * centres[k] for k in order])])
