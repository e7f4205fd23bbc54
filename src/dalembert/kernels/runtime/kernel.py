"""A compiled quantity of a mechanism, callable on one state or on a batch of states."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dalembert.arguments import by_name
from dalembert.cached import cached_property
from dalembert.errors import StateError
from dalembert.kernels.runtime.admissible import check_admissible, check_finite, emit_unfit
from dalembert.kernels.runtime.batch import INPUTS, add_batch
from dalembert.mechanism import Mechanism
from dalembert.mechanism.physical import check_parameters
from dalembert.parts.names import unknown
from dalembert.trace.native import Library, Module, Signature, Target, aligned
from dalembert.trace.native.array_call import ArrayCall, array_call

Emit = Callable[[Module, int], tuple[Signature, int]]
"""(module, lanes) → the kernel's `run` in it and the elements of working memory it needs."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """`kernel(q, u, x, t, parameters)`: arrays (n,) for one state or (K, n) for K; the result has the given shape per state."""

    name: str
    mechanism: Mechanism
    n_extra: int
    shape: tuple[int, ...]
    emit: Emit
    of: tuple[Any, ...] = ()
    """What its code depends on besides the mechanism."""
    one_by_one: bool = False
    """Whether it takes one state at a time, using the lanes for something else."""
    parts: int = 1
    """Registers full of states that it takes at once."""
    at_once: ClassVar[ArrayCall | None] = None
    """`at_once(t, q, u, x)`: a single state's result, or None for anything unusual; there once it was called often."""

    @cached_property
    def target(self) -> Target:
        """What it is compiled for."""
        return self.mechanism.compiled_for

    @property
    def lanes(self) -> int:
        """States of a batch that it takes at once."""
        return 1 if self.one_by_one else self.target.lanes * self.parts

    @property
    def title(self) -> str:
        """What users know it by."""
        first = self.name.partition(" ")[0]
        return _TITLES.get(first, first)

    @property
    def sizes(self) -> dict[str, int]:
        m = self.mechanism
        return {"t": 1, "q": m.n_q, "u": m.n_u, "x": self.n_extra, "P": len(m.parameters)}

    @cached_property
    def n_output(self) -> int:
        return int(np.prod(self.shape))

    def library(self, lanes: int) -> Library:
        """The machine code for this many states at once: from the cache, or compiled now."""
        if lanes not in self._libraries:
            what = (self.name, self.of, tuple(self.sizes.values()), self.n_output, lanes, self.target)
            self._libraries[lanes] = self.mechanism.code.library(what, lambda: self.module(lanes))
        return self._libraries[lanes]

    @cached_property
    def _libraries(self) -> dict[int, Library]:
        return {}

    @cached_property
    def _memory(self) -> threading.local:
        return threading.local()

    def module(self, lanes: int) -> Module:
        """Code of the kernel, not yet compiled."""
        module = Module(self.target.lanes, self.target)
        run, work = self.emit(module, lanes)
        check = emit_unfit(module, self.mechanism, lanes, self.n_extra)
        add_batch(module, run, lanes, self.sizes, self.n_output, work, check)
        return module

    def work(self, lanes: int) -> np.ndarray:
        """Working memory of this thread."""
        kept: dict[Any, Any] = self._memory.__dict__
        if lanes not in kept:
            kept[lanes] = aligned(max(1, self.library(lanes).work_size() or 0) * lanes)
        memory: np.ndarray = kept[lanes]
        return memory

    def __call__(self, q: Any, u: Any = None, x: Any = None, t: Any = 0.0, parameters: Any = None) -> np.ndarray:
        if q is None:
            raise StateError(
                f"{self.title}: coordinates q are missing; m.reference has those at which all frames coincide"
            )
        if parameters is None:
            one = self._single.evaluate(q, u, x, t) if self.at_once is None else self.at_once(t, q, u, x)
            if one is not None:
                return one
        inputs = self._arranged(q, u, x, t, parameters)
        counts = {len(rows) for rows in inputs.values() if rows.ndim == 2}
        if len(counts) > 1:
            raise StateError(f"{self.title}: the batches have different lengths: {', '.join(map(str, sorted(counts)))}")
        if not counts:
            y = np.empty(self.n_output)
            self._check_fit(inputs)
            self.library(1).run(*(inputs[name] for name in INPUTS), y, self.work(1))
            return y.reshape(self.shape)
        count = counts.pop()
        y = np.empty((count, self.n_output))
        lanes = self.lanes if count > 1 else 1
        steps = [inputs[name].shape[1] if inputs[name].ndim == 2 else 0 for name in INPUTS]
        if self.library(lanes).batch(count, *(inputs[name] for name in INPUTS), *steps, y, self.work(lanes)):
            self._check_fit(inputs)
        return y.reshape(count, *self.shape)

    def _check_fit(self, inputs: Mapping[str, np.ndarray]) -> None:
        """Refuse, in words, what cannot be computed with."""
        m = self.mechanism
        names = {"t": (), "q": m.coordinates, "u": m.speeds, "x": m.speeds if self.n_extra == m.n_u else (), "P": ()}
        check_finite({name: (_WHAT[name], values, names[name]) for name, values in inputs.items()}, self.title)
        check_admissible(m, inputs["q"], self.title)

    @property
    def _single(self) -> SingleStateCall:
        """This thread's."""
        try:
            single: SingleStateCall = self._memory.single
        except AttributeError:
            single = self._memory.single = SingleStateCall(self)
        return single

    def _arranged(self, q: Any, u: Any, x: Any, t: Any, parameters: Any) -> dict[str, np.ndarray]:
        values = self._parameters(parameters)
        inputs = {
            "t": self._numbers(t, "the time")[..., None],
            "q": q,
            "u": u,
            "x": x,
            "P": values,
        }
        return {
            name: self._checked(name, rows, size) for (name, size), rows in zip(self.sizes.items(), inputs.values())
        }

    def _parameters(self, given: Any) -> Any:
        """The mechanism's values, with those in `given` (name → number, or one number per state) in their place."""
        known = self.mechanism.parameters
        given = {} if given is None else by_name(given, f"{self.title}: parameters")
        for name in given:
            if name not in known:
                raise unknown(name, "parameter", known, self.title)
        values = [self._numbers(given.get(name, value), f"parameter {name}") for name, value in known.items()]
        lengths = {x.shape for x in values} - {()}
        if len(lengths) > 1:
            raise StateError(
                f"{self.title}: each parameter must be one number or one per state, not {' and '.join(map(str, sorted(lengths)))}"
            )
        check_parameters(self.mechanism, given, self.title)
        return np.stack(np.broadcast_arrays(*values), axis=-1) if values else np.zeros(0)

    def _numbers(self, given: Any, what: str) -> np.ndarray:
        try:
            return np.ascontiguousarray(given, dtype=float) if np.ndim(given) else np.array(given, dtype=float)
        except (TypeError, ValueError, OverflowError) as problem:
            raise StateError(f"{self.title}: {what} must be numbers ({problem})") from None

    def _checked(self, name: str, rows: Any, size: int) -> np.ndarray:
        made = np.zeros(size) if rows is None else self._numbers(rows, _WHAT[name])
        if made.ndim not in (1, 2) or made.shape[-1] != size:
            raise StateError(f"{self.title}: {_WHAT[name]} must have shape ({size},) or (K, {size}), not {made.shape}")
        return made


