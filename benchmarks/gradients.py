"""What gradients cost, as ratios of processor times measured together: python -m benchmarks.gradients

A motion backward in all inertial parameters of a chain, beside the motion itself, beside a motion for every parameter, and beside
Pinocchio's derivatives of forward dynamics at every stage; a batch through jax.vmap beside the batch itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert.files import gallery
from dalembert.simulation.rollout.rollout import Rollout, rollout_program

REPORT = Path(__file__).parent / "results" / "gradients.md"
STEPS, STEP, BATCH = 1000, 1e-3, 10_000
LARGEST_MJX = 7
"""Bodies up to which MJX is asked: it takes minutes to compile more."""


def least(call: Callable[[], Any], times: int = 5) -> float:
    """Least processor time of several calls, after one."""
    return together(call, times=times)[0]


def together(*calls: Callable[[], Any], times: int = 15) -> list[float]:
    """Least processor times of calls that take turns, so that all meet the same machine."""
    found: list[list[float]] = [[] for _ in calls]
    for turn in range(times + 1):
        for call, times_taken in zip(calls, found):
            began = time.process_time()
            call()
            if turn:
                times_taken.append(time.process_time() - began)
    return [min(x) for x in found]


def chain(n: int) -> da.Mechanism:
    """n bodies on hinges about all axes; mass, mass centre and inertia of each are parameters."""
    s, parent = da.System("chain", gravity=(0, 0, -9.81)), "ground"
    for i in range(n):
        at = {
            "m": 1.0,
            "cx": 0.1,
            "cy": 0.01,
            "cz": 0.02,
            "xx": 0.02,
            "xy": 1e-3,
            "xz": 1e-3,
            "yy": 0.03,
            "yz": 1e-3,
            "zz": 0.025,
        }
        p = {name: s.parameter(f"{name}{i}", value) for name, value in at.items()}
        inertia = [[p["xx"], p["xy"], p["xz"]], [p["xy"], p["yy"], p["yz"]], [p["xz"], p["yz"], p["zz"]]]
        s.add_body(f"b{i}", da.MassProperties(p["m"], (p["cx"], p["cy"], p["cz"]), np.array(inertia, dtype=object)))
        axis = [(0, 0, 1), (0, 1, 0), (1, 0, 0)][i % 3]
        s.add_joint(f"j{i}", da.Revolute(axis), parent, f"b{i}", at_parent=(0.2 * (i > 0), 0, 0))
        parent = f"b{i}"
    return s.build()


def backward(n: int) -> str:
    m = chain(n)
    q, u = np.full(n, 0.1), np.zeros(n)
    rollout = Rollout(rollout_program(m, q, 0.0), STEP * np.arange(STEPS + 1))
    P, x, t = np.array(list(m.parameters.values()))[None], np.zeros((1, 1, n)), np.zeros(1)
    start = np.concatenate([q, u])[None]
    Y = rollout.march(start, x, P, t)
    W = np.zeros_like(Y)
    W[:, -1] = 1.0
    motion, forward, backward = together(
        lambda: m.simulate(STEPS * STEP, q, u, step=STEP, output=[STEPS * STEP]),
        lambda: rollout.march(start, x, P, t),
        lambda: rollout.weigh(Y, x, P, t, W.copy()),
    )
    both = forward + backward
    peer = pinocchio(n)
    beside = "not installed" if peer is None else f"{4 * STEPS * peer / motion:.1f}"
    there = mjx(n) if n <= LARGEST_MJX else None
    mujoco = "not run | not run" if there is None else f"{there[0] / motion:.0f} | {there[1] / motion:.0f}"
    return f"| {n} | {P.shape[1]} | {both / motion:.1f} | {P.shape[1] + 1} | {beside} | {mujoco} |"


def pinocchio(n: int) -> float | None:
    """Seconds of one `computeABADerivatives` of a chain as long: ∂u̇ in q, u and τ, not in inertias."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model, parent = pin.Model(), 0
    kinds = [pin.JointModelRZ, pin.JointModelRY, pin.JointModelRX]
    for i in range(n):
        place = pin.SE3(np.eye(3), np.array([0.2 * (i > 0), 0, 0]))
        parent = model.addJoint(parent, kinds[i % 3](), place, f"j{i}")
        inertia = np.array([[0.02, 1e-3, 1e-3], [1e-3, 0.03, 1e-3], [1e-3, 1e-3, 0.025]])
        model.appendBodyToJoint(parent, pin.Inertia(1.0, np.array([0.1, 0.01, 0.02]), inertia), pin.SE3.Identity())
    data, q, u = model.createData(), np.full(n, 0.1), np.zeros(n)

    def many() -> None:
        for _ in range(1000):
            pin.computeABADerivatives(model, data, q, u, u)

    return least(many) / 1000


