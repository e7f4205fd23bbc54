"""Which constraints are redundant, what still moves, and which reactions can be known.

Ranks are taken at several assembled poses, on rows scaled by their largest norm in the metric of the inverse mass matrix: a row that
happens to vanish at one pose is not mistaken for a dead one. A reaction is determined if its row takes part in no dependency at
any of the poses of full rank; that a pose is singular is said apart.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from dalembert.constraints.assembly.assemble import DEPENDENT, MOST_STEPS, close, displaced, off_at, off_in, places
from dalembert.constraints.diagnosis.verdict import Diagnosis, Freedom, Row, resisted
from dalembert.constraints.massless import check_inertias, mass_factor, metric
from dalembert.kinematics.constraint_rows import alive, closure, row_scales
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.variable_changes import GeneralizedSpeeds
from dalembert.parts.prescribed import TIME
from dalembert.pivoting import RANK_TOLERANCE, first_of_largest, least_squares, pivoted, rank_of
from dalembert.trace import depends_on

ZERO_SINGULAR_VALUE = 1e-6
"""Singular value of scaled rows that counts as zero: a pose where all links lie in a line can be closed to 1e-8 only, in its angles."""
BETTER = 10.0
"""Factor by which the smallest singular value of another choice of rows must be larger to be worth the change."""
STEPS = tuple(0.4 / 4.0**k for k in range(6))
"""Steps by which other poses are looked for, in rad, lengths and slight deformations: long ones, then those of a mechanism that has
only a little play. Where even the shortest leads back, the pose gives way infinitesimally only: of a step ε it keeps ε² at most."""
FEW = 3
"""How often each of the shorter steps is tried."""
BESIDE = 1e-4
"""Step over which it is seen how rows turn."""
ELSEWHERE = 0.1
"""Part of a step by which something must have moved for a pose to be another one."""
TAKES_PART = 1e-7
"""Component of a dependency below which a row does not belong to it."""


def diagnose(m: Mechanism, q: np.ndarray, t: float = 0.0, poses: int = 5, seed: int = 0) -> Diagnosis:
    """Diagnosis from the assembled coordinates q and `poses` further poses reached from it."""
    m = m.numeric
    if isinstance(m.variables, GeneralizedSpeeds):  # no verdict hangs on the speeds
        return diagnose(m.base, q, t, poses, seed)
    if not m.constraint_rows:
        return _of_tree(m)
    if len(m.parts) > 1:
        return _composed(m, [diagnose(p.mechanism, q[p.q], t, poses, seed) for p in m.parts])
    found = _poses(m, q, t, poses, np.random.default_rng(seed))
    states = [m.state(pose, np.zeros(m.n_u), t) for pose in found]
    scaled, state = [_scaled_rows(s) for s in states], states[0]
    reference = np.max([np.linalg.norm(Y, axis=0) for Y in scaled], axis=0)
    sizes = row_scales(state)
    drawn = [closure(s)[1] * m.scales.speeds for s in states]
    by_geometry = np.max([np.linalg.norm(B, axis=1) for B in drawn], axis=0)
    live = alive(m, by_geometry, sizes)  # what moves heavy bodies only is a row too
    reference = np.where(live, reference, 0.0)
    unit = [_by_norms(Y, reference) for Y in scaled]
    off = max(map(off_in, states))
    ranks = [rank_of(np.linalg.svd(Y, compute_uv=False), singular(off)) for Y in unit] if len(reference) else [0]
    rank, rank_here = max(ranks), ranks[0]
    turning = [_by_norms(B.T, np.where(live, by_geometry, 0.0)) for B in drawn]
    if max(rank_of(np.linalg.svd(Y, compute_uv=False), singular(off)) for Y in turning) > rank:
        check_inertias(state)
    shaky = len(found) == 1 and rank < m.n_u
    independent = _independent([Y for Y, r in zip(unit, ranks) if r == rank], rank)
    doubtful = ~(reference > 0.0)
    for Y, regular in zip(unit, (r == rank for r in ranks)):
        if regular:
            doubtful |= _taking_part(Y, rank)
    words = [(name, w) for name in m.constraint_rows for w in resisted(state, name)]
    names = ["ground", *(b.name for b in m.bodies)]
    frame_on = {c.name: names[c.parent] for c in m.cuts}
    rows = tuple(Row(owner, w, not d, frame_on.get(owner, "")) for (owner, w), d in zip(words, doubtful))
    mobility = 0 if shaky else m.n_u - rank
    best = ranks.index(rank)
    freedoms = _freedoms(states[best], unit[best], mobility)
    return Diagnosis(
        rows,
        rank,
        mobility,
        m.grubler,
        independent,
        freedoms,
        len(found),
        rank_here,
        shaky,
        driven(m),
        reference,
        sizes,
        off,
    )


def _composed(m: Mechanism, every: list[Diagnosis]) -> Diagnosis:
    """The verdict on a mechanism from those on its parts."""
    n = sum(len(d.g) for d in m.constraint_rows.values())
    norms, sizes, rows = np.zeros(n), np.zeros(n), np.empty(n, dtype=object)
    independent: list[int] = []
    for p, d in zip(m.parts, every):
        at = p.rows(m)
        norms[at], sizes[at], rows[at] = d.norms, d.sizes, np.array([*d.rows, None], dtype=object)[:-1]
        independent += at[list(d.independent)].tolist()
    return Diagnosis(
        tuple(rows),
        sum(d.rank for d in every),
        sum(d.mobility for d in every),
        m.grubler,
        tuple(sorted(independent)),
        tuple(freedom for d in every for freedom in d.freedoms),
        max(d.poses for d in every),
        sum(d.rank_here for d in every),
        any(d.shaky for d in every),
        any(d.driven for d in every),
        norms,
        sizes,
        max(d.off for d in every),
    )


def _of_tree(m: Mechanism) -> Diagnosis:
    """Every speed is a freedom, whatever the pose."""
    joints, modes = m.speed_owners
    of_speed = {at: name for name, places in joints.items() for at in places}
    carried = {b.name: j.name for j, b in zip(m.joints, m.bodies)}
    of_speed |= {at: carried[body] for body, places in modes.items() for at in places}
    freedoms = tuple(Freedom((of_speed[at],)) for at in range(m.n_u))
    return Diagnosis((), 0, m.n_u, m.grubler, (), freedoms, 1, 0, False, driven(m), np.zeros(0), np.zeros(0))


def driven(m: Mechanism) -> bool:
    """Whether time itself moves the mechanism, by a prescribed joint or a constraint that depends on it."""
    if m not in _DRIVEN:
        prescribed = any(law is not None for j in m.joints for law in j.law.u)
        rows = [x for d in m.constraint_rows.values() for x in (d.g, d.phi)]
        _DRIVEN[m] = prescribed or depends_on(rows, [TIME])
    return _DRIVEN[m]


_DRIVEN: WeakKeyDictionary[Mechanism, bool] = WeakKeyDictionary()


def better_rows(
    m: Mechanism, q: np.ndarray, t: float, rows: tuple[int, ...], norms: np.ndarray
) -> tuple[int, ...] | None:
    """An independent set that is far better conditioned at this pose than `rows`; None where the pose itself is to blame, as it is
    where no other rows say anything."""
    if np.count_nonzero(norms) == len(rows):
        return None
    Y = scaled_rows(m, q, t, norms)
    chosen = tuple(sorted(pivoted(Y)[1][: len(rows)].tolist()))
    kept, other = (np.linalg.svd(Y[:, x], compute_uv=False)[-1] for x in (rows, chosen))
    return chosen if other > max(BETTER * kept, ZERO_SINGULAR_VALUE) else None


def _poses(m: Mechanism, q: np.ndarray, t: float, count: int, rng: np.random.Generator) -> list[np.ndarray]:
    """The given pose and further ones, each reached by walking along the freedoms of the last and closing again.

    Where that leads nowhere, the pose may be singular: not all that its rows do not resist is the beginning of a motion.
    """
    found = [q]
    bends: np.ndarray | None = None
    for length in STEPS:
        for tried in range(3 * count):
            if len(found) > count or (tried == FEW and length < STEPS[0] and len(found) == 1):
                break
            Z = _motions(m.state(found[-1], np.zeros(m.n_u), t))
            if not Z.shape[1]:
                break
            z = np.asarray(rng.normal(size=Z.shape[1]))
            if len(found) == 1 and (tried >= FEW or length < STEPS[0]):
                bends = _bends(m, q, t, Z) if bends is None else bends
                z = _unbent(bends, z)
            step = Z @ z
            step *= length * m.scales.speeds / max(np.abs(step).max(), 1e-300)
            attempt = close(m, displaced(m, found[-1], step, t), (), t)
            if attempt.closed and _apart(m, attempt.q, q, t) > ELSEWHERE * length:
                found.append(attempt.q)
        found += _elsewhere(m, q, t, count, rng) if length == STEPS[0] and len(found) == 1 else []
        if len(found) > 1:
            break
    return found


def _motions(s: State) -> np.ndarray:
    """Z: what the rows do not resist in this pose, in large steps; rows and steps by their own scales."""
    m = s.mechanism
    rows = closure(s)[1] * m.scales.speeds / row_scales(s)[:, None]
    return _null_space(rows, m.n_u, singular(off_in(s)))


def _bends(m: Mechanism, q: np.ndarray, t: float, Z: np.ndarray) -> np.ndarray:
    """Amount by which the rows open to second order along Z z, and no first order can close them again: w_i = zᵀ Q_i z."""
    size = row_scales(m.state(q, np.zeros(m.n_u), t))

    def rows(at: np.ndarray) -> np.ndarray:
        _, B = closure(m.state(at, np.zeros(m.n_u), t))
        return np.asarray((B * m.scales.speeds / size[:, None])[m.rows.holonomic])

    B, beside = rows(q), [m.scales.speeds * BESIDE * z for z in Z.T]
    change = [(rows(displaced(m, q, x, t)) - rows(displaced(m, q, -x, t))) @ Z / (2.0 * BESIDE) for x in beside]
    Q = np.stack(change, axis=1)
    left = _null_space(B.T, len(B), ZERO_SINGULAR_VALUE)
    return np.asarray(np.einsum("ri,rjk->ijk", left, Q + Q.transpose(0, 2, 1)) / 2.0)


def _unbent(Q: np.ndarray, z: np.ndarray) -> np.ndarray:
    """A direction near z along which the rows stay closed to second order too, by Gauss–Newton steps; the least open there is."""
    for _ in range(MOST_STEPS):
        z = z / np.linalg.norm(z)
        J = Q @ z
        across = 2.0 * (J - np.outer(J @ z, z))  # along z itself everything only shrinks
        step = least_squares(across, -(J @ z), ZERO_SINGULAR_VALUE)
        z = z + step
        if not np.linalg.norm(step) > ZERO_SINGULAR_VALUE:
            break
    return z


def _apart(m: Mechanism, q: np.ndarray, other: np.ndarray, t: float) -> float:
    return float(np.abs(places(m, q, t) - places(m, other, t)).max(initial=0.0))


def _elsewhere(m: Mechanism, q: np.ndarray, t: float, count: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Assembled poses from random starts, for where walking leads nowhere: q may be a pose in which all links lie in a line."""
    found: list[np.ndarray] = []
    for _ in range(2 * count):
        if len(found) == 2:
            break
        attempt = close(m, displaced(m, q, m.scales.speeds * rng.uniform(-1.5, 1.5, m.n_u), t), (), t)
        if attempt.closed and _apart(m, attempt.q, q, t) > ELSEWHERE * STEPS[0]:
            found.append(attempt.q)
    return found


