"""Newton's method of `complementarity` in compiled code, for small problems: one library for all mechanisms, sizes are data.

Steps are least squares by the singular values of the Jacobian (one-sided Jacobi rotations), so that dependent rows do no harm.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.trace.native import (
    FunctionBuilder,
    Int,
    IntPointer,
    Library,
    Module,
    Pointer,
    Real,
    Signature,
    maximum,
    select,
    sqrt,
)
from dalembert.trace.native.cache import cached
from dalembert.trace.native.target import Target, target_of

if TYPE_CHECKING:
    from dalembert.constraints.nonsmooth.complementarity import Problem

LARGEST = 30
"""Rows up to which a problem is solved here: beyond, LAPACK's least squares are faster."""
ROTATIONS, ORTHOGONAL = 30, 1e-15
"""Sweeps of rotations, and the cosine of two columns that counts as none."""
STEPS = (1.0, 0.5, 0.25, 0.1, 0.03)
"""Parts of a Newton step that are tried."""
DESCENDS = 0.1
"""Part of the decrease that a step promises which it must bring."""
SHORTEST = 1e-11
"""Part of the largest singular value below which a direction is not decided."""

CONE, TERM, HEAD = 8, 2, 3
"""Integers of a cone (normal row, three rows of friction, row that presses, whether its direction is given, its first and last term of
a load), of a term (its first component, how many), and before all of them (rows, cones, components)."""
NUMBERS = 5
"""Numbers of a cone: radius without a load, per load, direction."""

_DATA: dict[str, Any] = {"ints": IntPointer, "reals": Pointer}


class Packed:
    """A problem as two arrays, and memory to work in."""

    def __init__(self, x: Problem):
        n, terms = len(x.c), [(c.radius.arms, c.radius.still, c.radius.maps) for c in x.cones]
        self.n, self.p = n, np.zeros(n)
        sizes = [len(s) for _, still, _ in terms for s in still]
        components = sum(sizes)
        bilateral = np.zeros(n, dtype=np.int64)
        bilateral[x.bilateral] = 1
        cones, numbers, at = [], [], 0
        for cone, (arms, _, _) in zip(x.cones, terms):
            rows = [-1 if cone.normal is None else cone.normal, *cone.tangents, -1, -1, -1][:4]
            r, way = cone.radius, cone.direction
            given = [] if way is None else [*way.tolist()]
            cones += [*rows, -1 if r.pressed is None else r.pressed, int(way is not None), at, at + len(arms)]
            numbers += [r.own, r.per_load, *given, 0.0, 0.0, 0.0][:NUMBERS]
            at += len(arms)
        starts = np.cumsum([0, *sizes]).tolist()
        self.ints = np.array(
            [n, len(x.cones), components, *bilateral, *cones, *(y for a, b in zip(starts, sizes) for y in (a, b))],
            dtype=np.int64,
        )
        loads = [np.asarray(a) for arms, _, _ in terms for a in (arms,)]
        still = [s for _, parts, _ in terms for s in parts]
        maps = [m.ravel() for _, _, parts in terms for m in parts]
        self.reals = np.concatenate([x.W.ravel(), x.c, x.steps, numbers, *still, *maps, *loads])
        self.work = np.zeros(7 * n * n + 12 * n + 8)


def newton(x: Packed, start: np.ndarray, most: int, scale: float, tolerance: float) -> tuple[np.ndarray, bool]:
    """(p, whether it solves the problem)."""
    x.p[:] = start
    solved = _library(target_of(None)).newton(x.ints, x.reals, x.p, x.work, most, scale, tolerance)
    return x.p.copy(), bool(solved)


@cache
def _library(target: Target) -> Library:
    module = Module(1, target)
    _emit_newton(module, _emit_residual(module), _emit_least_squares(module))
    return cached(module)


class _Places:
    """Where the parts of a problem begin."""

    def __init__(self, f: FunctionBuilder):
        self.n, self.cones, self.components = f.ints[0], f.ints[1], f.ints[2]
        n = self.n
        self.bilateral = f.ints + HEAD
        self.cone = f.ints + (n + HEAD)
        self.term = f.ints + (n + HEAD + self.cones * CONE)
        self.W, self.c = f.reals, f.reals + n * n
        self.rho = self.c + n
        self.number = self.rho + n
        self.still = self.number + self.cones * NUMBERS
        self.maps = self.still + self.components
        self.arm = self.maps + self.components * n