def mjx(n: int) -> tuple[float, float] | None:
    """Seconds of the same motion in MJX on this processor, and of it with its gradient in masses, centres and moments of inertia.

    The chain is a MuJoCo model: the joints' axes, masses and inertias are those of `chain`, rk4 with as many steps; contacts and
    constraints are switched off. Its gradient remembers the state of every step and makes each anew.
    """
    try:
        import jax
        import mujoco
        from mujoco import mjx
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    axes, text = ["0 0 1", "0 1 0", "1 0 0"], ""
    for i in reversed(range(n)):
        inertial = '<inertial pos="0.1 0.01 0.02" mass="1" fullinertia="0.02 0.03 0.025 0.001 0.001 0.001"/>'
        joint = f'<joint type="hinge" axis="{axes[i % 3]}"/>'
        text = f'<body pos="{0.2 * (i > 0)} 0 0">{inertial}{joint}{text}</body>'
    flags = '<flag constraint="disable" contact="disable" warmstart="disable"/>'
    option = f'<option timestep="{STEP}" integrator="RK4" gravity="0 0 -9.81">{flags}</option>'
    model = mjx.put_model(mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{text}</worldbody></mujoco>"))
    data = mjx.make_data(model).replace(qpos=jax.numpy.full(n, 0.1))

    def end(mass: Any, inertia: Any, centre: Any) -> Any:
        varied = model.replace(body_mass=mass, body_inertia=inertia, body_ipos=centre)
        step = jax.checkpoint(lambda d, _: (mjx.step(varied, d), None))
        last, _ = jax.lax.scan(step, data, None, length=STEPS)
        return last.qpos.sum() + last.qvel.sum()

    at = model.body_mass, model.body_inertia, model.body_ipos
    value, both = jax.jit(end), jax.jit(jax.value_and_grad(end, (0, 1, 2)))
    return least(lambda: value(*at).block_until_ready(), 3), least(lambda: jax.block_until_ready(both(*at)), 3)


def batched(name: str) -> str:
    import jax

    jax.config.update("jax_enable_x64", True)
    m = da.load(gallery.files()[name])
    _, initial, speeds = m.plan.begun(None, None, None)
    start = m.simulate(1e-3, initial, speeds, output=[0.0])
    Q, U = np.repeat(start.q[:1], BATCH, axis=0), np.linspace(0.5, 1.0, BATCH)[:, None] * start.u[0]
    f = jax.jit(jax.vmap(m.jax.forward_dynamics))
    q, u = jax.numpy.asarray(Q), jax.numpy.asarray(U)
    own, there = together(lambda: m.forward_dynamics(Q, U), lambda: f(q, u).block_until_ready(), times=60)
    return f"| {name} | {own / BATCH * 1e9:.0f} ns | {own / there:.0%} |"


TITLES = (
    "bodies", "parameters", "value and gradient, in motions", "by differences, in motions",
    "Pinocchio's ∂u̇ in q, u, τ at 4 stages of every step, in motions", "MJX: the motion, in motions", "MJX: with its gradient",
)  # fmt: skip
BATCHES = ("model", f"forward_dynamics of {BATCH} states, each", "speed through jit(vmap(m.jax.forward_dynamics))")
ABOUT = f"""# Gradients

`python -m benchmarks.gradients`; processor times, measured together. Motions of {STEPS} steps of rk4.
Pinocchio's derivatives are those of
every stage by themselves, without inertial parameters and without a march. MJX is compiled for this processor (XLA); its gradient is in
masses, principal moments and centres of mass, 7 numbers for each body where ours has 10; its 1000 steps are of rk4, too.
"""


def table(titles: tuple[str, ...], rows: list[str]) -> str:
    return "\n".join([f"| {' | '.join(titles)} |", "|---" * len(titles) + "|", *rows, ""])


def main() -> None:
    rows = [backward(n) for n in (7, 20)]
    batches = [batched(name) for name in ("four_bar", "robot_arm", "stewart_platform")]
    report = "\n".join([ABOUT, table(TITLES, rows), table(BATCHES, batches)])
    REPORT.write_text(report, encoding="utf-8")
    print(report)


if __name__ == "__main__":
    main()
