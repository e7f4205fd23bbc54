"""One description of a tree of rigid bodies, said to dalembert, Pinocchio and MuJoCo, with states carried over exactly.

States are dalembert's: q of a floating base is (e₀, e₁, e₂, e₃, x, y, z), its speeds are the angular velocity in the base's own axes
and the velocity of its origin in world axes. Hinges come after it, in the order of the bodies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import dalembert as da

GRAVITY = (0.0, 0.0, -9.81)
AXES = np.eye(3)


@dataclass(frozen=True)
class Body:
    """A body, hinged to its parent; its frame is the hinge's."""

    parent: int | None
    axis: int
    """0, 1, 2: x, y, z."""
    rotation: np.ndarray
    """Axes of the hinge's frame in the parent's, at angle 0."""
    position: np.ndarray
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    """About the mass centre."""


@dataclass(frozen=True)
class Model:
    """Bodies in depth-first order; the first one floats, or is hinged to the ground."""

    name: str
    bodies: tuple[Body, ...]
    floating: bool = False

    @property
    def n_hinges(self) -> int:
        return len(self.bodies) - self.floating

    @property
    def n_u(self) -> int:
        return self.n_hinges + 6 * self.floating

    def states(self, count: int, seed: int = 7) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of q, u, τ: any pose, everything moving."""
        rng = np.random.default_rng(seed)
        q = rng.uniform(-1, 1, (count, self.n_u + self.floating))
        if self.floating:
            q[:, :4] = rng.normal(size=(count, 4))
            q[:, :4] /= np.linalg.norm(q[:, :4], axis=1, keepdims=True)
        return q, rng.uniform(-1, 1, (count, self.n_u)), rng.uniform(-1, 1, (count, self.n_u))


# -- models ---------------------------------------------------------------------------------------------------------------
def chain(n: int, aligned: bool) -> Model:
    """n hinges: axes z y y z y z with offsets along one axis, as robot arms are built, or x y z in turn with any frames between."""
    rng = np.random.default_rng(1)
    bodies = []
    for i in range(n):
        parent = i - 1 if i else None
        if aligned:
            offset = 0.2 * AXES[(2, 2, 0, 2, 0, 2)[i % 6]]
            bodies.append(Body(parent, (2, 1, 1, 2, 1, 2)[i % 6], np.eye(3), offset, *matter(rng)))
        else:
            bodies.append(Body(parent, i % 3, rotation(rng), offset_of(rng, 0.2), *matter(rng)))
    return Model(f"chain {n}{' aligned' * aligned}", tuple(bodies))


def floating_base(aligned: bool) -> Model:
    """A free base and 30 hinges: two legs of 6, a waist of 2 that carries two arms of 7 and a neck of 2."""
    rng = np.random.default_rng(2)
    bodies = [Body(None, 0, np.eye(3), np.zeros(3), *matter(rng))]

    def limb(parent: int, axes: tuple[int, ...], start: tuple[float, float, float]) -> int:
        for i, axis in enumerate(axes):
            straight = np.array(start) if i == 0 else np.array([0.0, 0.0, -0.2 * (i % 2)])
            place = (np.eye(3), straight) if aligned else (rotation(rng), offset_of(rng, 0.15))
            bodies.append(Body(parent, axis, *place, *matter(rng)))
            parent = len(bodies) - 1
        return parent

    for side in (0.1, -0.1):
        limb(0, (2, 0, 1, 1, 1, 0), (0.0, side, -0.1))
    waist = limb(0, (2, 1), (0.0, 0.0, 0.2))
    for side in (0.2, -0.2):
        limb(waist, (1, 0, 2, 1, 2, 1, 0), (0.0, side, 0.3))
    limb(waist, (2, 1), (0.0, 0.0, 0.4))
    return Model(f"floating base + 30{' aligned' * aligned}", tuple(bodies), floating=True)


def matter(rng: np.random.Generator) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, mass centre and full inertia of six random point masses: always physical."""
    x, w = rng.normal(size=(6, 3)) * 0.1 + np.array([0.0, 0.0, -0.1]), rng.uniform(0.1, 0.4, 6)
    com = w @ x / w.sum()
    inertia = sum(m * ((r @ r) * np.eye(3) - np.outer(r, r)) for m, r in zip(w, x - com))
    return float(w.sum()), com, inertia


def rotation(rng: np.random.Generator) -> np.ndarray:
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def offset_of(rng: np.random.Generator, length: float) -> np.ndarray:
    return rng.normal(size=3) * 0.05 + np.array([0.0, 0.0, -length])


# -- dalembert ------------------------------------------------------------------------------------------------------------
def mechanism(model: Model) -> da.Mechanism:
    s = da.System(model.name, GRAVITY)
    for i, b in enumerate(model.bodies):
        s.add_body(f"b{i}", mass=b.mass, com=b.com, inertia=b.inertia)
        joint = da.Free() if model.floating and i == 0 else da.Revolute(tuple(AXES[b.axis]))
        parent = "ground" if b.parent is None else f"b{b.parent}"
        s.add_joint(f"j{i}", joint, parent, f"b{i}", at_parent=da.Frame(b.position, b.rotation))
    return s.build()


