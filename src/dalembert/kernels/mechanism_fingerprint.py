"""What tells a mechanism from every other: saved motions carry it, so that they are read with the mechanism that made them.

It covers what the mechanism computes (constants, joints by what their functions give, laws, forces, constraints) and what it calls
things, since names are how a motion's numbers are asked for. The values of parameters are no part of it: a motion records them itself.
Machine code is not found by it but by its own source (`trace.native.cache`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.errors import ArgumentError
from dalembert.kinematics.loads import loads
from dalembert.kinematics.state_from_bodies import StateFromBodies, unspecified
from dalembert.mechanism import Mechanism
from dalembert.mechanism.variable_changes import LinearCoordinates
from dalembert.parts.joints import Joint
from dalembert.trace import Expr, symbols, tracing
from dalembert.trace.content import content_of
from dalembert.trace.fingerprint import fingerprint


def fingerprint_of(m: Mechanism) -> str:
    """A hash of the mechanism's names, constants, joints, laws, forces and constraints, and of the variables that it has of its own."""
    if m.variables is not None:
        return fingerprint(fingerprint_of(m.base), [m.coordinates, m.speeds, m.dropped], *_variables(m))
    kinds: dict[Joint, int] = {}
    of_joint = [kinds.setdefault(j.joint, len(kinds)) for j in m.joints]
    with tracing():
        aligned = [kind.aligned() for kind in kinds]
        of_aligned = [kinds.setdefault(joint, len(kinds)) for joint, _ in aligned]
        given = [j.law for j in m.joints if None in j.q_at or None in j.u_at]
        laws = [value for law in given for part in (law.q, law.u, law.udot) for value in part if value is not None]
        parts = [
            np.array(m.parent),
            np.array(of_joint),
            np.array(of_aligned),
            [Q for _, Q in aligned],
            [_behaviour(kind) for kind in kinds],
            *vars(m.arrays).values(),
            m.gravity,
            np.array([-1 if at is None else at for j in m.joints for at in j.q_at + j.u_at]),
            laws,
            *_armature(m),
            *_elastic(m),
            *_forces(m),
            *_constraints(m),
            *_laws(m),
            *_elements(m),
            [m.coordinates, m.speeds, tuple(b.name for b in m.bodies), tuple(m.parameters)],
        ]
        return fingerprint(*parts)


def with_python(compiled: str, opaque: Mechanism | None) -> str:
    """A hash of this one and of what forces that are plain Python functions do; of their names, where they use what cannot be told
    from others of its kind."""
    if opaque is None:
        return compiled
    try:
        return fingerprint(compiled, content_of(opaque.forces))
    except ArgumentError:
        return fingerprint(compiled, list(opaque.forces))


def _variables(m: Mechanism) -> list[Any]:
    """How coordinates and speeds follow from those before."""
    v = m.variables
    if isinstance(v, LinearCoordinates):
        return [v.L, v.shift, v.per_speed]
    with tracing():
        here = m.symbolic_state().speed_map
        return [[*here.W.ravel()], [*here.w]]


def _behaviour(joint: Joint) -> list[Any]:
    """What the joint computes, on symbols of its own."""
    q, u = symbols("#q.", range(joint.n_q)), symbols("#u.", range(joint.n_u))
    computed = (
        joint.reference,
        joint.rotation(q),
        joint.translation(q),
        joint.turning(q),
        joint.turning_rate(q, u),
        joint.sliding(q),
        joint.sliding_rate(q, u),
        joint.rates(q, u),
        joint.admissible(q),
    )
    arrays = [np.asarray(x) for x in computed]
    values = [x for array in arrays for x in array.ravel().tolist()]
    return [joint.n_q, joint.n_u, joint.spins_about_z, repr([array.shape for array in arrays]), values]


def _armature(m: Mechanism) -> list[Any]:
    """Inertias of the joints' own speeds, where there are any."""
    given = [j.armature for j in m.joints]
    return [["armature", *given]] if any(type(x) is Expr or x for x in given) else []


def _elastic(m: Mechanism) -> list[Any]:
    """The data of elastic bodies, and which frame each joint stands on."""
    if not m.elastic:
        return []
    data = [b.data for b in m.bodies if b.modes]
    fields = [getattr(d, name) for d in data for name in ("S", "P", "Ke", "De", "G0", "H")]
    nodes = [getattr(n, name) for d in data for n in d.nodes.values() for name in ("r", "Phi", "Psi", "G", "Gam")]
    lumps = [getattr(d.lumps, x) for d in data if d.lumps is not None for x in ("m", "r", "Phi", "Psi", "D")]
    firm = [b.stiffness_factor for b in m.bodies if b.modes]
    sizes = [repr([len(b.modes) for b in m.bodies]), repr([d.m for d in data])]
    return [*sizes, firm, np.array(m.stands_on), *fields, *nodes, *lumps]


def _forces(m: Mechanism) -> list[Any]:
    if not m.forces:
        return []
    state = StateFromBodies(m, unspecified)
    applied = loads(state, gravity=False)
    on_bodies = [
        (k, list(applied.force[k]), list(applied.moment[k])) for k in range(m.n_bodies) if applied.loaded(k + 1)
    ]
    on_joints = [(k, list(values)) for k, values in enumerate(applied.joint) if any(_some(x) for x in values)]
    potentials = [x for x in (force.potential(state) for force in m.forces.values()) if _some(x)]
    return [on_bodies, on_joints, potentials]


def _constraints(m: Mechanism) -> list[Any]:
    """Residuals and velocities, traced on the bodies they look at."""
    if not m.cuts and not m.constraints:
        return []
    return [[d.bodies, list(d.g), list(d.phi)] for d in m.constraint_rows.values()]


def _laws(m: Mechanism) -> list[Any]:
    """Rows of laws, traced likewise; their friction at a slip of its own and what presses on it; what they bear and when they act."""
    if not m.laws:
        return []
    v = symbols("#v", range(1))[0]
    rows = [[d.bodies, [kind.value for kind in d.kinds], list(d.g), list(d.phi)] for d in m.law_rows.values()]
    s = m.symbolic_state()
    forces = [[*law.friction(s, v), *law.static_friction(s), law.viscous, law.restitution] for law in m.laws.values()]
    strength = ["none" if law.strength is None else law.strength for law in m.laws.values()]
    arms = [[law.rolling_arm, law.drilling_arm] for law in m.laws.values()]
    pressed = [["nothing"] if (load := law.load(s)) is None else [load.joint, *load.terms] for law in m.laws.values()]
    content = [x for law in m.laws.values() for x in law.content]
    return [tuple(m.laws), rows, forces, strength, arms, pressed, [law.on for law in m.laws.values()], content]


def _elements(m: Mechanism) -> list[Any]:
    """Rates and updates of the states of elements."""
    if not m.elements:
        return []
    s = m.symbolic_state()
    at_samples = m.sampled_state()
    every = [[*p.rates(s), *p.update(at_samples)] for p in m.elements.values()]
    return [m.states, repr([p.element.period for p in m.elements.values()]), every]


def _some(x: Any) -> bool:
    return type(x) is Expr or x != 0.0