def rank_at(m: Mechanism, q: np.ndarray, t: float, norms: np.ndarray, rows: tuple[int, ...] | None = None) -> int:
    """Rank of all rows, or of some, in one pose."""
    Y = scaled_rows(m, q, t, norms)
    sigma = np.linalg.svd(Y if rows is None else Y[:, rows], compute_uv=False)
    return rank_of(sigma, singular(off_at(m, q, t))) if Y.size else 0


def scaled_rows(m: Mechanism, q: np.ndarray, t: float, norms: np.ndarray) -> np.ndarray:
    """Rows in one pose, as columns in the metric of the inverse mass matrix, by their reference norms."""
    return _by_norms(_scaled_rows(_at_rest(m, q, t)), norms)


def row_norms(m: Mechanism, q: np.ndarray, t: float) -> np.ndarray:
    """Norm of every row in one pose, in the metric of the inverse mass matrix."""
    norms: np.ndarray = np.linalg.norm(_scaled_rows(_at_rest(m, q, t)), axis=0)
    return norms


def singular(off: float) -> float:
    """Singular value of scaled rows that counts as zero where rows are open by so much: no finer than they agree."""
    return max(ZERO_SINGULAR_VALUE, DEPENDENT * off)


def _null_space(B: np.ndarray, n: int, tolerance: float) -> np.ndarray:
    if not len(B):
        return np.eye(n)
    _, sigma, Vt = np.linalg.svd(B)
    Z: np.ndarray = Vt[rank_of(sigma, tolerance) :].T
    return Z


