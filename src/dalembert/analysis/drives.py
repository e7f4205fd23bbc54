"""Inverse dynamics with loops: the forces on the actuated joints that a prescribed motion needs.

A u̇ + Bᵀλ = f + Sτ, where S places the actuators' forces τ among the speeds. With A = L Lᵀ and U spanning the columns of L⁻¹Bᵀ, the
projection P = 1 − UUᵀ leaves out the loops' forces [B's null space, in the metric of A]: P L⁻¹S τ = P L⁻¹(A u̇ − f).
Where τ is not unique, it is the one with the least Σ w τ²; where no τ is enough, the motion P L⁻¹… that stays undriven is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.equations_batch import Written, samples, written
from dalembert.analysis.finding import Finding
from dalembert.analysis.tabular import Tabular, over
from dalembert.arguments import numbers, real
from dalembert.constraints.diagnosis.contradictions import check_defined
from dalembert.constraints.massless import carried, mass_factor
from dalembert.errors import DriveError, StateError
from dalembert.kinematics.bending import check_positive
from dalembert.kinematics.constraint_rows import row_scales
from dalembert.mechanism import Mechanism
from dalembert.mechanism.connected import largest_in
from dalembert.motion.samples import Samples
from dalembert.parts.names import unknown
from dalembert.pivoting import RANK_TOLERANCE
from dalembert.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DRIVEN = 1e-7
"""Part of an actuator's force, in the metric of A⁻¹, that must be left beside the loops' forces for it to drive anything."""
UNDRIVEN = 1e-8
"""Part of the forces that may be left undriven: rounding, also of a motion that was given to nine digits."""
INCONSISTENT = 1e-6
"""Gap, slip or strain, by the size of its row and relative to its terms, beyond which a motion does not keep a loop closed."""
MOVES = 1e-7
"""Component of a change of τ that changes no motion, below which a force takes no part in it."""
WEIGHED = 1e-3
"""Part of the forces that weight alone would make, beside which what no actuator bears is measured."""


@dataclass(frozen=True, eq=False)
class Drives(Tabular):
    """What the actuators must give, for one state (n,) or many (K, n)."""

    actuated: tuple[str, ...]
    """The speeds on which the forces act."""
    forces: np.ndarray
    tau: np.ndarray
    """The same among all speeds, as `forward_dynamics` takes them."""
    determined: np.ndarray
    """For each actuator, whether its force is unique at every state."""
    surplus: int
    """How many forces could be chosen freely, at most: actuators beyond the freedoms they drive."""
    weighted: bool
    t: np.ndarray
    """The time of each state."""

    def columns(self) -> dict[str, np.ndarray]:
        """Time, and the force of each actuator."""
        return {"t": self.t, **dict(zip(self.actuated, np.atleast_2d(self.forces).T))}

    def plot(self, ax: Axes | None = None) -> Axes:
        """The forces over time, or over the states where all are of one time; the axes of matplotlib."""
        timed = len(np.unique(self.t)) == len(self.t)
        x, name = (self.t, "t, s") if timed else (np.arange(len(self.t)), "state")
        return over(x, name, dict(zip(self.actuated, np.atleast_2d(self.forces).T)), "N or Nm", ax)

    @property
    def unique(self) -> bool:
        return self.surplus == 0

    def __getitem__(self, name: str) -> np.ndarray:
        """The force of one actuator."""
        if name not in self.actuated:
            raise unknown(name, "actuated speed", self.actuated, "drives")
        return self.forces[..., self.actuated.index(name)]

    def finding(self, m: Mechanism) -> Finding:
        """What the page shows of it."""
        return Finding("Drives", str(self))

    def __str__(self) -> str:
        largest = np.abs(np.atleast_2d(self.forces)).max(axis=0, initial=0.0)
        lines = [f"{name}: at most {size:.6g}" for name, size in zip(self.actuated, largest)]
        if self.unique:
            return "\n".join([*lines, "These forces are unique."])
        free = ", ".join(name for name, known in zip(self.actuated, self.determined) if not known)
        which = "the least weighted sum of squares" if self.weighted else "the least sum of squares"
        return "\n".join(
            [*lines, f"{self.surplus} too many for the motion: {free} can work against each other; shown is {which}."]
        )


def drives(
    m: Mechanism, q: Any, u: Any, udot: Any, actuated: Iterable[str] | None, weights: Any, t: Any, parameters: Any,
    besides: np.ndarray | None = None,
) -> Drives:  # fmt: skip
    """See `Mechanism.drives`; `besides` are generalized forces (K, n) that act besides those of the mechanism."""
    x = samples(m, q, u, t, parameters)
    if m.constraint_rows:
        check_positive(m, x.q, x.t, parameters, "drives")
    if np.shape(udot)[-1:] != (m.n_u,) or np.ndim(udot) > 2 or (np.ndim(udot) == 2 and len(udot) not in (1, len(x))):
        raise StateError(
            f'mechanism "{m.name}" has {counted(m.n_u, "speed")}: give udot as ({m.n_u},) or ({len(x)}, {m.n_u}) numbers, '
            f"not {np.shape(udot)}"
        )
    rates = np.broadcast_to(np.asarray(udot, dtype=float), x.u.shape)
    columns = actuated_columns(m, actuated)
    names = tuple(m.speeds[c] for c in columns)
    w = _weights(names, weights)
    one = max(np.ndim(q), np.ndim(u), np.ndim(udot), np.ndim(t) + 1) == 1
    if not m.constraint_rows:
        tau = _of_tree(m, x, rates, columns, np.zeros_like(x.u) if besides is None else besides)
        every = np.ones(len(columns), dtype=bool)
        found = tau[0, columns] if one else tau[:, columns]
        return Drives(names, found, tau[0] if one else tau, every, 0, weights is not None, x.t)
    sizes = row_scales(m.state(x.q[0], np.zeros(m.n_u), float(x.t[0])))
    forces, free = [], []
    done = 0
    for part in written(x, rates):
        times = x.t[done : done + len(part.A)]
        here = slice(done, done + len(part.A))
        _check_consistent(m, part, sizes, x.q[here], x.u[here], rates[here], times)
        part = part if besides is None else replace(part, needed=part.needed - besides[here])
        tau, open_to = _solved(m, part, columns, w, times)
        forces.append(tau)
        free.append(open_to)
        done += len(part.A)
    found, change = np.concatenate(forces), np.concatenate(free)
    tau = np.zeros_like(x.u)
    tau[:, columns] = found
    surplus = int(np.rint(np.trace(change, axis1=1, axis2=2)).max(initial=0))
    determined = np.abs(change).max(axis=(0, 2), initial=0.0) < MOVES
    return Drives(
        names, found[0] if one else found, tau[0] if one else tau, determined, surplus, weights is not None, x.t
    )


def actuated_columns(m: Mechanism, actuated: Iterable[str] | None) -> list[int]:
    """Places in u of the joints, or of the freedoms "joint.speed", that are driven; all where none are named."""
    if actuated is None:
        return list(range(m.n_u))
    names = [actuated] if isinstance(actuated, str) else list(actuated)
    if not names:
        raise DriveError("no joint is actuated; name at least one in actuated=[…]")
    found: list[int] = []
    for name in names:
        joint = m.joints[m.joint_number[name] - 1] if name in m.joint_number else None
        if joint is None and name not in m.speeds:
            if any(c.name == name for c in m.cuts):
                raise DriveError(
                    f'joint "{name}" closes a loop, so it has no speed of its own to be driven; build with cut=[…] another joint'
                )
            raise unknown(name, "joint or speed", [*m.joint_number, *m.speeds], "actuated")
        places = m.places(name) if joint is not None else ((), (m.speeds.index(name),))
        if places is None:
            raise DriveError(
                f'joint "{name}": its speeds were replaced by others that were chosen ({", ".join(m.speeds)}); actuate these, or ask '
                "m.in_joint_variables"
            )
        columns = [at for at in places[1] if at is not None]
        if not columns:
            raise DriveError(f'joint "{name}" has no free speed: its motion is prescribed, or it is a weld')
        found += [c for c in columns if c not in found]
    return found


def _weights(names: tuple[str, ...], given: Any) -> np.ndarray:
    out = np.ones(len(names))
    if given is None:
        return out
    if not isinstance(given, Mapping):
        out = numbers(given, "drives: weights")
    else:
        for name, value in given.items():
            at = [i for i, each in enumerate(names) if name in (each, each.partition(".")[0])]
            if not at:
                raise unknown(name, "actuated joint", names, "weights")
            out[at] = real(value, f"drives: the weight of {name}")
    if out.shape != (len(names),) or not np.all(out > 0.0) or not np.isfinite(out).all():
        raise DriveError(f"weights must be {len(names)} positive numbers, one for each of {', '.join(names)}")
    return out


def _of_tree(m: Mechanism, x: Samples, udot: np.ndarray, columns: list[int], besides: np.ndarray) -> np.ndarray:
    """Without loops every speed needs its own force, and the others none: by recursion, linear in the number of bodies."""
    needed = m.inverse_dynamics(x.q, x.u, udot, x.t, x.parameters) - besides
    at_rest = m.inverse_dynamics(x.q, x.u, np.zeros_like(udot), x.t, x.parameters)
    steps = m.scales.speeds
    left = np.abs(needed) * steps
    left[:, columns] = 0.0
    part = m.scales.part[m.n_q :]
    scale = np.maximum(*(largest_in(part, np.abs(x * steps)) for x in (needed, at_rest)))
    missing = left / np.maximum(scale, 1e-300)
    if not missing.max(initial=0.0) <= UNDRIVEN:
        k, speed = divmod(int(np.argmax(missing)), m.n_u)
        raise _undriven(m, columns, _owner(m, speed), float(x.t[k]), float(missing[k, speed]))
    tau = np.zeros_like(needed)
    tau[:, columns] = needed[:, columns]
    return tau


def _solved(
    m: Mechanism, e: Written, columns: list[int], w: np.ndarray, t: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """τ, and the projector on the changes of scaled τ that change no motion."""
    L = mass_factor(carried(m, e.A, e.needed, e.B, np.zeros(e.B.shape[:-1]))[0], m)
    h = np.linalg.solve(L, e.needed[..., None])
    G = np.linalg.solve(L, np.eye(m.n_u)[:, columns])
    size = np.linalg.norm(G, axis=1)
    free, G = (_without_loops(L, e.B, x, m.row_parts) for x in (h, G / size[:, None, :]))
    U, sigma, Vt = np.linalg.svd(G, full_matrices=False)
    kept = sigma > DRIVEN
    V = Vt.transpose(0, 2, 1)
    U, V, N = U * kept[:, None, :], V * kept[:, None, :], V * ~kept[:, None, :]
    left = free - U @ (U.transpose(0, 2, 1) @ free)
    _check_driven(m, e, L, left[..., 0], h[..., 0], columns, t)
    inverse = 1.0 / np.where(kept, sigma, 1.0)
    z = V @ (inverse[..., None] * (U.transpose(0, 2, 1) @ free))
    W, Nt = (w / size**2)[..., None], N.transpose(0, 2, 1)  # the change N y of z that makes Σ w (z / size)² least
    z = z - N @ np.linalg.pinv(Nt @ (W * N), rcond=RANK_TOLERANCE, hermitian=True) @ (Nt @ (W * z))
    return z[..., 0] / size, N @ Nt


def _without_loops(L: np.ndarray, B: np.ndarray, X: np.ndarray, part: np.ndarray) -> np.ndarray:
    """X less its components in the columns of L⁻¹Bᵀ; `part` numbers the part of the mechanism of every row."""
    Y = np.linalg.solve(L, B.transpose(0, 2, 1))
    norms = np.linalg.norm(Y, axis=1, keepdims=True)
    Y = Y / np.where(norms > RANK_TOLERANCE * largest_in(part, norms), norms, np.inf)
    U, sigma, _ = np.linalg.svd(Y, full_matrices=False)
    U = U * (sigma > RANK_TOLERANCE * sigma.max(axis=1, keepdims=True))[:, None, :]
    for _ in range(2):  # the second time removes the rounding of the first
        X = X - U @ (U.transpose(0, 2, 1) @ X)
    return X


def _check_consistent(
    m: Mechanism, e: Written, sizes: np.ndarray, q: np.ndarray, u: np.ndarray, udot: np.ndarray, t: np.ndarray
) -> None:
    """The loops stay closed under the motion that is asked for; `sizes` are those of their rows."""
    steps = m.scales.speeds
    B = np.abs(e.B * steps / sizes[:, None]).max(axis=2)
    speed = 1.0 + B * np.abs(u / steps).max(axis=1, keepdims=True)
    rate = speed**2 + B * np.abs(udot / steps).max(axis=1, keepdims=True)
    owners = m.rows.owners
    for k in np.flatnonzero(~np.isfinite(e.gap).all(axis=1))[:1]:
        check_defined(m, q[k], float(t[k]), e.gap[k])
    for off, what, do in (
        (np.abs(e.gap) / sizes, "coordinates q do not close", "m.assemble finds coordinates that do"),
        (np.abs(e.slip) / sizes / speed, "speeds u do not keep", "m.assemble finds speeds that do"),
        (
            np.abs(e.strain) / sizes / rate,
            "accelerations udot do not keep",
            "they must obey B u̇ = γ, as those of m.follow do",
        ),
    ):
        if not off.max(initial=0.0) <= INCONSISTENT:
            k, row = np.unravel_index(int(np.argmax(off)), off.shape)
            raise StateError(f'the {what} "{owners[row]}" at t = {t[k]:g} s, by {off[k, row]:.3g}; {do}')


def _check_driven(
    m: Mechanism, e: Written, L: np.ndarray, left: np.ndarray, h: np.ndarray, columns: list[int], t: np.ndarray
) -> None:
    """What is left of the forces on a part moves something that no actuator moves."""
    weight = np.linalg.solve(L, _weight(m, e)[..., None])[..., 0]
    size, own, inert = (
        np.stack([np.linalg.norm(x[:, p.u], axis=1) for p in m.parts], axis=1) for x in (left, h, weight)
    )
    missing = size / np.maximum(own + WEIGHED * inert, 1e-300)
    if missing.max(initial=0.0) <= UNDRIVEN:
        return
    k, part = np.unravel_index(int(np.argmax(missing)), missing.shape)
    speeds = m.parts[part].u
    direction = np.linalg.solve(L[k].T, left[k]) * np.sqrt(np.diagonal(e.A[k]))
    joint = _owner(m, int(speeds[int(np.argmax(np.abs(direction[speeds])))]))
    raise _undriven(m, columns, joint, float(t[k]), float(missing[k, part]))


def _owner(m: Mechanism, speed: int) -> str:
    """The joint or elastic body, or the speed itself where it was chosen, that a speed moves."""
    return next(name for owners in m.speed_owners for name, places in owners.items() if speed in places)


def _undriven(m: Mechanism, columns: list[int], joint: str, t: float, missing: float) -> DriveError:
    named = ", ".join(m.speeds[c] for c in columns)
    return DriveError(
        f'the motion cannot be produced by {named}: at t = {t:g} s nothing drives joint "{joint}", and {missing:.3g} of the '
        f'forces needed is missing there. Actuate "{joint}" too, or ask for an acceleration that it has by itself'
    )


def _weight(m: Mechanism, e: Written) -> np.ndarray:
    """What inertia alone would need at 1 rad/s², or one length of the mechanism, against which nothing counts as nothing."""
    return np.asarray(np.diagonal(e.A, axis1=1, axis2=2) * m.scales.speeds)
