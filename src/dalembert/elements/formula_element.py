"""Formulas: an element said by expressions, as model files say them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from dalembert.elements.element import Element, Output
from dalembert.errors import ModelError
from dalembert.parts.conform import Described
from dalembert.parts.fields import Holds, PlainNumber, PositiveNumber
from dalembert.parts.forces.force import JointLoad, Load
from dalembert.portable import Portable
from dalembert.trace import Scalar

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt
    from dalembert.parts.joints.joint import Joint

OWN = "own"
"""What an element calls itself in its formulas."""
Functions = Annotated[Any, Holds("state functions")]
"""Functions of the state by name, in which signal("own.name") is a state or an input of the element itself."""


@dataclass(frozen=True, eq=False)
class Formulas(Described, Portable):
    """An element by expressions: initial values of `states`, their `rates`, `outputs`, and `torques` on joints with one freedom.

    In them own.name is a state or an input of the element itself. With a `period`, s, it is sampled, and `update` gives the states that
    follow a sample in place of rates.
    """

    states: Mapping[str, PlainNumber] | None = None
    rates: Functions = field(default_factory=dict)
    outputs: Functions = field(default_factory=dict)
    inputs: tuple[str, ...] | None = None
    torques: Functions = field(default_factory=dict)
    period: PositiveNumber | None = None
    update: Functions = field(default_factory=dict)

    def element(self) -> FormulaElement:
        """What it describes."""
        if self.period is None and self.update:
            raise ModelError("update is for sampled elements: give a period, or rates in place of update")
        if self.period is not None and self.rates:
            raise ModelError("a sampled element has no rates: give update in place of rates, or leave out period")
        return FormulaElement(self)


class _Own:
    """A state of the mechanism as a formula of an element sees it."""

    def __init__(self, x: ElementAt):
        self._x = x

    def signal(self, name: str) -> Scalar:
        owner, _, what = name.partition(".")
        return self._x[what] if owner == OWN else self._x.s.signal(name)

    def __getattr__(self, name: str) -> Scalar:
        return getattr(self._x.s, name)


@dataclass(frozen=True, eq=False)
class FormulaElement(Element):
    """The element that formulas say."""

    said: Formulas

    @property
    def inputs(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self.said.inputs or ())

    @property
    def period(self) -> float | None:  # type: ignore[override]
        return self.said.period

    @property
    def states(self) -> Mapping[str, float]:
        return dict(self.said.states or {})

    @property
    def outputs(self) -> Mapping[str, Output]:
        return {name: partial(_worth, of) for name, of in self.said.outputs.items()}

    @property
    def joints(self) -> tuple[str, ...]:
        return tuple(self.said.torques)

    @property
    def exerts(self) -> bool:
        return bool(self.said.torques)

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        for joint in self.said.torques:
            if joint_of(joint).n_u != 1:
                raise ModelError(
                    f'element "{name}": torques act on joints with one freedom, and joint "{joint}" has {joint_of(joint).n_u}'
                )

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        return {name: _worth(of, x) for name, of in self.said.rates.items()}

    def update(self, x: ElementAt) -> Mapping[str, Any]:
        return {name: _worth(of, x) for name, of in self.said.update.items()}

    def loads(self, x: ElementAt) -> Iterable[Load]:
        for joint, of in self.said.torques.items():
            yield JointLoad(joint, np.array([_worth(of, x)], dtype=object))


def _worth(of: Any, x: ElementAt) -> Scalar:
    return of(_Own(x)) if callable(of) else of
