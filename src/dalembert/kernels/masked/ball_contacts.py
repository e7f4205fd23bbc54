"""Contacts of many balls in a time step, in driver code: pairs that touch are found anew, and have rows of two balls' speeds alone.

Every ball is a body on a joint of its own, so that A is a block for each, and a contact moves no more than its two balls. All pairs are
examined by the distance of their centres; what touches gets rows in the order in which it is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints.rest import typical_rate
from dalembert.errors import SimulationError
from dalembert.kernels.runtime.straight import KERNEL, NAMES
from dalembert.laws.balls import Balls
from dalembert.parts.forces.points import Point
from dalembert.trace.native import FunctionBuilder, Module, Output, Pointer, Signature, Variables, maximum, select, sqrt

if TYPE_CHECKING:
    from dalembert.kernels.masked.stepping_rhs import SteppingRightHandSide
    from dalembert.kinematics.state import State

SPEEDS = 6
"""Speeds of a ball."""
PER_BALL = 3 + 2 * 3 * SPEEDS
"""Numbers of a ball: its centre, its partial velocities and angular velocities."""
PER_ROW = 4 * SPEEDS + 2
"""Numbers of a row: J and A⁻¹Jᵀ of both balls, W and the speed before the step."""
PER_CONTACT = 3 * PER_ROW + 3
"""Numbers of a contact: its rows, the rebound, the step of friction, what is left of its gap."""
CONTACTS_PER_BALL = 8
"""Contacts for each ball that there is room for: equal balls have 6 each at most, and the planes."""
TOUCH = 1e-11
"""Gap, by the sum of the radii, that counts as touching."""
LIFT_SHARE, LIFT_SWEEPS = 0.2, 30
"""Part of a gap by which balls that have sunk in are lifted in a step, and sweeps in which that is found."""
INSIDE = 1e-9
"""Gap at the start, by the radius, below which balls have gone through each other."""
STILL = 1e-9
"""Rebound, by the radii and the mechanism's own rate, below which balls stay in touch."""
NEAR_POLE = 0.9
"""Component of a normal along z from which on directions of slip are measured from x."""


