"""Gaps that stay closed over time steps kept from sinking in.

Coordinates are lifted by the least change δ in the metric of A under 0 ≤ λ ⊥ s g + J δ ≥ 0, s being a share of the gap in every step.
"""

from __future__ import annotations

from typing import Any

from dalembert.kernels.masked.cone_sweeps import STILL, ConeSweeps
from dalembert.kernels.runtime.straight import KERNEL, NAMES
from dalembert.trace.native import FunctionBuilder, Pointer, Signature, Variables, maximum, select, sqrt

SUNK = 1e-10
"""Gap, by its scale, from which on what stays closed is lifted."""
SHARE = 0.2
"""Part of a gap by which it is lifted in a step: more would let what rocks gain by every lift what it loses by an impact."""
LIFTED = 1e-6
"""Change of a lift in a sweep, by the largest, at which all are known."""
LIFTS = 200
"""Most sweeps of a lift."""


class GapLift:
    """`lift` of one right-hand side, beside its `ConeSweeps`."""

    def __init__(self, sweeps: ConeSweeps):
        self.sweeps = sweeps
        self.lift = self._emit()

    def _emit(self) -> Signature:
        """`lift`: coordinates q after a step moved back onto gaps that stay closed; u is scratch for the displacement, y for its rates.
        What that raises the energy by is not lost: `book` holds losses and works of the laws."""
        gaps, moving = (
            self.sweeps.module.block(self.sweeps.rhs.blocks[name], self.sweeps.lanes)
            for name in ("only_gaps", "displacement")
        )
        pointers: dict[str, Any] = dict.fromkeys(("impulse", "book"), Pointer)
        with self.sweeps.module.function("lift_step", lanes=self.sweeps.lanes, public=False, **KERNEL, **pointers) as f:
            f.call(gaps, *(getattr(f, name) for name in NAMES))
            part, v = self.sweeps.parts(f), f.variables(sunk=False, change=0.0, largest=0.0)
            with f.loop(self.sweeps.elements) as e:
                part["lift"][e] = 0.0
                with f.if_(self.sweeps.has_gap[e] != 0):
                    v.sunk = v.sunk | (self._stays(f, part, e) & (self.sweeps.depth(part, e) < -SUNK)).any()
            with f.if_(v.sunk):
                with f.loop(self.sweeps.n) as i:
                    f.u[i] = 0.0
                with f.loop(LIFTS):
                    v.change, v.largest = 0.0, 1e-300
                    with f.loop(self.sweeps.elements) as e, f.if_(self.sweeps.has_gap[e] != 0):
                        self._raise(f, part, e, v)
                    f.stop_if((v.change <= LIFTED * v.largest).all())
                self._book(f, part)
                f.call(moving, *(getattr(f, name) for name in NAMES))
                with f.loop(self.sweeps.rhs.m.n_q) as i:
                    f.q[i] = f.q[i] + f.y[i]
        signature: Signature = f.signature
        return signature

    def _stays(self, f: FunctionBuilder, part: dict[str, Any], e: Any) -> Any:
        """Where an element presses and does not rebound."""
        return (f.impulse[self.sweeps.normal_of[e]] > 0.0) & (
            part["rebound"][e] >= -STILL * self.sweeps.rate * part["sizes"][self.sweeps.normal_of[e]]
        )

    def _raise(self, f: FunctionBuilder, part: dict[str, Any], e: Any, v: Variables) -> None:
        r = self.sweeps.normal_of[e]
        with f.if_((part["touches"][e] != 0.0).any()):
            J, Y, lift = part["J"] + r * self.sweeps.n, part["Yl"] + r * self.sweeps.n, part["lift"]
            left = SHARE * part["gap"][r] + f.total(self.sweeps.n, lambda i: J[i] * f.u[i])
            may = part["touches"][e] * select(self._stays(f, part, e), 1.0, f.real(0.0))
            new = maximum(lift[e] - left * part["inverse"][r], 0.0) * may
            change, weight = new - lift[e], sqrt(part["W"][r])
            v.change, v.largest = maximum(v.change, abs(change) * weight), maximum(v.largest, new * weight)
            lift[e] = new
            for i in f.each(self.sweeps.n):
                f.u[i] = f.u[i] + Y[i] * change

    def _book(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        with (
            f.loop(self.sweeps.elements) as e,
            f.if_(self.sweeps.has_gap[e] != 0),
            f.if_((part["lift"][e] != 0.0).any()),
        ):
            r, pushed = self.sweeps.normal_of[e], part["f"]
            Y, at = part["Yl"] + r * self.sweeps.n, self.sweeps.law_of[r] * 2
            work = part["lift"][e] * f.total(self.sweeps.n, lambda i: Y[i] * pushed[i])
            f.book[at] = f.book[at] + work
            f.book[at + 1] = f.book[at + 1] - work
