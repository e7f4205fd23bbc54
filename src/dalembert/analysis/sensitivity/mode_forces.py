"""How accelerations and forces change with the state while a mode of the laws lasts: the equations of the mode, differentiated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.analysis.sensitivity.law_variation import Frozen
from dalembert.constraints.nonsmooth.kinetics import Kinetics
from dalembert.kinematics.law_mode import ElementState, LawMode
from dalembert.simulation.event_driven.recorded_run import RecordedRun, Side


class Smooth(NamedTuple):
    """The smooth motion at a state: rates, forces of all rows, loads of what slides, components of what joints transmit."""

    dy: np.ndarray
    lam: np.ndarray
    loads: np.ndarray
    z: np.ndarray


def smooth_at(run: RecordedRun, side: Side, t: float) -> Smooth:
    """Rates and forces in a state and its mode."""
    run.put(side)
    dy, rhs = np.zeros(len(side.y)), run.program.rhs
    run.program.library.slope_at(np.array([t]), np.ascontiguousarray(side.y), dy, run.inputs, run.work)

    def part(name: str, size: int) -> np.ndarray:
        return run.work[rhs.places[name] : rhs.places[name] + size, 0].copy()

    lam = part("r", rhs.n_rows)
    lam[rhs.first :] = part("lam", len(rhs.table))
    return Smooth(dy, lam, part("s", len(rhs.table.elements)), part("z", rhs.table.n_components))


class ModeForces(NamedTuple):
    """Changes along directions, a column for each: of u̇, of λ of all rows, of the loads of elements by what joints transmit."""

    udot: np.ndarray
    lam: np.ndarray
    loads: np.ndarray


def vary_forces(k: Kinetics, mode: LawMode, x: Smooth, d: dict[str, np.ndarray]) -> ModeForces:
    """Changes under those `d` of a state with frozen accelerations, forces and loads."""
    n, rows, e, table = len(k.u), len(k.rows), len(k.elements), k.table
    count, first = d["applied"].shape[1], k.n_loops
    M, right = np.zeros((n + rows + e, n + rows + e)), np.zeros((n + rows + e, count))
    M[:n, :n], M[:n, n : n + rows] = k.A, k.rows.T
    right[:n] = d["applied"] - d["inertia"] - d["exerted"]
    active = [*range(first), *(first + r for r in np.flatnonzero(mode.part("active")))]
    states = mode.states
    terms = [term_change(k, t, x.z, d, d["pressed"]) for t in range(len(table.load_terms))]
    for r in range(rows):
        if r in active:
            M[n + r, :n] = k.rows[r]
            right[n + r] = d["given"][r] - d["rate"][r]
        else:
            M[n + r, n + r] = 1.0
    for i, element in enumerate(k.elements):
        at = n + rows + i
        M[at, at] = 1.0
        if states[i] is not ElementState.SLIP or not element.tangents:
            continue
        for slot, r in enumerate(element.tangents):
            M[n + first + r, at] = -k.coefficient[i] * _way(k, mode, i)[slot]
            right[n + first + r] = d["friction"][r]
        if element.load_row is not None:
            M[at, n + first + element.load_row] = 1.0
        for place, term in zip(table.load_terms, terms):
            if place.element == i:
                M[at, :n] -= term.by_speeds
                M[at, n : n + rows] -= term.by_forces
                right[at] += term.frozen
    found = np.linalg.solve(M, right)
    udot, lam = found[:n], found[n : n + rows]
    loads = np.zeros((e, count))
    for place, term in zip(table.load_terms, terms):
        loads[place.element] += term.frozen + term.by_speeds @ udot + term.by_forces @ lam
    return ModeForces(udot, lam, loads)


class TermChange(NamedTuple):
    """Change of one term arm·|z| of a load: with w and λ frozen, and per unit of w and of λ."""

    frozen: np.ndarray
    by_speeds: np.ndarray
    by_forces: np.ndarray


def term_change(k: Kinetics, t: int, z: np.ndarray, d: dict[str, np.ndarray], dz: np.ndarray) -> TermChange:
    """Term t, where z is what the joints transmit and dz its change with w and λ frozen."""
    term, arm = k.table.load_terms[t], float(k.loads.arms[t])
    at = slice(term.start, term.start + term.size)
    size = float(np.linalg.norm(z[at]))
    way = z[at] / size if size > 0.0 else np.zeros(term.size)
    return TermChange(
        d["arm"][t] * size + arm * (way @ dz[at]), arm * (way @ k.loads.Zu[at]), arm * (way @ k.loads.Zx[at])
    )


def _way(k: Kinetics, mode: LawMode, i: int) -> np.ndarray:
    """Direction of the slip of an element: its own in a plane, the mode's along a line."""
    v = k.slip(i)
    speed = float(np.linalg.norm(v))
    return v / speed if len(v) > 1 and speed > 0.0 else mode.direction(i)


def frozen_at(mode: LawMode, x: Smooth, u: np.ndarray, n_q: int) -> Frozen:
    """What stands still where the motion in a mode is differentiated."""
    return Frozen(x.dy[n_q : n_q + len(u)], x.lam, u, x.loads, mode.part("direction"))