# -- peers ----------------------------------------------------------------------------------------------------------------
class Pinocchio:
    """Its free flyer's velocity is that of the origin, then the angular velocity, both in body axes."""

    def __init__(self, model: Model) -> None:
        import pinocchio as pin

        self.floating = model.floating
        self.model = pin.Model()
        self.model.gravity.linear = np.array(GRAVITY)
        hinges = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)
        ids: dict[int | None, int] = {None: 0}
        for i, b in enumerate(model.bodies):
            joint = pin.JointModelFreeFlyer() if model.floating and i == 0 else hinges[b.axis]()
            ids[i] = self.model.addJoint(ids[b.parent], joint, pin.SE3(b.rotation, b.position), f"j{i}")
            self.model.appendBodyToJoint(ids[i], pin.Inertia(b.mass, b.com, b.inertia), pin.SE3.Identity())
        self.data = self.model.createData()

    def state(self, q: np.ndarray, u: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if not self.floating:
            return q, u, tau
        R = rotation_matrix(q[:4])
        qs = np.concatenate([q[4:7], q[1:4], q[:1], q[7:]])
        return qs, *(np.concatenate([R.T @ x[3:6], x[:3], x[6:]]) for x in (u, tau))

    def accelerations(self, a: np.ndarray, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Rates of components in turning axes (spatial) to rates of components in world axes (ordinary)."""
        if not self.floating:
            return a
        R, w = rotation_matrix(q[:4]), u[:3]
        return np.concatenate([a[3:6], R @ (a[:3] + np.cross(w, R.T @ u[3:6])), a[6:]])


class MuJoCo:
    """Its free joint's velocity is that of the origin in world axes, then the angular velocity in body axes."""

    def __init__(self, model: Model) -> None:
        import mujoco

        self.floating = model.floating
        self.model = mujoco.MjModel.from_xml_string(mjcf(model))
        self.data = mujoco.MjData(self.model)

    def state(self, q: np.ndarray, u: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if not self.floating:
            return q, u, tau
        qs = np.concatenate([q[4:7], q[:4], q[7:]])
        return qs, *(np.concatenate([x[3:6], x[:3], x[6:]]) for x in (u, tau))

    def accelerations(self, a: np.ndarray, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        return np.concatenate([a[3:6], a[:3], a[6:]]) if self.floating else a

    def put(self, q: np.ndarray, u: np.ndarray, tau: np.ndarray) -> None:
        d = self.data
        d.qpos[:], d.qvel[:], d.qfrc_applied[:] = self.state(q, u, tau)


def mjcf(model: Model) -> str:
    """The model as MuJoCo reads it."""
    children: dict[int | None, list[int]] = {}
    for i, b in enumerate(model.bodies):
        children.setdefault(b.parent, []).append(i)

    def text(values: Any) -> str:
        return " ".join(repr(float(x)) for x in values)

    def element(i: int) -> str:
        b, I = model.bodies[i], model.bodies[i].inertia
        joint = f'<joint type="hinge" axis="{text(AXES[b.axis])}"/>'
        moments = text([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
        return (
            f'<body pos="{text(b.position)}" quat="{text(quaternion(b.rotation))}">'
            + ("<freejoint/>" if model.floating and i == 0 else joint)
            + f'<inertial pos="{text(b.com)}" mass="{b.mass!r}" fullinertia="{moments}"/>'
            + "".join(element(k) for k in children.get(i, []))
            + "</body>"
        )

    return (
        '<mujoco><compiler angle="radian"/>'
        f'<option gravity="{text(GRAVITY)}"><flag contact="disable" constraint="disable"/></option>'
        f"<worldbody>{''.join(element(i) for i in children.get(None, []))}</worldbody></mujoco>"
    )


def rotation_matrix(e: np.ndarray) -> np.ndarray:
    return np.asarray(da.Spherical().rotation(e))


def quaternion(R: np.ndarray) -> np.ndarray:
    """w, x, y, z: the eigenvector that belongs to the largest eigenvalue of Bar-Itzhack's matrix, exact to rounding."""
    d = R - R.T
    K = np.empty((4, 4))
    K[0, 0] = np.trace(R)
    K[0, 1:] = K[1:, 0] = [-d[1, 2], -d[2, 0], -d[0, 1]]
    K[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    return np.linalg.eigh(K)[1][:, -1]


# -- what is measured -----------------------------------------------------------------------------------------------------
BESIDE_PEERS = [chain(n, aligned) for aligned in (False, True) for n in (2, 6, 12, 24, 48, 96)]
BESIDE_PEERS += [floating_base(aligned) for aligned in (False, True)]
SIZES_ALONE = (1000, 5000)


def named(name: str) -> Model:
    found = [m for m in BESIDE_PEERS if m.name == name]
    return found[0] if found else chain(int(name.split()[1]), aligned=False)
