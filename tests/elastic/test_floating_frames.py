"""C's Fig. 4: a spinning beam with two rigid end bodies. Four floating frames, one motion of the end bodies.

As mode sets the frames agree to second order in the deformation, because they carry their second-order terms. As gauges
(redundant coordinates and a condition that ties the frame to the body) they agree exactly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

import dalembert as da
from dalembert.elastic import ElasticBody, attached, principal
from dalembert.elastic.node import Node
from dalembert.formulations.tree import kane

SHAPE = np.array([1.0, -0.4, 0.6, 0.3])


@pytest.fixture(scope="module")
def bar() -> ElasticBody:
    ends = {0.0: da.box(2.0, (0.2, 1.5, 0.3)), 4.0: da.box(3.0, (0.2, 1.2, 0.4))}
    return da.beam(
        4.0, E=7e10, rho=2700.0, A=2e-4, Iy=4e-10, Iz=3e-10, modes={"y": 2, "z": 2}, bodies=ends, support="free",
        elements=12,
    )  # fmt: skip


def flown(body: ElasticBody, eps: float) -> da.Motion:
    """Three seconds from a bent state, spinning about a transverse axis; the joint holds the root's own frame in every case."""
    s = da.System("bar")
    s.add_body("bar", elastic=body)
    s.add_joint("free", da.Free(), "ground", "bar", at_child="root")
    spin = np.array([0.0, 0.0, 3.0])
    speeds = [*spin, *np.cross(spin, [-2.0, 0.0, 0.0])]
    return s.build().simulate(3.0, {"bar": eps * SHAPE}, {"free": speeds}, rtol=1e-10, output=0.02)


def tip_difference(a: da.Motion, b: da.Motion) -> float:
    return float(np.abs(a.position(("bar", "tip")) - b.position(("bar", "tip"))).max())


@pytest.mark.parametrize("change", [lambda b: attached(b, "root"), principal], ids=["attached", "principal"])
def test_mode_sets_agree_to_second_order(bar: ElasticBody, change: Any) -> None:
    found = []
    for eps in (0.01, 0.005):
        reference, other = flown(bar, eps), flown(change(bar), eps)
        found.append(tip_difference(reference, other))
        frames = [m.pose("bar").rotation for m in (reference, other)]
        assert np.abs(frames[0] - frames[1]).max() > 5.0 * found[-1]  # the frames themselves differ at first order
    assert found[0] / found[1] > 3.4
    assert found[1] < 1e-3


def test_without_second_order_terms_they_do_not(bar: ElasticBody) -> None:
    whole = principal(bar)
    nodes = {k: Node.of(n.r, n.Phi, n.Psi, bar.nodes[k].G) for k, n in whole.nodes.items()}
    first_order_only = replace(whole, G0=bar.G0, H=bar.H, nodes=nodes)
    reference = flown(bar, 0.01)
    good, bad = (tip_difference(reference, flown(b, 0.01)) for b in (whole, first_order_only))
    assert bad > 3.0 * good


def test_principal_mode_set_keeps_to_the_principal_axes(bar: ElasticBody) -> None:
    """To second order, whereas Buckens' frame leaves them at first."""
    V = np.linalg.eigh(bar.P[0, 0] - bar.m * np.outer(bar.com, bar.com))[1]
    V = V * np.linalg.det(V)
    off = {}
    for name, body in (("principal", principal(bar)), ("buckens", bar)):
        for eps in (0.02, 0.01):
            motion = flown(body, eps)
            turned = motion.pose("bar").rotation @ V
            off[name, eps] = np.abs(motion.principal_axes("bar") - turned).max()
    assert off["principal", 0.02] / off["principal", 0.01] == pytest.approx(4.0, rel=0.15)
    assert off["buckens", 0.02] / off["buckens", 0.01] == pytest.approx(2.0, rel=0.15)


