"""Why a mechanism cannot be put together, or cannot move as it is asked to: one sentence for each case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from dalembert.constraints.assembly.released import prescribed_joints
from dalembert.errors import LoopError
from dalembert.kinematics.constraint_rows import constraint_rows, row_scales
from dalembert.mechanism import Mechanism
from dalembert.parts.prescribed import TIME
from dalembert.trace import depends_on

PULLS = 0.01
"""Part of the largest gap, each by its row's scale, from which on a constraint takes part in a contradiction."""
CONTRADICT = (
    "{names} contradict each other{when}: the best that could be found after {starts} starts leaves gaps of {shares}. Take one of them "
    "away, or change what it asks for{driven}"
)
CANNOT_BE_CLOSED = (
    '{where} cannot be closed: best gap {gap} at "{name}" after {starts} starts. '
    "Check the lengths and joint axes round it, or give initial values nearer to an assembled pose"
)
TURNED_OVER = (
    "the loops close only with {names} half a turn from where it can be: its axis points the other way, or its frames are turned "
    "against each other. Reverse the axis or turn the frame, or give initial values nearer to an assembled pose"
)
VALUES_DO_NOT_FIT = (
    'the given initial values of {names} cannot all be kept: with them "{name}" stays open by {gap}. Give fewer of them, and the '
    "others are solved for"
)
SPEEDS_DO_NOT_FIT = (
    'the given speeds of {names} cannot all be kept: "{name}" would still move apart at {gap} m/s; give fewer speeds'
)
NO_SPEEDS = (
    '"{name}" cannot be satisfied at t = {t} s: no speeds do, {gap} is missing. The pose may be singular: start a little beside it, or '
    "change what it asks for"
)
"""Sentences with gaps for names and numbers, which the page that simulates fills as well."""

NEARLY_ALL = 0.1
"""Part of what is amiss in directions below which what is amiss in places does not count."""
NO_SHIFT = 1e-9
"""Component of a row on velocities below which it blocks turning only."""


def check_defined(m: Mechanism, q: np.ndarray, t: float, rows: np.ndarray) -> None:
    """Check what all rows came to, refused where that is no number: a table has ended, a root is that of a negative number."""
    for name, d in m.constraint_rows.items():
        if not np.isfinite(rows[m.rows.of_owner(name)]).all():
            at = ", ".join(f"{m.coordinates[i]} = {q[i]:.6g}" for i in d.coordinates) or "any coordinates"
            raise LoopError(
                f'"{name}" cannot be evaluated at {at}{_when(m, t)}: a function in it is outside its domain there, as a table that has '
                "ended or the root of a negative number. Start where it is defined, or define it there"
            )


def cannot_be_closed(m: Mechanism, q: np.ndarray, t: float, starts: int, prescribed: Sequence[str] = ()) -> LoopError:
    """At the best place found: prescribed motion that asks for too much, constraints that pull against each other, or a loop that
    does not reach."""
    gaps, weights = _gaps(m, q, t), _gaps(m, q, t, scaled=True)
    pulling = [name for name, gap in weights.items() if gap > PULLS * max(weights.values())]
    shares = ", ".join(f'{_size(m, name, gaps[name])} at "{name}"' for name in pulling)
    if prescribed:
        values = m.state(q, np.zeros(m.n_u), t)
        now = ", ".join(f"{name} = {values.joint_q[k - 1][i]:.4g}" for name, (k, i) in m.prescribed.items())
        whose, how = ("motions of", "followed together") if len(prescribed) > 1 else ("motion of", "followed")
        apart = " and ".join(f'"{name}" by {_size(m, name, gaps[name])}' for name in pulling)
        return LoopError(
            f"the prescribed {whose} {_listed(prescribed)} cannot be {how} at t = {t:g} s ({now}): "
            f"the best that could be found leaves {apart} apart. Prescribe what can be reached, or fewer joints"
        )
    if len(pulling) > 1:
        return LoopError(
            CONTRADICT.format(
                names=_listed(pulling), when=_when(m, t), starts=starts, shares=shares, driven=_driven_by(m, pulling)
            )
        )
    name = pulling[0]
    loop = next((bodies for cut, bodies in zip(m.cuts, m.loops) if cut.name == name), ())
    where = f"the loop {'–'.join(loop)}" if loop else f'constraint "{name}"'
    askew = _askew(m, q, t, name) if loop else 0.0
    if askew:
        return LoopError(
            f'{where} cannot be closed: it is locked, with "{name}" {askew:.3g}° askew at best after {starts} starts, for no pose '
            "brings its directions together. Straighten the joint axes round it, use a joint that lets it turn, or make a body elastic"
        )
    return LoopError(CANNOT_BE_CLOSED.format(where=where, gap=_size(m, name, gaps[name]), name=name, starts=starts))


def closes_turned_over(joints: Sequence[str]) -> LoopError:
    """Every condition holds, but a joint is the wrong way round."""
    return LoopError(TURNED_OVER.format(names=_listed(joints)))


def closes_overbent(bodies: Sequence[str]) -> LoopError:
    """Every condition holds, but only because elastic bodies give way."""
    kind = "bodies" if len(bodies) > 1 else "body"
    return LoopError(
        f"the loops close only with elastic {kind} {_listed(bodies)} bent far beyond what linear modes can tell. "
        "Give initial values of joints nearer to an assembled pose, or cut such a body into several, welded node to node"
    )


def given_values_do_not_fit(m: Mechanism, q: np.ndarray, fixed: Sequence[int], t: float) -> LoopError:
    """The mechanism can be closed, but not with the values that are to be kept."""
    gaps, weights = _gaps(m, q, t), _gaps(m, q, t, scaled=True)
    name = max(weights, key=lambda each: weights[each])
    names = _listed([m.speeds[i] for i in fixed])
    return LoopError(VALUES_DO_NOT_FIT.format(names=names, name=name, gap=_size(m, name, gaps[name])))