def _scaled_rows(s: State) -> np.ndarray:
    """Y = L⁻¹Bᵀ with A = L Lᵀ: columns are the rows of B, measured in the metric of A⁻¹."""
    Y: np.ndarray = np.linalg.solve(mass_factor(metric(s), s.mechanism), closure(s)[1].T)
    return Y


def _at_rest(m: Mechanism, q: np.ndarray, t: float) -> State:
    return m.numeric.state(q, np.zeros(m.n_u), t)


def _by_norms(Y: np.ndarray, norms: np.ndarray) -> np.ndarray:
    """Rows measured by their reference norms; nothing for those that have none."""
    return np.where(norms > 0.0, Y / np.where(norms > 0.0, norms, 1.0), 0.0)


def _independent(unit: list[np.ndarray], rank: int) -> tuple[int, ...]:
    """Best of the sets that pivoting proposes at each regular pose: the one whose smallest singular value is largest at its worst."""
    if not rank:
        return ()
    candidates = sorted({tuple(sorted(pivoted(Y)[1][:rank].tolist())) for Y in unit})
    worst = [min(np.linalg.svd(Y[:, rows], compute_uv=False)[-1] for Y in unit) for rows in candidates]
    return candidates[first_of_largest(np.array(worst))]


def _taking_part(Y: np.ndarray, rank: int) -> np.ndarray:
    """Rows that belong to some dependency: non-zero components in the null space of Y."""
    Vt = np.linalg.svd(Y)[2]
    found: np.ndarray = np.abs(Vt[rank:]).max(axis=0, initial=0.0) > TAKES_PART
    return found


