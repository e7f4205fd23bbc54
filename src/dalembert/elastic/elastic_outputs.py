"""Outputs of any run about an elastic body: floating frames that are no mode sets (Tisserand's, in which the body has no angular
momentum of its own, and the principal axes of the deformed body), and the loads inside a beam."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.elastic.central import Central
from dalembert.elastic.inertia import Deformed
from dalembert.errors import ModelError
from dalembert.pivoting import least_squares

AXES_RTOL, AXES_ATOL = 1e-11, 1e-12
"""Tolerances of the integration that turns a frame with the body."""
RANK = 1e-9
"""Part of the largest moment below which a frame's spin about an axis is not decided."""


@dataclass(frozen=True, eq=False)
class InnerLoads:
    """In the sections at `x` (P,), at every sample: `moment` (K, P, 3) about the beam's axes (torsion, bending about y and z) and
    `axial` force (K, P), positive in tension. The part beyond x exerts them on the part before it."""

    x: np.ndarray
    moment: np.ndarray
    axial: np.ndarray


def inner_loads(motion: Any, body: str) -> InnerLoads:
    """Inner loads from the strains of the modes, see `elastic.sections`."""
    k, data = _elastic(motion, body)
    if data.sections is None:
        raise ModelError(f'body "{body}" is not a beam made by da.beam, so the loads in its sections are not known')
    q = _modes(motion, k)[0]
    s = data.sections
    return InnerLoads(s.x, np.einsum("pan,kn->kpa", s.moments, q), np.einsum("pn,kn->kp", s.axial, q))


def principal_axes(motion: Any, body: str) -> np.ndarray:
    """(K, 3, 3): the central principal axes in world axes at every sample, ordered and signed as those of the undeformed body."""
    k, data = _elastic(motion, body)
    R = motion.body_motion().rotation[:, k]
    rest = np.linalg.eigh(data.P[0, 0] - data.m * np.outer(data.com, data.com))[1]
    rest = rest * np.linalg.det(rest)
    out = np.empty_like(R)
    for i, q in enumerate(_modes(motion, k)[0]):
        d = Deformed(data, q)
        axes = np.linalg.eigh(d.P - np.outer(d.c, d.c) / data.m)[1]
        order = np.argmax(np.abs(rest.T @ axes), axis=1)
        axes = axes[:, order]
        out[i] = R[i] @ (axes * np.sign(np.sum(axes * rest, axis=0)))
    return out


def tisserand_frame(motion: Any, body: str) -> np.ndarray:
    """(K, 3, 3): axes in which ∫(ρ + u) × u̇ dm = 0 [C II.A.2.i], equal to the floating frame's at the first sample.

    They turn at ω_T = J⁻¹H with J and H the body's inertia and angular momentum about its mass centre. The angle depends on the whole
    path, so that samples must be close enough for ω_T to be interpolated between them.
    """
    k, data = _elastic(motion, body)
    moved = motion.body_motion()
    q, qd = _modes(motion, k)
    w = np.einsum("sba,sb->sa", moved.rotation[:, k], moved.angular_velocity[:, k])
    turning = np.array([_spin(data, *one) for one in zip(q, qd, w)])
    world = np.einsum("sab,sb->sa", moved.rotation[:, k], turning)
    return turned_along(motion.t, world, moved.rotation[0, k])


def turned_along(t: np.ndarray, w: np.ndarray, start: np.ndarray) -> np.ndarray:
    """(K, 3, 3): axes that turn at the angular velocities w (K, 3, world axes), interpolated between samples."""
    from scipy.integrate import solve_ivp
    from scipy.interpolate import CubicSpline

    if len(t) < 2:
        return np.array([start])
    turning = CubicSpline(t, w)

    def rate(t: float, R: np.ndarray) -> np.ndarray:
        return np.cross(turning(t), R.reshape(3, 3), axisb=0, axisc=0).ravel()

    solved = solve_ivp(rate, (t[0], t[-1]), start.ravel(), t_eval=t, rtol=AXES_RTOL, atol=AXES_ATOL)
    return np.asarray(solved.y.T.reshape(-1, 3, 3))


def _spin(data: Any, q: np.ndarray, qd: np.ndarray, w: np.ndarray) -> np.ndarray:
    """ω_T = ω + J⁻¹Crᵀq̇ in body axes; about a line on which all mass lies, as slow as can be."""
    c = Central(Deformed(data, q))
    return np.asarray(w + least_squares(c.J, c.Cr.T @ qd, RANK))


def _elastic(motion: Any, body: str) -> tuple[int, Any]:
    m = motion.samples.mechanism
    k = m.number_of.get(body, 0)
    if not k or not m.bodies[k - 1].modes:
        known = ", ".join(b.name for b in m.bodies if b.modes) or "none"
        raise ModelError(f'there is no elastic body "{body}"; the mechanism has {known}')
    return k - 1, m.bodies[k - 1].data


def _modes(motion: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    m = motion.mechanism
    q, u = m.in_joint_variables.modal_places_of(m.bodies[k].name)
    if m.variables is None:
        return motion.q[:, list(q)], motion.u[:, list(u)]
    return m.joint_coordinates(motion.q)[:, list(q)], motion.evaluate(lambda s: s.modal_u(k + 1))
