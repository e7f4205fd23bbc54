"""The scenes of `benchmarks/laws.py`, as dalembert, MuJoCo, Drake and Pinocchio are told them."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

import dalembert as da

G = 9.81
TORQUE, RATE, DRY, ENDS = 12.0, 2.0, 0.5, (0.2, 2.5)
"""Four-bar: torque on the crank, N m, at this angular frequency; dry friction in its bearing; stops of its angle."""
CLOSED = {"A": 0.7}
"""What the four-bar starts from; the rest follows."""
SLOPE, MU, HOLD = math.radians(20.0), 0.6, 1000.0
"""Block on a slope, its friction, and how long it is to stand."""
SETTLED = 1.0
"""Seconds in which a soft contact settles before its creep is measured."""
SPOKES, LENGTH, INERTIA, WALK_SLOPE = 8, 1.0, 0.1, 0.08
"""Walking toy: a wheel without rim, of 1 kg, that walks down a slope, rad."""


# -- four-bar with stops and joint friction ---------------------------------------------------------------------------------
def four_bar() -> da.Mechanism:
    """Crank 1 m, coupler 2.5 m, rocker 1.7 m on a ground of 2 m; stops without restitution."""
    s = da.System("four-bar with stops", gravity=(0, -G, 0))
    for name, length in (("crank", 1.0), ("coupler", 2.5), ("rocker", 1.7)):
        s.add_body(name, da.rod(mass=1.0, length=length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(1.0, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(2.0, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(2.5, 0, 0), at_child=(1.7, 0, 0))
    s.add_force("drive", da.Motor("A", lambda state: TORQUE * da.sin(RATE * state.t)))
    s.add_law("dry", da.JointFriction("A", force=DRY))
    s.add_law("stops", da.Stop("A", *ENDS))
    return s.build(cut=["C"])


def mujoco_four_bar(
    mujoco: Any, step: float, damping: float, duration: float, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Times, crank angles, seconds: loop, stops and friction as stiff as MuJoCo takes them; `damping` is that of the stops."""
    stiff = f"{2 * step} 1"
    hard = f'solref="{stiff}" solimp="0.9999 0.9999 0.001 0.5 2"'
    limit = f'solreflimit="{2 * step} {damping}" solimplimit="0.9999 0.9999 0.001 0.5 2" solreffriction="{stiff}" '

    def rod(length: float) -> str:
        I = length * length / 12
        return f'<inertial pos="{length / 2} 0 0" mass="1" diaginertia="1e-9 {I} {I}"/>'

    xml = f"""<mujoco><compiler angle="radian" boundinertia="1e-12" balanceinertia="false"/>
<option integrator="RK4" timestep="{step}" gravity="0 {-G} 0" iterations="100" tolerance="1e-14"/>
<worldbody><body>{rod(1.0)}<joint name="A" axis="0 0 1" limited="true" range="{ENDS[0]} {ENDS[1]}" frictionloss="{DRY}"
{limit} solimpfriction="0.9999 0.9999 0.001 0.5 2"/><body pos="1 0 0">{rod(2.5)}<joint name="B" axis="0 0 1"/>
<site name="c" pos="2.5 0 0"/></body></body><body pos="2 0 0">{rod(1.7)}<joint name="D" axis="0 0 1"/><site name="r" pos="1.7 0 0"/>
</body></worldbody><equality><connect site1="c" site2="r" {hard}/></equality>
<actuator><motor joint="A"/></actuator></mujoco>"""
    from mujoco import rollout

    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    data.qpos[:] = start
    spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
    first = np.zeros((1, mujoco.mj_stateSize(model, spec)))
    mujoco.mj_getState(model, data, first[0], spec)
    n = round(duration / step)
    control = TORQUE * np.sin(RATE * step * (np.arange(n) + 0.5)).reshape(1, n, 1)
    began = time.perf_counter()
    state, _ = rollout.rollout(model, data, first, control, nstep=n)
    seconds = time.perf_counter() - began
    return step * np.arange(1, n + 1), state[0, :, 1], seconds