def _freedoms(s: State, Y: np.ndarray, p: int) -> tuple[Freedom, ...]:
    """A basis of what can move, each direction led by another speed: [1 | …] after pivoting.

    Y are the rows by whose rank p was found: what they leave, L⁻ᵀz across them, in large steps.
    """
    if not p:
        return ()
    across = np.linalg.svd(Y)[0][:, len(Y) - p :]
    moved = np.linalg.solve(mass_factor(metric(s), s.mechanism).T, across) / s.mechanism.scales.speeds[:, None]
    R, order = pivoted(np.linalg.qr(moved / np.abs(moved).max(axis=0))[0].T)
    basis = np.abs(np.linalg.solve(R[:, :p], R))
    return tuple(_moving(s.mechanism, dict(zip(order.tolist(), pattern))) for pattern in basis)


def _moving(m: Mechanism, sizes: dict[int, float]) -> Freedom:
    largest = max(sizes.values())

    def named(places: dict[str, tuple[int, ...]]) -> tuple[str, ...]:
        moved = {name: max((sizes[c] for c in at), default=0.0) for name, at in places.items()}
        return tuple(
            name for name, size in sorted(moved.items(), key=lambda one: -one[1]) if size > RANK_TOLERANCE * largest
        )

    joints, modes = m.speed_owners
    return Freedom(named(joints), named(modes))