class SingleStateCall:
    """A single state's arguments side by side in one piece of memory, at which the code is called: the way of the least overhead."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        sizes = list(kernel.sizes.values())
        self.memory = memory = aligned(sum(sizes) + kernel.n_output + max(1, kernel.library(1).work_size() or 0))
        ends = np.cumsum([*sizes, kernel.n_output])
        self.calls = 0
        self.t, self.q, self.u, self.x, P, self.y = np.split(memory, ends)[:6]
        P[:] = [*kernel.mechanism.parameters.values()]
        self.shapes = self.q.shape, self.u.shape, self.x.shape
        self.run = kernel.library(1).single_state.bind(memory)

    def evaluate(self, q: Any, u: Any, x: Any, t: Any) -> np.ndarray | None:
        """The result for a float and arrays of the right size; None for anything else, which must be examined more closely."""
        for_q, for_u, for_x = self.shapes
        if type(t) is not float or type(q) is not np.ndarray or q.dtype is not _DOUBLE or q.shape != for_q:
            return None
        if u is None:
            self.u.fill(0.0)
        elif type(u) is np.ndarray and u.dtype is _DOUBLE and u.shape == for_u:
            self.u[...] = u
        else:
            return None
        if x is None:
            self.x.fill(0.0)
        elif type(x) is np.ndarray and x.dtype is _DOUBLE and x.shape == for_x:
            self.x[...] = x
        else:
            return None
        self.q[...] = q
        self.t[0] = t
        if self.run():
            self.kernel._check_fit({"t": self.t, "q": self.q, "u": self.u, "x": self.x})
        found = self.y.reshape(self.kernel.shape).copy()
        self.calls += 1
        if self.calls == OFTEN:
            self._offer()
        return found

    def _offer(self) -> None:
        """Make the kernel's `at_once`. It works in this memory, under Python's lock, so that this thread goes on in another."""
        kernel = self.kernel
        if kernel.mechanism.n_bodies > MOST_UNDER_LOCK or kernel.at_once is not None:
            return
        sizes, function = kernel.sizes, kernel.library(1).single_state
        output = sum(sizes.values())
        made = array_call(function.address, self.memory, [sizes[x] for x in "qux"], output, kernel.shape, kernel.target)
        if made is not None:
            kernel.__dict__.update(at_once=made, _alive=(self.memory, function))
            del kernel._memory.single


OFTEN = 50
"""Calls after which a kernel gets a built-in function of its own: they cost what making it does."""
MOST_UNDER_LOCK = 1000
"""Bodies of a mechanism up to which a call may keep Python's lock: some ten microseconds."""

_TITLES = {"jacobian": "point_jacobian", "solution": "solve", "constrained": "forward_dynamics", "quantity": "evaluate"}
_DOUBLE = np.dtype(float)
_WHAT = {
    "t": "the time",
    "q": "coordinates q",
    "u": "speeds u",
    "x": "the third argument (tau or udot)",
    "P": "the parameters",
}