# -- a block that is to stand -------------------------------------------------------------------------------------------------
def block() -> tuple[da.Mechanism, dict[str, float]]:
    """A cube of 0.2 m and 1 kg on four corners; the slope is in gravity."""
    s = da.System("block", gravity=(G * math.sin(SLOPE), 0, -G * math.cos(SLOPE)))
    s.add_body("block", da.box(mass=1.0, size=(0.2, 0.2, 0.2)))
    s.add_joint("J", da.Free(), "ground", "block")
    for k, (x, y) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1))):
        s.add_law(f"corner{k}", da.Contact(("block", (0.1 * x, 0.1 * y, -0.1)), mu=MU))
    return s.build(), {"J.z": 0.1}


def mujoco_hold(mujoco: Any, cone: str, impratio: float, step: float) -> tuple[float, float]:
    """Way that the block has crept, seconds."""
    xml = f"""<mujoco><option timestep="{step}" cone="{cone}" impratio="{impratio}"
gravity="{G * math.sin(SLOPE)} 0 {-G * math.cos(SLOPE)}"/><worldbody><geom type="plane" size="9 9 .1" friction="{MU}"/>
<body pos="0 0 0.1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1" friction="{MU}"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    began = time.perf_counter()
    mujoco.mj_step(model, data, round(HOLD / step))
    return float(abs(data.qpos[0])), time.perf_counter() - began


def drake_hold(step: float, duration: float) -> tuple[float, float]:
    """The same by Drake's discrete contact."""
    from pydrake.geometry import HalfSpace, Sphere
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
    from pydrake.multibody.tree import SpatialInertia, UnitInertia
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.framework import DiagramBuilder

    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, step)
    friction = CoulombFriction(MU, MU)
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", friction)
    body = plant.AddRigidBody("block", SpatialInertia(1.0, np.zeros(3), UnitInertia.SolidBox(0.2, 0.2, 0.2)))
    for k, (x, y) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1))):  # a box on a half-space would be one contact
        at = RigidTransform([0.09 * x, 0.09 * y, -0.09])
        plant.RegisterCollisionGeometry(body, at, Sphere(0.01), f"corner{k}", friction)
    plant.mutable_gravity_field().set_gravity_vector([G * math.sin(SLOPE), 0, -G * math.cos(SLOPE)])
    plant.Finalize()
    diagram = builder.Build()
    simulator = Simulator(diagram)
    own = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    plant.SetFreeBodyPose(own, body, RigidTransform([0, 0, 0.1]))
    simulator.Initialize()
    simulator.AdvanceTo(SETTLED)
    before = plant.EvalBodyPoseInWorld(own, body).translation()[0]
    began = time.perf_counter()
    simulator.AdvanceTo(SETTLED + duration)
    seconds = time.perf_counter() - began
    return float(abs(plant.EvalBodyPoseInWorld(own, body).translation()[0] - before)), seconds


def pinocchio_hold(pin: Any, step: float, steps: int, solver: str) -> tuple[float, float]:
    """Slip that is left after a step by Pinocchio's solver at its default tolerances, as m of creep over the hold; seconds a step."""
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "J")
    model.appendBodyToJoint(joint, pin.Inertia.FromBox(1.0, 0.2, 0.2, 0.2), pin.SE3.Identity())
    model.gravity.linear = np.array([G * math.sin(SLOPE), 0, -G * math.cos(SLOPE)])
    data = model.createData()
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for x, y in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        corner = np.array([0.1 * x, 0.1 * y, -0.1])
        on_ground = pin.SE3(np.eye(3), corner + np.array([0, 0, 0.1]))
        contact = pin.PointContactConstraintModel(model, 0, on_ground, joint, pin.SE3(np.eye(3), corner))
        contact.setFriction(MU)
        models.append(pin.ConstraintModel(contact))
        datas.append(models[-1].createData())
    q = pin.neutral(model)
    q[2] = 0.1
    free = step * pin.aba(model, data, q, np.zeros(6), np.zeros(6))
    pin.computeJointJacobians(model, data, q)
    for one, other in zip(models, datas):
        one.calc(model, data, other)
    J = np.vstack([one.jacobian(model, data, other) for one, other in zip(models, datas)])
    M = pin.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    W = J @ np.linalg.solve(M, J.T)
    kinds = {"ADMM": ("ADMMConstraintSolver", "ADMMSolver"), "PGS": ("PGSConstraintSolver", "PGSSolver")}[solver]
    made = getattr(pin, kinds[0])(len(W))
    settings, result = getattr(pin, kinds[1] + "Settings")(), getattr(pin, kinds[1] + "Result")()
    began = time.perf_counter()
    for _ in range(steps):
        made.solve(pin.DelassusOperatorDense(W), J @ free, models, datas, settings, result)
    seconds = (time.perf_counter() - began) / steps
    impulses = np.asarray(result.retrieveConstraintImpulses())
    v = free + np.linalg.solve(M, J.T @ impulses)
    return float(abs(v[0])) * HOLD, seconds


