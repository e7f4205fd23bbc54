"""A hundred spheres that fall into a box, as dalembert, MuJoCo and Pinocchio are told them."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import dalembert as da

COUNT, RADIUS, MASS, FRICTION, HALF = 100, 0.05, 0.1, 0.3, 0.3
"""Spheres of 100 g in a box of 0.6 m by 0.6 m without a lid."""
STEP, DURATION = 2e-3, 2.0
WALLS = (
    ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    ((-HALF, 0.0, 0.0), (1.0, 0.0, 0.0)),
    ((HALF, 0.0, 0.0), (-1.0, 0.0, 0.0)),
    ((0.0, -HALF, 0.0), (0.0, 1.0, 0.0)),
    ((0.0, HALF, 0.0), (0.0, -1.0, 0.0)),
)
NEAR = 1e-4
"""Gap, m, at which spheres count as touching where a single step is handed to Pinocchio."""


def places(count: int = COUNT) -> np.ndarray:
    """Layers of sixteen, each a little astray."""
    rng, found = np.random.default_rng(0), []
    for i in range(count):
        k = i % 16
        aside = rng.uniform(-0.01, 0.01, 2)
        found.append((-0.2 + 0.13 * (k % 4) + aside[0], -0.2 + 0.13 * (k // 4) + aside[1], 0.06 + 0.12 * (i // 16)))
    return np.array(found)


def spheres(count: int = COUNT) -> tuple[da.Mechanism, dict[str, float]]:
    s = da.System("spheres", gravity=(0, 0, -9.81))
    names = [f"b{i}" for i in range(count)]
    for name in names:
        s.add_body(name, da.sphere(mass=MASS, radius=RADIUS))
        s.add_joint(name, da.Free(), "ground", name)
    planes = [da.surfaces.plane(("ground", at), normal) for at, normal in WALLS]
    s.add_law("balls", da.Balls(names, radius=RADIUS, planes=planes, mu=FRICTION))
    at = places(count)
    start = {f"{name}.{axis}": float(at[i, k]) for i, name in enumerate(names) for k, axis in enumerate("xyz")}
    return s.build(), start


def overlap(x: np.ndarray) -> float:
    """How far any two spheres, or a sphere and a wall, lie in each other."""
    apart = np.linalg.norm(x[:, None] - x[None], axis=2) + np.eye(len(x))
    walls = min(float(((x - np.array(at)) @ np.array(normal)).min()) for at, normal in WALLS)
    return max(0.0, 2 * RADIUS - float(apart.min()), RADIUS - walls)


def dalembert_spheres(count: int = COUNT, duration: float = DURATION) -> tuple[np.ndarray, float]:
    """Centres at the end, seconds of the processor."""
    m, start = spheres(count)
    m.simulate(2 * STEP, start, method="moreau", step=STEP)
    began = time.process_time()
    motion = m.simulate(duration, start, method="moreau", step=STEP, output=duration)
    seconds = time.process_time() - began
    return np.array([[motion[f"b{i}.{axis}"][-1] for axis in "xyz"] for i in range(count)]), seconds


def mujoco_spheres(mujoco: Any, cone: str, count: int = COUNT, duration: float = DURATION) -> tuple[np.ndarray, float]:
    """The same with its default solver and contacts."""
    rough = f'friction="{FRICTION} 0 0" condim="3"'
    walls = "".join(
        f'<geom type="plane" size="0 0 .1" pos="{" ".join(map(str, at))}" zaxis="{" ".join(map(str, n))}" {rough}/>'
        for at, n in WALLS
    )
    balls = "".join(
        f'<body pos="{x} {y} {z}"><freejoint/><geom type="sphere" size="{RADIUS}" mass="{MASS}" {rough}/></body>'
        for x, y, z in places(count)
    )
    option = f'<option timestep="{STEP}" cone="{cone}"/>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{walls}{balls}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    began = time.process_time()
    mujoco.mj_step(model, data, round(duration / STEP))
    return data.qpos.reshape(-1, 7)[:, :3].copy(), time.process_time() - began


def pinocchio_step(pin: Any, x: np.ndarray, solver: str) -> tuple[int, float, float]:
    """Contacts of a pose, the deepest speed into each other that a step by Pinocchio's solver leaves, and its seconds."""
    model = pin.Model()
    joints = [model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), f"b{i}") for i in range(len(x))]
    for joint in joints:
        model.appendBodyToJoint(joint, pin.Inertia.FromSphere(MASS, RADIUS), pin.SE3.Identity())
    data, q = model.createData(), pin.neutral(model)
    q.reshape(-1, 7)[:, :3] = x
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()

    def touch(one: int, other: int, at: np.ndarray, normal: np.ndarray) -> None:
        R = pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), normal).toRotationMatrix()
        frames = [pin.SE3(R, at - (x[k] if k >= 0 else 0.0)) for k in (other, one)]
        numbers = [joints[k] if k >= 0 else 0 for k in (other, one)]
        contact = pin.PointContactConstraintModel(model, numbers[0], frames[0], numbers[1], frames[1])
        contact.setFriction(FRICTION)
        models.append(pin.ConstraintModel(contact))
        datas.append(models[-1].createData())

    for i in range(len(x)):
        for j in range(i):
            d = x[i] - x[j]
            if np.linalg.norm(d) < 2 * RADIUS + NEAR:
                touch(i, j, x[j] + 0.5 * d, d / np.linalg.norm(d))
        for at, normal in WALLS:
            if (x[i] - np.array(at)) @ np.array(normal) < RADIUS + NEAR:
                touch(i, -1, x[i] - RADIUS * np.array(normal), np.array(normal))
    free = STEP * pin.aba(model, data, q, np.zeros(model.nv), np.zeros(model.nv))
    pin.computeJointJacobians(model, data, q)
    for one, other in zip(models, datas):
        one.calc(model, data, other)
    J = np.vstack([one.jacobian(model, data, other) for one, other in zip(models, datas)])
    inertia = np.array([MASS] * 3 + [0.4 * MASS * RADIUS**2] * 3)
    W = (J / np.tile(inertia, len(x))) @ J.T
    kinds = {"ADMM": ("ADMMConstraintSolver", "ADMMSolver"), "PGS": ("PGSConstraintSolver", "PGSSolver")}[solver]
    made = getattr(pin, kinds[0])(len(W))
    settings, result = getattr(pin, kinds[1] + "Settings")(), getattr(pin, kinds[1] + "Result")()
    began = time.process_time()
    made.solve(pin.DelassusOperatorDense(W), J @ free, models, datas, settings, result)
    seconds = time.process_time() - began
    after = J @ free + W @ np.asarray(result.retrieveConstraintImpulses())
    return len(models), float(max(0.0, -after[2::3].min())), seconds