def test_tisserand_frame_sees_no_momentum_of_its_own(bar: ElasticBody) -> None:
    """H = J ω_T: the frame's own angular velocity gives the whole angular momentum, constant for a free body."""
    motion = flown(bar, 0.04)
    R = motion.tisserand_frame("bar")
    assert np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max() < 1e-9
    rate = (R[:-4] - 8 * R[1:-3] + 8 * R[3:-1] - R[4:]) / (12 * 0.02)
    w = np.einsum("sab,scb->sac", rate, R[2:-2])
    w = np.stack([w[:, 2, 1], w[:, 0, 2], w[:, 1, 0]], axis=1)
    H = motion.evaluate(lambda s: s.mechanism.bodies[0].spin(s.instants[0]))
    J = motion.evaluate(lambda s: _central_inertia(s))
    found = np.einsum("sab,sb->sa", J[2:-2], w)
    assert np.abs(H - H[0]).max() < 1e-8 * np.abs(H).max()
    assert np.abs(found - H[2:-2]).max() < 1e-3 * np.abs(H).max()


def _central_inertia(s: Any) -> Any:
    from dalembert.elastic.inertia import Deformed

    at, b = s.instants[0], s.mechanism.bodies[0]
    d = Deformed(b.data, at.q)
    P = d.P - np.outer(d.c, d.c) / b.mass
    J = np.trace(P) * np.eye(3) - P
    return at.R @ J @ at.R.T


# -- the same statement without "small": frames as gauges -----------------------------------------------------------------
MASSES = {"left": 2.0, "a": 0.5, "b": 0.6, "c": 0.4, "right": 3.0}
PLACES = dict(zip(MASSES, [-2.0, -1.0, 0.0, 1.0, 2.0]))
BENT = dict(zip(MASSES, [0.4, 0.1, -0.2, -0.1, 0.3]))
INERTIA = 0.3