def given_values_moved(m: Mechanism, given: np.ndarray, found: np.ndarray, places: Sequence[int]) -> str:
    """Values that were to be kept, and were but for a little."""
    most = max(places, key=lambda i: abs(found[i] - given[i]) / m.scales.coordinates[i])
    return (
        f'mechanism "{m.name}": the given initial values do not quite close its loops and were moved a little, most '
        f"{m.coordinates[most]}, from {given[most]:.6g} by {found[most] - given[most]:.2g}. Give fewer of them, and they are kept"
    )


def closes_roughly(m: Mechanism, q: np.ndarray, t: float) -> str:
    """Redundant rows whose numbers do not agree to the last digit."""
    gaps, weights = _gaps(m, q, t), _gaps(m, q, t, scaled=True)
    name = max(weights, key=lambda each: weights[each])
    return (
        f'mechanism "{m.name}": its redundant rows agree to {weights[name]:.1g} of its size only, "{name}" stays open by '
        f"{_size(m, name, gaps[name])}: lengths or axes are given with few digits. It counts as closed, and rows that say nothing new "
        "are left out. Give more digits, or free a joint of what others hold already"
    )


def speeds_do_not_fit(m: Mechanism, left: np.ndarray, size: np.ndarray, fixed: Sequence[int], t: float) -> LoopError:
    """Rows that still slip, in the order of all rows, and by what each is measured; with or without speeds that were to be kept."""
    gaps, weights = _by_owner(m, left), _by_owner(m, left / size)
    name = max(weights, key=lambda each: weights[each])
    if fixed:
        names = _listed([m.speeds[i] for i in fixed])
        return LoopError(SPEEDS_DO_NOT_FIT.format(names=names, name=name, gap=f"{gaps[name]:.3g}"))
    pulling = [each for each, gap in weights.items() if gap > PULLS * weights[name]]
    prescribed = prescribed_joints(m)
    if len(pulling) == 1 and prescribed:
        return LoopError(
            f'"{name}" contradicts the prescribed motion of {_listed(prescribed)} at t = {t:g} s: no speeds satisfy both, '
            f"{gaps[name]:.3g} is missing. Let their functions of time agree, or take one of them away"
        )
    if len(pulling) == 1:
        return LoopError(NO_SPEEDS.format(name=name, t=f"{t:g}", gap=f"{gaps[name]:.3g}"))
    return LoopError(
        f'{_listed(pulling)} contradict each other at t = {t:g} s: no speeds satisfy them, {gaps[name]:.3g} is missing at "{name}". '
        f"Take one of them away, or change what it asks for{_driven_by(m, pulling)}"
    )


def drift_apart(m: Mechanism, off: np.ndarray, t: float) -> LoopError:
    """Redundant at the start, but not for long: rows by how much they are violated."""
    gaps = _by_owner(m, off)
    worst = max(gaps, key=lambda each: gaps[each])
    return LoopError(
        f'constraints agree at the start but contradict each other by t = {t:g} s: "{worst}" is then off by {gaps[worst]:.3g}, kept as '
        f"it is by the others. Take one of them away, let their functions of time agree, or start from another pose of the mechanism"
    )


def _when(m: Mechanism, t: float) -> str:
    """Where time has a say."""
    return f" at t = {t:g} s" if prescribed_joints(m) or _driving(m, m.constraint_rows) else ""


def _driving(m: Mechanism, names: Iterable[str]) -> list[str]:
    """Those of these constraints that time moves."""
    return [name for name in names if depends_on([m.constraint_rows[name].g, m.constraint_rows[name].phi], [TIME])]


def _driven_by(m: Mechanism, pulling: Sequence[str]) -> str:
    driving = _driving(m, pulling)
    return f"; {_listed(driving)} {'are' if len(driving) > 1 else 'is'} driven by time" if driving else ""


def _gaps(m: Mechanism, q: np.ndarray, t: float, scaled: bool = False) -> dict[str, float]:
    """The largest residual of every joint and constraint; `scaled` so that they can be compared."""
    s = m.state(q, np.zeros(m.n_u), t)
    g = constraint_rows(s).g
    return _by_owner(m, g / row_scales(s) if scaled else g)


def _by_owner(m: Mechanism, rows: np.ndarray) -> dict[str, float]:
    return {name: float(np.abs(rows[m.rows.of_owner(name)]).max(initial=0.0)) for name in m.constraint_rows}


def _askew(m: Mechanism, q: np.ndarray, t: float, name: str) -> float:
    """Degrees by which a joint's directions miss each other, if that is nearly all that is amiss; else 0."""
    rows = m.constraint_rows[name]
    g, _, C, _ = rows.values(m.state(q, np.zeros(m.n_u), t))
    shifts = C[:, : 6 * len(rows.bodies)].reshape(len(g), -1, 6)[:, :, 3:]
    turning = ~np.any(np.abs(shifts) > NO_SHIFT, axis=(1, 2))
    off, apart = (
        float(np.linalg.norm(g[turning])),
        np.abs(g[~turning]).max(initial=0.0) / m.scales.lengths[rows.part_body],
    )
    return float(np.degrees(np.arcsin(min(off, 1.0)))) if apart < NEARLY_ALL * off else 0.0


def _size(m: Mechanism, name: str, gap: float) -> str:
    """Gap with its unit, where it is surely a length."""
    return f"{gap:.3g} m" if any(c.name == name for c in m.cuts) else f"{gap:.3g}"


def _listed(names: Sequence[str]) -> str:
    quoted = [f'"{name}"' for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