class BallContacts:
    """Code for one law of balls: `find`, `begin`, `sweep`, `spent`, `lift`."""

    def __init__(self, rhs: SteppingRightHandSide, law: Balls, name: str, number: int):
        self.rhs, self.law, self.name, self.number = rhs, law, name, number
        m = rhs.m
        self.count, self.n, self.rate = len(law.of), m.n_u, typical_rate(m)
        self.n_walls = len(law.walls)
        self.pairs = self.count * (self.count - 1) // 2 + self.count * self.n_walls
        self.room = min(self.pairs, CONTACTS_PER_BALL * self.count + self.count * self.n_walls)
        self.columns = [self._own_columns(body) for body in law.of]

    def _own_columns(self, body: str) -> int:
        """The first of a ball's speeds; refused where it does not move by itself."""
        m = self.rhs.m
        k = m.number_of[body]
        own = list(m.path_columns[k])
        others = {c for i, columns in enumerate(m.path_columns) if i != k for c in columns}
        alone = own == list(range(own[0], own[0] + SPEEDS)) if own else False
        if not alone or others & set(own) or m.cuts or m.constraints:
            raise SimulationError(
                f'law "{self.name}": "{body}" must be a free body, on a joint da.Free() to the ground, without loops and constraints'
            )
        return own[0]

    # -- memory and traced code ----------------------------------------------------------------------------------------
    @cached_property
    def sizes(self) -> dict[str, int]:
        """Parts of the working memory, by name."""
        own = {"poses": PER_BALL * self.count, "rows": PER_CONTACT * self.room, "found": self.pairs, "shift": self.n}
        return {self.place(part): size for part, size in (own | {"full": 1}).items()}

    def place(self, part: str) -> str:
        """Name of a part of the working memory, or of a block."""
        return f"balls_{self.number}_{part}"

    def poses(self, s: State, at: dict[str, int]) -> list[Output]:
        """Centres and partial velocities of all balls."""
        found, start = [], at[self.place("poses")]
        for i, body in enumerate(self.law.of):
            W, V = s.jacobian(Point(body))
            own = slice(self.columns[i], self.columns[i] + SPEEDS)
            values = [*s.position(body), *V[:, own].ravel(), *W[:, own].ravel()]
            found += [Output(x, "work", start + PER_BALL * i + k) for k, x in enumerate(values)]
        return found

    # -- compiled ------------------------------------------------------------------------------------------------------
    def emit(self, module: Module, lanes: int) -> None:
        """Write all functions into a module."""
        self.module, self.lanes = module, lanes
        self.code = module.block(self.rhs.blocks[self.place("poses")], lanes)
        self.first = module.int_table(self.columns)
        self.radius = module.real_table(self.law.radii.tolist())
        walls = [x for point, normal in self.law.walls for x in (*point, *normal)]
        self.wall = module.real_table(walls or [0.0])
        self._row = self._emit_row()
        self._contact = self._emit_contact()
        self.find = self._emit_find()
        self.begin = self._emit_begin()
        self.sweep = self._emit_sweep()
        self.spent = self._emit_spent()
        self.lift = self._emit_lift()

    def part(self, f: FunctionBuilder, name: str) -> Pointer:
        return f.work + self.rhs.places[self.place(name)]

    def _function(self, name: str, **arguments: Any) -> Any:
        return self.module.function(self.place(name), lanes=self.lanes, public=False, **arguments)

    def _emit_row(self) -> Signature:
        """`row(pose, A, J, Y, d, arm)`: J = d V + (arm × d) W of a ball and A⁻¹ of it; d and arm are three numbers each."""
        pointers: dict[str, Any] = dict.fromkeys(("pose", "A", "J", "Y", "d", "arm"), Pointer)
        n = self.n
        with self._function("row", **pointers) as f:
            d, a = [f.d[k] for k in range(3)], [f.arm[k] for k in range(3)]
            turn = [a[1] * d[2] - a[2] * d[1], a[2] * d[0] - a[0] * d[2], a[0] * d[1] - a[1] * d[0]]
            J = []
            for c in range(SPEEDS):
                moved = sum(f.pose[3 + SPEEDS * k + c] * d[k] for k in range(3))
                turned = sum(f.pose[3 + 3 * SPEEDS + SPEEDS * k + c] * turn[k] for k in range(3))
                J.append(moved + turned)
                f.J[c] = J[c]
            x = list(J)
            for i in reversed(range(SPEEDS)):  # A = LᵀDL
                for j in range(i):
                    x[j] = x[j] - f.A[i * n + j] * x[i]
            for i in range(SPEEDS):
                x[i] = x[i] * f.A[i * n + i]
                for j in range(i):
                    x[i] = x[i] - f.A[i * n + j] * x[j]
                f.Y[i] = x[i]
        return f.signature

    def _emit_contact(self) -> Signature:
        """`contact(one, other, A, B, rows, normal, arms)`: rows of the normal and of two directions across it."""
        pointers: dict[str, Any] = dict.fromkeys(("one", "other", "A", "B", "rows", "normal", "arms"), Pointer)
        with self._function("contact", **pointers) as f:
            n = [f.normal[k] for k in range(3)]
            pole = abs(n[2]) > NEAR_POLE
            beside = [select(pole, 1.0, f.real(0.0)), f.real(0.0), select(pole, 0.0, f.real(1.0))]
            first = _cross(beside, n)
            size = sqrt(sum(x * x for x in first))
            first = [x / size for x in first]
            d = f.array(3)
            for k, way in enumerate((n, first, _cross(n, first))):
                row = f.rows + k * PER_ROW
                for c in range(3):
                    d[c] = way[c]
                f.call(self._row, f.one, f.A, row, row + 2 * SPEEDS, d, f.arms)
                with f.loop(3) as c:
                    d[c] = -d[c]
                f.call(self._row, f.other, f.B, row + SPEEDS, row + 3 * SPEEDS, d, f.arms + 3)
                row[4 * SPEEDS] = f.total(2 * SPEEDS, lambda i, row=row: row[i] * row[i + 2 * SPEEDS])
            bound = abs(f.rows[PER_ROW + 4 * SPEEDS]) + abs(f.rows[2 * PER_ROW + 4 * SPEEDS])
            f.rows[3 * PER_ROW + 1] = 1.0 / bound
        return f.signature

    def _each(self, f: FunctionBuilder, act: Any, every: bool = False) -> None:
        """For every pair that touches `act(pair, slot, i, j, wall)`; j is the ball itself at a wall, wall −1 between balls."""
        v, found = f.variables(pair=0, slot=0), self.part(f, "found")

        def one(i: Any, j: Any, wall: Any) -> None:
            if every:
                act(v, i, j, wall)
            else:
                with f.if_((found[v.pair] != 0.0).any()):
                    act(v, i, j, wall)
                    v.slot = v.slot + 1
            v.pair = v.pair + 1

        with f.loop(self.count) as i, f.loop(i) as j:
            one(i, j, None)
        if self.n_walls:
            with f.loop(self.count) as i, f.loop(self.n_walls) as w:
                one(i, i, w)

    def _apart(self, f: FunctionBuilder, i: Any, j: Any, wall: Any) -> tuple[Any, list[Any], Any]:
        """Gap, normal towards ball i, and the sum of the radii."""
        x = self.part(f, "poses") + i * PER_BALL
        if wall is not None:
            n = [f.real(self.wall[wall * 6 + (3 + k)]) for k in range(3)]
            height = sum((x[k] - self.wall[wall * 6 + k]) * n[k] for k in range(3))
            return height - self.radius[i], n, f.real(self.radius[i])
        y = self.part(f, "poses") + j * PER_BALL
        d = [x[k] - y[k] for k in range(3)]
        reach = f.real(self.radius[i] + self.radius[j])
        far = sqrt(maximum(sum(c * c for c in d), 1e-300))
        return far - reach, [c / far for c in d], reach

    def _emit_find(self) -> Signature:
        """`find`: all contacts of a pose, with their rows; A is factorised."""
        with self._function("find", **KERNEL) as f:
            f.call(self.code, *(getattr(f, name) for name in NAMES))
            found, rows, poses, full = (self.part(f, name) for name in ("found", "rows", "poses", "full"))
            full[0] = 0.0
            A = f.work + self.rhs.places["A"]
            still, normal, arms = f.array(PER_BALL), f.array(3), f.array(6)
            with f.loop(PER_BALL) as k:
                still[k] = 0.0

            def look(v: Variables, i: Any, j: Any, wall: Any) -> None:
                gap, n, reach = self._apart(f, i, j, wall)
                touches = gap <= TOUCH * reach
                found[v.pair] = 0.0
                with f.if_(touches.any()):
                    with f.if_(v.slot >= self.room):
                        full[0] = 1.0
                    with f.if_(v.slot < self.room):
                        found[v.pair] = select(touches, 1.0, f.real(0.0))
                        row = rows + v.slot * PER_CONTACT
                        for k in range(3):
                            normal[k] = n[k]
                            arms[k] = -self.radius[i] * n[k]
                            arms[3 + k] = f.real(0.0) if wall is not None else self.radius[j] * n[k]
                        other = still if wall is not None else poses + j * PER_BALL
                        at = (self.first[i] * (self.n + 1), self.first[j] * (self.n + 1))
                        f.call(self._contact, poses + i * PER_BALL, other, A + at[0], A + at[1], row, normal, arms)
                        v.slot = v.slot + 1

            self._each(f, look, every=True)
        return f.signature

    def _speed(self, f: FunctionBuilder, row: Any, i: Any, j: Any, u: Any) -> Any:
        a, b = u + self.first[i], u + self.first[j]
        own = f.total(SPEEDS, lambda c: row[c] * a[c])
        return own + f.total(SPEEDS, lambda c: row[SPEEDS + c] * b[c])

    def _push(self, f: FunctionBuilder, row: Any, i: Any, j: Any, u: Any, impulse: Any) -> None:
        for start, ball in ((2 * SPEEDS, i), (3 * SPEEDS, j)):
            at = u + self.first[ball]
            for c in f.each(SPEEDS):
                at[c] = at[c] + row[start + c] * impulse

    def _emit_begin(self) -> Signature:
        """`begin(work, before, after, impulse)`: speeds before the step, impulses of the last one as a start."""
        pointers: dict[str, Any] = dict.fromkeys(("work", "before", "after", "impulse"), Pointer)
        with self._function("begin", **pointers) as f:
            rows, found = self.part(f, "rows"), self.part(f, "found")
            with f.loop(self.pairs) as k, f.if_((found[k] == 0.0).all()):
                for c in range(3):
                    f.impulse[k * 3 + c] = 0.0

            def start(v: Variables, i: Any, j: Any, wall: Any) -> None:
                contact, P = rows + v.slot * PER_CONTACT, f.impulse + v.pair * 3
                for k in range(3):
                    row = contact + k * PER_ROW
                    row[4 * SPEEDS + 1] = self._speed(f, row, i, j, f.before)
                    P[k] = P[k] * found[v.pair]
                    self._push(f, row, i, j, f.after, P[k])
                back = float(self.law.restitution) * contact[4 * SPEEDS + 1]
                contact[3 * PER_ROW] = select(back < 0.0, back, f.real(0.0))

            self._each(f, start)
        return f.signature

    def _emit_sweep(self) -> Signature:
        """`sweep(work, after, impulse, changed)`: every contact once; `changed` has the largest change and the largest impulse."""
        pointers: dict[str, Any] = dict.fromkeys(("work", "after", "impulse", "changed"), Pointer)
        mu = float(self.law.mu)
        with self._function("sweep", **pointers) as f:
            rows, found = self.part(f, "rows"), self.part(f, "found")
            v = f.variables(change=f.changed[0], largest=f.changed[1])

            def put(row: Any, P: Any, k: int, new: Any, pair: tuple[Any, Any]) -> None:
                difference, weight = new - P[k], sqrt(row[4 * SPEEDS])
                v.change = maximum(v.change, abs(difference) * weight)
                v.largest = maximum(v.largest, abs(new) * weight)
                P[k] = new
                self._push(f, row, *pair, f.after, difference)

            def once(at: Any, i: Any, j: Any, wall: Any) -> None:
                contact, P, on = rows + at.slot * PER_CONTACT, f.impulse + at.pair * 3, found[at.pair]
                speed = self._speed(f, contact, i, j, f.after) + contact[3 * PER_ROW]
                put(contact, P, 0, maximum(P[0] - speed / contact[4 * SPEEDS], 0.0) * on, (i, j))
                if mu == 0.0:
                    return
                step, across = contact[3 * PER_ROW + 1], [contact + k * PER_ROW for k in (1, 2)]
                trial = [P[k + 1] - step * self._speed(f, row, i, j, f.after) for k, row in enumerate(across)]
                size, radius = sqrt(trial[0] * trial[0] + trial[1] * trial[1]), mu * P[0]
                beyond = size > radius
                share = select(beyond, radius / select(beyond, size, 1.0), f.real(1.0)) * on
                for k, row in enumerate(across):
                    put(row, P, k + 1, trial[k] * share, (i, j))

            self._each(f, once)
            f.changed[0], f.changed[1] = v.change, v.largest
        return f.signature

    def _emit_spent(self) -> Signature:
        """`spent(work, middle, impulse, book)`: the work of all impulses at the mean speed is lost, and is the law's work."""
        pointers: dict[str, Any] = dict.fromkeys(("work", "middle", "impulse", "book"), Pointer)
        with self._function("spent", **pointers) as f:
            rows, total = self.part(f, "rows"), f.variables(sum=0.0)

            def count(v: Variables, i: Any, j: Any, wall: Any) -> None:
                contact, P = rows + v.slot * PER_CONTACT, f.impulse + v.pair * 3
                for k in range(3):
                    total.sum = total.sum + P[k] * self._speed(f, contact + k * PER_ROW, i, j, f.middle)

            self._each(f, count)
            f.book[0], f.book[1] = f.book[0] - total.sum, f.book[1] + total.sum
        return f.signature

    def _emit_lift(self) -> Signature:
        """`lift`: coordinates after a step moved so that balls that press and have sunk in come out again by a share; y is scratch."""
        moving = self.module.block(self.rhs.blocks["displacement"], self.lanes)
        with self._function("lift", **KERNEL, impulse=Pointer, book=Pointer) as f:
            f.call(self.code, *(getattr(f, name) for name in NAMES))
            rows, shift = self.part(f, "rows"), self.part(f, "shift")
            force = f.work + self.rhs.places["f"]
            with f.loop(self.n) as c:
                shift[c] = 0.0

            def see(v: Variables, i: Any, j: Any, wall: Any) -> None:
                contact = rows + v.slot * PER_CONTACT
                gap, _, reach = self._apart(f, i, j, wall)
                stays = contact[3 * PER_ROW] >= -STILL * self.rate * reach
                presses = (f.impulse[v.pair * 3] > 0.0) & (gap < 0.0) & stays
                contact[3 * PER_ROW + 2] = select(presses, LIFT_SHARE * gap, f.real(0.0))
                contact[4 * SPEEDS + 1] = 0.0  # the lift itself

            self._each(f, see)

            def raised(v: Variables, i: Any, j: Any, wall: Any) -> None:
                contact = rows + v.slot * PER_CONTACT
                lifted, sunk = contact[4 * SPEEDS + 1], contact[3 * PER_ROW + 2]
                left = sunk + self._speed(f, contact, i, j, shift)
                may = select(sunk < 0.0, 1.0, f.real(0.0))
                new = maximum(lifted - left / contact[4 * SPEEDS], 0.0) * may
                contact[4 * SPEEDS + 1] = new
                self._push(f, contact, i, j, shift, new - lifted)

            with f.loop(LIFT_SWEEPS):
                self._each(f, raised)
            work = f.total(self.n, lambda c: shift[c] * force[c])
            f.book[0], f.book[1] = f.book[0] + work, f.book[1] - work
            f.call(moving, f.t, f.q, shift, f.x, f.P, f.y, f.work)
            with f.loop(self.rhs.m.n_q) as c:
                f.q[c] = f.q[c] + f.y[c]
        return f.signature


def _cross(a: list[Any], b: list[Any]) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def balls_of(rhs: SteppingRightHandSide) -> list[BallContacts]:
    """Code for every law of balls."""
    every = enumerate(rhs.m.laws.items())
    return [BallContacts(rhs, law, name, k) for k, (name, law) in every if isinstance(law, Balls) and law.on]


def overlapping(law: Balls, s: State) -> tuple[str, float] | None:
    """Two balls, or a ball and a plane, that have gone through each other in a state, and their gap."""
    x, r = np.array([s.position(body) for body in law.of], dtype=float), law.radii
    for point, normal in law.walls:
        gaps = (x - point) @ normal - r
        if gaps.min() < -INSIDE * r.max():
            return law.of[int(gaps.argmin())], float(gaps.min())
    for i in range(1, len(x)):
        gaps = np.linalg.norm(x[:i] - x[i], axis=1) - r[:i] - r[i]
        if gaps.min() < -INSIDE * r.max():
            return f"{law.of[int(gaps.argmin())]}–{law.of[i]}", float(gaps.min())
    return None