def planar_system(on: str) -> da.System:
    """Two rigid end bodies and three nodal masses in the plane, held by springs that know no frame; they ride on `on`."""
    s = da.System("gauge")
    if on != "ground":
        s.add_body(on)
        s.add_joint(on, da.Planar(), "ground", on)
    for name, m in MASSES.items():
        s.add_body(name, mass=m, inertia=(INERTIA, INERTIA, INERTIA) if name in ("left", "right") else (0.1, 0.1, 0.1))
        s.add_joint(f"to_{name}", da.Planar(), on, name)
    names = list(MASSES)
    for i, j in [(0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (1, 3), (2, 4)]:
        a, b = names[i], names[j]
        s.add_force(f"{a}-{b}", da.Spring(a, b, stiffness=30.0, length=abs(PLACES[b] - PLACES[a])))
    for end, next_one in (("left", "a"), ("right", "c")):
        arm = 0.5 if end == "left" else -0.5
        s.add_force(f"lever-{end}", da.Spring((end, (arm, 0.5, 0.0)), next_one, stiffness=20.0, length=0.7))
    return s


def relative(s: Any, name: str) -> tuple[Any, Any, Any, Any]:
    """Place in the frame, rate of it, turn rate, and turn of a body that rides on the frame."""
    _, q, u = s.joint(f"to_{name}")
    return q[:2], u[:2], u[2], q[2]


def sums(s: Any, of: Any) -> Any:
    return sum(m * of(name, *relative(s, name)) for name, m in MASSES.items())


def centred(s: Any) -> list[Any]:
    return [sums(s, lambda name, x, v, w, turn: x[i]) for i in (0, 1)]


def cross2(a: Any, b: Any) -> Any:
    return a[0] * b[1] - a[1] * b[0]


SHIFT = sum(m * PLACES[n] for n, m in MASSES.items()) / sum(MASSES.values())


def undeformed(name: str) -> np.ndarray:
    return np.array([PLACES[name] - SHIFT, 0.0])


def own_inertia(name: str) -> float:
    return (INERTIA if name in ("left", "right") else 0.1) / MASSES[name]


FRAMES: dict[str, Any] = {
    "attached": da.Relation(position=lambda s: list(s.joint("to_left")[1])),
    "buckens": da.Relation(
        position=lambda s: [
            *centred(s),
            sums(s, lambda n, x, v, w, turn: cross2(undeformed(n), x) + own_inertia(n) * turn),
        ]
    ),
    "tisserand": da.Relation(
        position=lambda s: centred(s),
        speed=lambda s: sums(s, lambda n, x, v, w, turn: cross2(x, v) + own_inertia(n) * w),
    ),
    "principal": da.Relation(position=lambda s: [*centred(s), sums(s, lambda n, x, v, w, turn: x[0] * x[1])]),
}


def start(m: da.Mechanism, frame: Any = (0.0, 0.0, 0.0), rate: Any = (0.0, 0.0, 0.0)) -> tuple[np.ndarray, np.ndarray]:
    """Bent, spinning at 2 rad/s about the mass centre, in coordinates relative to a frame that moves so."""
    q, u = np.zeros(m.n_q), np.zeros(m.n_u)
    if "frame" in m.joint_number:
        q[:3], u[:3] = frame, rate
    c, s = np.cos(frame[2]), np.sin(frame[2])
    back = np.array([[c, s], [-s, c]])
    centre = np.array([SHIFT, sum(MASSES[n] * BENT[n] for n in MASSES) / sum(MASSES.values())])
    for name in MASSES:
        at = [m.coordinates.index(c) for c in m.coordinates if c.startswith(f"to_{name}.")]
        x = np.array([PLACES[name], BENT[name]]) - centre
        arm = x - frame[:2]
        q[at] = [*(back @ arm), -frame[2]]
        v = np.array([-2.0 * x[1], 2.0 * x[0]]) - rate[:2] - rate[2] * np.array([-arm[1], arm[0]])
        u[at] = [*(back @ v), 2.0 - rate[2]]
    return q, u


def started_in_gauge(m: da.Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """The frame placed, then moved, so that its condition holds."""
    condition = m.constraint_rows["condition"]

    def rows(frame: Any, rate: Any) -> Any:
        return condition.rows(m.state(*start(m, frame, rate)))

    def gap(frame: Any) -> np.ndarray:
        found = rows(frame, np.zeros(3))
        return np.asarray(found.g[m.rows.holonomic[m.rows.of_owner("condition")]])

    frame = least_squares(gap, np.zeros(3), xtol=1e-15, ftol=1e-15, gtol=1e-15).x

    def slip(rate: Any) -> np.ndarray:
        at = rows(frame, rate)
        return np.asarray(at.B @ start(m, frame, rate)[1] - at.b)

    still = slip(np.zeros(3))
    per_rate = np.array([slip(e) - still for e in np.eye(3)]).T
    return start(m, frame, -np.linalg.lstsq(per_rate, still, rcond=None)[0])


def ends(m: da.Mechanism, q: np.ndarray) -> np.ndarray:
    s = m.state(q)
    return np.concatenate([[*s.position(n)[:2], *s.rotation(n)[:2, 0]] for n in ("left", "right")])


def integrated(m: da.Mechanism, q: np.ndarray, u: np.ndarray, solve: Any) -> np.ndarray:
    n = m.n_q

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], solve(y[:n], y[n:])])

    return np.asarray(solve_ivp(rate, (0.0, 0.25), [*q, *u], rtol=1e-9, atol=1e-10, method="DOP853").y[:n, -1])


def multiplied(m: da.Mechanism, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """u̇ with multipliers; A alone is singular, since a massless frame and all that rides on it can move together for nothing."""
    e = kane.equations(m.state(q, u))
    K = np.block([[e.A, e.B.T], [e.B, np.zeros((len(e.B), len(e.B)))]])
    return np.asarray(np.linalg.solve(K, [*e.f, *e.gamma])[: m.n_u])


@pytest.fixture(scope="module")
def absolute() -> np.ndarray:
    """Newton–Euler: every body in coordinates of its own."""
    m = planar_system("ground").build()
    q, u = start(m)
    return ends(m, integrated(m, q, u, lambda q, u: m.forward_dynamics(q, u)))


@pytest.mark.parametrize("frame", FRAMES)
def test_gauges_agree_exactly(frame: str, absolute: np.ndarray) -> None:
    s = planar_system("frame")
    s.add_constraint("condition", FRAMES[frame])
    m = s.build()
    q, u = started_in_gauge(m)
    found = ends(m, integrated(m, q, u, lambda q, u: multiplied(m, q, u)))
    assert np.abs(found - absolute).max() < 1e-7