def _emit_residual(module: Module) -> Signature:
    """`residual(ints, reals, p, F, J, work, scale)`: see `Problem.residual`."""
    with module.function(
        "residual", status=False, public=False, **_DATA, p=Pointer, F=Pointer, J=Pointer, work=Pointer, scale=Real
    ) as f:
        x = _Places(f)
        n, a, dr = x.n, f.work, f.work + x.n
        total = f.variables(sum=0.0)
        with f.loop(n) as i:
            total.sum = x.c[i]
            with f.loop(n) as j:
                total.sum = total.sum + x.W[i * n + j] * f.p[j]
                f.J[i * n + j] = 0.0
            a[i], f.F[i] = total.sum, 0.0
        with f.loop(n) as i, f.if_(x.bilateral[i] != 0):
            _at_rest(f, x, a, i)
        with f.loop(x.cones) as e:
            own = x.cone + e * CONE
            normal = own[0]
            with f.if_(normal >= 0):
                with f.if_((f.p[normal] - f.scale * x.rho[normal] * a[normal] > 0.0).all()):
                    _at_rest(f, x, a, normal)
                with f.else_():
                    f.F[normal], f.J[normal * n + normal] = f.p[normal], 1.0
            with f.if_(own[1] >= 0):
                r = _radius(f, x, e, own, dr)
                _friction(f, x, e, own, (a, r, dr))
    return f.signature


def _at_rest(f: FunctionBuilder, x: _Places, a: Any, i: Any) -> None:
    """Row i of F = 0 is a = 0."""
    rho = f.scale * x.rho[i]
    f.F[i] = rho * a[i]
    with f.loop(x.n) as j:
        f.J[i * x.n + j] = rho * x.W[i * x.n + j]


def _radius(f: FunctionBuilder, x: _Places, e: Any, own: Any, dr: Any) -> Any:
    """Radius of a cone's disc, its gradient into dr."""
    n, pressed = x.n, own[4]
    v = f.variables(r=x.number[e * NUMBERS], z=0.0, squared=0.0)
    with f.loop(n) as j:
        dr[j] = 0.0
    with f.if_(pressed >= 0), f.if_((f.p[pressed] > 0.0).all()):
        per_load = x.number[e * NUMBERS + 1]
        v.r = v.r + per_load * f.p[pressed]
        dr[pressed] = per_load
    with f.loop(own[6], own[7]) as t:
        start, end = x.term[t * TERM], x.term[t * TERM] + x.term[t * TERM + 1]
        for summed in (False, True):  # first the size of z, then its gradient
            with f.loop(start, end) as c:
                v.z = x.still[c]
                with f.loop(n) as j:
                    v.z = v.z + x.maps[c * n + j] * f.p[j]
                if not summed:
                    v.squared = v.squared + v.z * v.z
                else:
                    with f.if_((v.squared > 0.0).all()), f.loop(n) as j:
                        dr[j] = dr[j] + x.arm[t] * v.z / sqrt(v.squared) * x.maps[c * n + j]
        v.r = v.r + x.arm[t] * sqrt(v.squared)
        v.squared = 0.0
    return v.r


def _friction(f: FunctionBuilder, x: _Places, e: Any, own: Any, disc: Any) -> None:
    """Rows of friction of a cone: its direction is given, or it rests, or it slides the way it is pushed."""
    (a, r, dr), n, way = disc, x.n, x.number + (e * NUMBERS + 2)
    z, v = f.array(3), f.variables(squared=0.0, count=3)
    with f.loop(3) as k:
        z[k] = 0.0
        with f.if_(own[k + 1] >= 0):
            i = own[k + 1]
            z[k] = f.p[i] - f.scale * x.rho[i] * a[i]
    v.squared = z[0] * z[0] + z[1] * z[1] + z[2] * z[2]
    size = sqrt(v.squared)
    with f.loop(3) as k:
        f.stop_if(own[k + 1] < 0)
        i = own[k + 1]
        with f.if_(own[5] != 0):
            f.F[i] = f.p[i] + r * way[k]
            with f.loop(n) as j:
                f.J[i * n + j] = way[k] * dr[j]
            f.J[i * n + i] = f.J[i * n + i] + 1.0
        with f.if_((own[5] == 0) & (size <= r).all()):
            _at_rest(f, x, a, i)
        with f.if_((own[5] == 0) & (~(size <= r)).any()):
            f.F[i] = f.p[i] - r * z[k] / size
            with f.loop(n) as j:
                f.J[i * n + j] = -(z[k] / size) * dr[j]
            f.J[i * n + i] = f.J[i * n + i] + 1.0
            with f.loop(3) as l:
                f.stop_if(own[l + 1] < 0)
                m = own[l + 1]
                part = -(r / size) * (select_equal(f, k, l) - z[k] * z[l] / v.squared)
                rho = f.scale * x.rho[m]
                with f.loop(n) as j:
                    f.J[i * n + j] = f.J[i * n + j] - part * rho * x.W[m * n + j]
                f.J[i * n + m] = f.J[i * n + m] + part
    return None


def select_equal(f: FunctionBuilder, k: Int, l: Int) -> Real:
    """1 where two integers are equal, else 0."""
    v = f.variables(one=0.0)
    with f.if_(k == l):
        v.one = 1.0
    return v.one