# -- a walking toy -----------------------------------------------------------------------------------------------------------
def walker() -> tuple[da.Mechanism, dict[str, Any]]:
    """A wheel without rim on two spokes at first, already walking."""
    s = da.System("rimless wheel", gravity=(G * math.sin(WALK_SLOPE), -G * math.cos(WALK_SLOPE), 0))
    s.add_body("wheel", mass=1.0, inertia=(INERTIA,) * 3)
    s.add_joint("J", da.Planar(), "ground", "wheel")
    for k in range(SPOKES):
        a = 2 * math.pi * (k + 0.5) / SPOKES
        tip = (LENGTH * math.sin(a), -LENGTH * math.cos(a), 0)
        s.add_law(f"spoke{k}", da.Contact(("wheel", tip), normal=(0, 1, 0), mu=1.0))
    alpha = math.pi / SPOKES
    rate = 1.2  # about the front foot, to the right
    height = LENGTH * math.cos(alpha)
    reach = LENGTH * math.sin(alpha)
    start = {"initial": {"J.y": height}, "speeds": {"J.angle": -rate, "J.x": rate * height, "J.y": rate * reach}}
    return s.build(), start


def walked_exactly(impacts: int) -> float:
    """Rate just before an impact, by the closed form, after so many impacts from the start of `walker`."""
    alpha, I = math.pi / SPOKES, INERTIA + LENGTH**2
    kept = (INERTIA + LENGTH**2 * math.cos(2 * alpha)) / I
    gain = 4 * G * LENGTH * math.sin(alpha) * math.sin(WALK_SLOPE) / I
    square = 1.2**2 + gain
    for _ in range(impacts - 1):
        square = kept * kept * square + gain
    return math.sqrt(square)


def mujoco_walker(mujoco: Any, step: float, duration: float) -> tuple[float, float]:
    """Way walked, seconds."""
    r = 1e-3
    tips = []
    for k in range(SPOKES):
        a = 2 * math.pi * (k + 0.5) / SPOKES
        x, y = (LENGTH - r) * math.sin(a), -(LENGTH - r) * math.cos(a)
        tips.append(f'<geom type="sphere" size="{r}" pos="{x} {y} 0" mass="0" solref="{2 * step} 1" friction="1 0 0"/>')
    alpha = math.pi / SPOKES
    height, reach = LENGTH * math.cos(alpha), LENGTH * math.sin(alpha)
    xml = f"""<mujoco><compiler boundinertia="1e-12" balanceinertia="false"/><option timestep="{step}" cone="elliptic" impratio="100"
gravity="{G * math.sin(WALK_SLOPE)} {-G * math.cos(WALK_SLOPE)} 0"/><worldbody>
<geom type="plane" size="0 0 .1" zaxis="0 1 0" friction="1 0 0" solref="{2 * step} 1"/>
<body><inertial pos="0 0 0" mass="1" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/><joint type="slide" axis="1 0 0"/>
<joint type="slide" axis="0 1 0"/><joint type="hinge" axis="0 0 1"/>{"".join(tips)}</body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = [0, height, 0], [1.2 * height, 1.2 * reach, -1.2]
    began = time.perf_counter()
    mujoco.mj_step(model, data, round(duration / step))
    return float(data.qpos[0]), time.perf_counter() - began
