"""StateSpace: a linear system, and TransferFunction: one by its polynomials.

ẋ = A x + B v, y = C x + D v; with a period x⁺ = A x + B v, y held between samples.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from dalembert.elements.element import Element, Output
from dalembert.errors import ModelError
from dalembert.parts.fields import Holds, PositiveNumber
from dalembert.parts.numbers import plain_number
from dalembert.trace import Scalar

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


BESIDE_POLES = np.exp(1j)
"""Direction in the plane of s in which no usual pole lies: neither real nor imaginary."""


def matrix(given: Any, where: str) -> np.ndarray:
    """Rows of plain numbers."""
    try:
        made = np.atleast_2d(np.asarray(given, dtype=float))
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{where} must be rows of numbers, not {given!r}") from None
    if made.ndim != 2 or not np.isfinite(made).all():
        raise ModelError(f"{where} must be rows of finite numbers, not {given!r}")
    made.flags.writeable = False
    return made


def polynomial(given: Any, where: str) -> np.ndarray:
    """Coefficients, that of the highest power first."""
    row = matrix(given, where)
    if len(row) != 1:
        raise ModelError(
            f"{where} must be the coefficients of a polynomial, that of the highest power first, not {given!r}"
        )
    first = np.flatnonzero(row[0])
    return row[0, first[0] :] if len(first) else row[0, -1:]


MatrixField = Annotated[Any, Holds("matrix", check=matrix)]
PolynomialField = Annotated[Any, Holds("list", check=polynomial)]


@dataclass(frozen=True, eq=False)
class StateSpace(Element):
    """ẋ = A x + B v, y = C x + D v of one or more inputs and outputs; with a `period`, x⁺ = A x + B v at every sample.

    One input is called `input`, several `input1`, `input2`, …; likewise outputs. States are `x1`, `x2`, … `da.StateSpace.of(system)`
    takes one of python-control or SciPy, in continuous or sampled time.
    """

    A: MatrixField
    B: MatrixField
    C: MatrixField
    D: MatrixField
    period: PositiveNumber | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        n, k, r = self.A.size and len(self.A), self.D.shape[1], len(self.D)
        fits = (self.A.size == n * n, self.B.size == n * k, self.C.size == r * n)
        for name, good in zip("ABC", fits):
            if not good:
                raise ModelError(
                    f"StateSpace: {name} is {getattr(self, name).shape[0]} × {getattr(self, name).shape[1]}, which does not go with "
                    f"{n} states and D of {r} outputs and {k} inputs"
                )

    @staticmethod
    def of(system: object) -> StateSpace:
        """The element of a linear system of python-control or SciPy: state space, or a transfer function with one input and output."""
        known: Any = system
        if not all(hasattr(known, name) for name in "ABCD") and hasattr(known, "to_ss"):
            known = known.to_ss()  # SciPy
        if not all(hasattr(known, name) for name in "ABCD"):
            return _by_polynomials(known).state_space
        A, B, C, D = (np.asarray(getattr(known, name), dtype=float) for name in "ABCD")
        return StateSpace(A, B, C, D, _period(known))

    @property
    def n(self) -> int:
        """How many states it has in continuous time."""
        return len(self.A) if self.A.size else 0

    @property
    def inputs(self) -> tuple[str, ...]:  # type: ignore[override]
        return _numbered("input", self.D.shape[1])

    @property
    def _outputs(self) -> tuple[str, ...]:
        return _numbered("output", len(self.D))

    @property
    def states(self) -> Mapping[str, float]:
        held = {f"held{i + 1}": 0.0 for i in range(len(self.D))} if self.period is not None else {}
        return {f"x{i + 1}": 0.0 for i in range(self.n)} | held

    @property
    def sizes(self) -> Mapping[str, Any]:
        """|(s 1 − A)⁻¹ B| of inputs of size one, the largest where |s| is twice one of the rates of A; beside any pole."""
        if self.period is not None or not self.n:
            return {}
        rates = [r for r in np.abs(np.linalg.eigvals(self.A)) if r > 0.0]
        every = [np.linalg.solve(2.0 * r * BESIDE_POLES * np.eye(self.n) - self.A, self.B) for r in rates]
        driven = np.max([np.abs(X).sum(axis=1) for X in every], axis=0) if every else np.zeros(self.n)
        return {f"x{i + 1}": float(size) for i, size in enumerate(driven) if 0.0 < size < np.inf}

    @property
    def outputs(self) -> Mapping[str, Output]:
        return {name: partial(self._output, i) for i, name in enumerate(self._outputs)}

    def _output(self, i: int, x: ElementAt) -> Scalar:
        return self._row(self.C, self.D, i, x) if self.period is None else x[f"held{i + 1}"]

    def _row(self, of_states: np.ndarray, of_inputs: np.ndarray, i: int, x: ElementAt) -> Scalar:
        """Σ of_states x + Σ of_inputs v in row i; what is multiplied by zero is not asked for."""
        total: Any = 0.0
        for k in range(self.n):
            total = total + of_states[i, k] * x[f"x{k + 1}"] if of_states[i, k] else total
        for k, name in enumerate(self.inputs):
            total = total + of_inputs[i, k] * x[name] if of_inputs[i, k] else total
        return total

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        return {f"x{i + 1}": self._row(self.A, self.B, i, x) for i in range(self.n)}

    def update(self, x: ElementAt) -> Mapping[str, Any]:
        held = {f"held{i + 1}": self._row(self.C, self.D, i, x) for i in range(len(self.D))}
        return {**self.rates(x), **held}


@dataclass(frozen=True, eq=False)
class TransferFunction(Element):
    """numerator/denominator, polynomials in s, that of the highest power first; with a `period`, in z, and the output is held."""

    numerator: PolynomialField
    denominator: PolynomialField
    period: PositiveNumber | None = None

    inputs = ("input",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.denominator.any():
            raise ModelError("TransferFunction: the denominator is zero")
        if len(self.numerator) > len(self.denominator):
            raise ModelError(
                "TransferFunction: the numerator has a higher power than the denominator, which would differentiate its input; filter "
                "it, with a further factor in the denominator"
            )

    @property
    def state_space(self) -> StateSpace:
        """The same in controllable canonical form."""
        a = self.denominator / self.denominator[0]
        b = np.concatenate([np.zeros(len(a) - len(self.numerator)), self.numerator / self.denominator[0]])
        n = len(a) - 1
        A, B = np.eye(n, k=-1), np.eye(n, 1)
        A[:1] = -a[1:]
        C, D = (b[1:] - b[0] * a[1:]).reshape(1, n), b[:1].reshape(1, 1)
        return StateSpace(A, B, C, D, self.period)

    @property
    def states(self) -> Mapping[str, float]:
        return self.state_space.states

    @property
    def sizes(self) -> Mapping[str, Any]:
        return self.state_space.sizes

    @property
    def outputs(self) -> Mapping[str, Output]:
        return self.state_space.outputs

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        return self.state_space.rates(x)

    def update(self, x: ElementAt) -> Mapping[str, Any]:
        return self.state_space.update(x)


def _numbered(name: str, count: int) -> tuple[str, ...]:
    return (name,) if count == 1 else tuple(f"{name}{i + 1}" for i in range(count))


def _by_polynomials(system: Any) -> TransferFunction:
    """A transfer function of python-control, by its polynomials."""
    num, den = getattr(system, "num", None), getattr(system, "den", None)
    try:
        while np.ndim(num[0]):  # type: ignore[index]
            if len(num) != 1:  # type: ignore[arg-type]
                raise ModelError(
                    "StateSpace.of: a transfer function must have one input and one output; give its state space"
                )
            num, den = num[0], den[0]  # type: ignore[index]
        return TransferFunction(np.asarray(num, dtype=float), np.asarray(den, dtype=float), _period(system))
    except (TypeError, IndexError, ValueError):
        raise ModelError(
            f"StateSpace.of: {type(system).__name__} is no linear system of python-control or SciPy, which has A, B, C and D or num "
            "and den"
        ) from None


def _period(system: Any) -> float | None:
    """Time between samples of a discrete system; None of a continuous one."""
    dt = getattr(system, "dt", None)
    if dt is True:
        raise ModelError("StateSpace.of: the system is sampled, and does not say how often; give its dt")
    return plain_number(dt, "StateSpace.of: dt") if dt else None