def _emit_least_squares(module: Module) -> Signature:
    """`least_squares(J, F, x, work, n)`: x of least length with least |J x + F|; directions all but undecided are left alone."""
    with module.function("least_squares", public=False, J=Pointer, F=Pointer, x=Pointer, work=Pointer, n=Int) as f:
        n, G, V = f.n, f.work, f.work + f.n * f.n  # rows of G are columns of J, rotated; J V = Gᵀ
        v = f.variables(p=0.0, q=0.0, pq=0.0, turned=True, largest=0.0, c=1.0, s=0.0)
        with f.loop(n) as i, f.loop(n) as j:
            G[j * n + i] = f.J[i * n + j]
            V[j * n + i] = select_equal(f, i, j)
        with f.loop(ROTATIONS):
            v.turned = False
            with f.loop(n) as a, f.loop(a + 1, n) as b:
                v.p, v.q, v.pq = 0.0, 0.0, 0.0
                with f.loop(n) as i:
                    one, other = G[a * n + i], G[b * n + i]
                    v.p, v.q, v.pq = v.p + one * one, v.q + other * other, v.pq + one * other
                with f.if_((abs(v.pq) > ORTHOGONAL * sqrt(v.p * v.q)).all()):
                    v.turned = True
                    zeta = (v.q - v.p) / (2.0 * v.pq)
                    t = select(zeta < 0.0, -1.0, 1.0) / (abs(zeta) + sqrt(1.0 + zeta * zeta))
                    v.c = 1.0 / sqrt(1.0 + t * t)
                    v.s = v.c * t
                    for M in (G, V):
                        with f.loop(n) as i:
                            one, other = M[a * n + i], M[b * n + i]
                            M[a * n + i] = v.c * one - v.s * other
                            M[b * n + i] = v.s * one + v.c * other
            f.stop_if(~v.turned)
        with f.loop(n) as i:
            f.x[i] = 0.0
        with f.loop(n) as a:
            v.p = 0.0
            with f.loop(n) as i:
                v.p = v.p + G[a * n + i] * G[a * n + i]
            v.largest = maximum(v.largest, v.p)
        with f.loop(n) as a:
            v.p, v.pq = 0.0, 0.0
            with f.loop(n) as i:
                v.p, v.pq = v.p + G[a * n + i] * G[a * n + i], v.pq - G[a * n + i] * f.F[i]
            with f.if_((v.p > SHORTEST * SHORTEST * v.largest).all()), f.loop(n) as i:
                f.x[i] = f.x[i] + v.pq / v.p * V[a * n + i]
    return f.signature


def _emit_newton(module: Module, residual: Signature, least_squares: Signature) -> None:
    """`newton(ints, reals, p, work, most, scale, tolerance)`: 1 where p solves the problem now, else 0."""
    with module.function(
        "newton", status=True, **_DATA, p=Pointer, work=Pointer, most=Int, scale=Real, tolerance=Real
    ) as f:
        x = _Places(f)
        n = x.n
        F, J, step, trial = f.work, f.work + n, f.work + (n + n * n), f.work + (2 * n + n * n)
        G, H = f.work + (3 * n + n * n), f.work + (4 * n + n * n)
        best = f.work + (4 * n + n * n * 2)
        bestF, bestJ = best + n, best + 2 * n
        scratch = best + (2 * n + n * n)
        v = f.variables(size=0.0, off=0.0, norm=0.0, lowest=0.0, now=0.0, solved=False)

        def length(of: Any) -> Any:
            v.now = 0.0
            with f.loop(n) as i:
                v.now = v.now + of[i] * of[i]
            return sqrt(v.now)

        def look() -> None:
            v.size, v.off = 1e-300, 0.0
            with f.loop(n) as i:
                v.size = maximum(v.size, maximum(abs(x.rho[i] * x.c[i]), abs(f.p[i])))
                v.off = maximum(v.off, abs(F[i]))
                with f.if_((~(F[i] == F[i])).any()):
                    v.off = F[i]
            v.solved = (v.off / f.scale <= f.tolerance * v.size).all()

        f.call(residual, f.ints, f.reals, f.p, F, J, scratch, f.scale)
        with f.loop(f.most):
            look()
            with f.if_(v.solved):
                f.return_(1)
            f.call(least_squares, J, F, step, scratch, n)
            v.norm, v.lowest = length(F), 1e300
            steps = module.real_table(STEPS)
            with f.loop(len(STEPS)) as k:
                part = steps[k]
                with f.loop(n) as i:
                    trial[i] = f.p[i] + part * step[i]
                f.call(residual, f.ints, f.reals, trial, G, H, scratch, f.scale)
                now = length(G)
                with f.if_((now < v.lowest).all() | (k == 0)):
                    v.lowest = now
                    with f.loop(n) as i:
                        best[i], bestF[i] = trial[i], G[i]
                    with f.loop(n * n) as i:
                        bestJ[i] = H[i]
                f.stop_if((now < (1.0 - DESCENDS * part) * v.norm).all())
            with f.loop(n) as i:
                f.p[i], F[i] = best[i], bestF[i]
            with f.loop(n * n) as i:
                J[i] = bestJ[i]
        look()
        with f.if_(v.solved):
            f.return_(1)
