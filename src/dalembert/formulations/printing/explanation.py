"""What a method makes of a mechanism: its matrices by name, in symbols or as numbers, to be read as text, LaTeX or HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.errors import FormulationError
from dalembert.formulations.printing.quantity import Quantity
from dalembert.formulations.printing.readable import NO_ALGEBRA, Algebra
from dalembert.parts.names import nearest
from dalembert.trace import Expr, evaluate, free_symbols, substitute, symbol, tracing
from dalembert.trace.collect import Powers, Waves, collected

BEFORE = ("A", "f", "B", "gamma")
"""Names of the matrices that a constraint method's own are derived from."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """A method's matrices, in the order in which its source forms them: `x = m.explain("zero_eigenvalues")`, then `x["S"]`, `print(x)`.

    They hold expressions of t, q, the speeds and the parameters, or numbers where a state was given.
    """

    mechanism: str
    method: str
    title: str
    principle: str
    """How the method goes, with the numbers of its source's equations."""
    quantities: tuple[Quantity, ...]
    notes: tuple[str, ...] = ()
    algebra: Algebra = NO_ALGEBRA
    """What is known of its symbols."""
    derived: Callable[[Mapping[str, np.ndarray]], tuple[Quantity, ...]] | None = None
    """What follows from the first of its quantities, by name, where it is to be derived anew from what `where` makes of these."""

    # -- by name ----------------------------------------------------------------------------------------------------------
    def __getitem__(self, name: str) -> np.ndarray:
        return self.quantity(name).value

    def __iter__(self) -> Iterator[str]:
        return (x.name for x in self.quantities)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its matrices."""
        return tuple(self)

    def quantity(self, name: str) -> Quantity:
        """A matrix with its meaning and the names of its rows and columns."""
        for x in self.quantities:
            if x.name == name:
                return x
        raise FormulationError(f"{self.method} explains no {name!r}; {nearest(name, list(self), 'choose one of')}")

    def only(self, *names: str) -> Explanation:
        """The same with these matrices alone."""
        return replace(self, quantities=tuple(self.quantity(name) for name in names), derived=None)

    @property
    def symbolic(self) -> bool:
        """Whether it is in symbols."""
        return any(x.symbolic for x in self.quantities)

    # -- in other values --------------------------------------------------------------------------------------------------
    def where(self, values: Mapping[str, Any]) -> Explanation:
        """The same with symbols, by name, replaced by numbers or by expressions: `x.where({"q_B": da.pi / 2 - x.symbol("q_A")})`."""
        known = {s.name: s for s in free_symbols([x.value for x in self.quantities])}
        for name in values:
            if name not in known:
                raise FormulationError(f"where: {name!r} does not occur; {nearest(name, list(known), 'choose one of')}")
        with tracing():
            put = substitute([x.value for x in self.quantities], {symbol(k): v for k, v in values.items()})
            made = [replace(x, value=v) for x, v in zip(self.quantities, put)]
            if self.derived is not None:  # shorter from what is short already
                first = {x.name: self._short(x.value) for x in made if x.name in BEFORE}
                anew = {x.name: x for x in self.derived(first)}
                made = [anew.get(x.name, x) for x in made]
            made = [replace(x, value=self._short(x.value)) for x in made]
        return replace(self, quantities=tuple(made))

    def _short(self, values: Any) -> np.ndarray:
        """Values multiplied out and collected, where that is short."""
        made = np.asarray(values, dtype=object)
        for form in (Waves, Powers):
            short = collected(made, form, relations=self.algebra.relations)
            if short is not None:
                return _tidy(short)
        return _tidy(made)

    def evaluated(self, values: Mapping[Expr, Any]) -> Explanation:
        """The same as numbers, where every symbol has a value."""
        made = evaluate([x.value for x in self.quantities], values)
        return replace(
            self, quantities=tuple(replace(x, value=np.asarray(v, float)) for x, v in zip(self.quantities, made))
        )

    @staticmethod
    def symbol(name: str) -> Expr:
        """The symbol of this name, to be used in `where`."""
        return symbol(name)

    # -- to be read -------------------------------------------------------------------------------------------------------
    def __repr__(self) -> str:
        return f"<Explanation of {self.mechanism!r} by {self.method}: {', '.join(self)}; print it>"

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """Plain text: a heading and a table for every matrix, or its elements where they are long."""
        from dalembert.formulations.printing.explanation_forms import text

        return text(self)

    def latex(self) -> str:
        """LaTeX (amsmath)."""
        from dalembert.formulations.printing.explanation_forms import latex

        return latex(self)

    def html(self) -> str:
        """HTML with MathML, which every browser draws by itself: a piece to stand in a page."""
        from dalembert.formulations.printing.explanation_forms import html

        return html(self)

    def page(self) -> str:
        """The same as a whole page."""
        from dalembert.formulations.printing.explanation_forms import page

        return page(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: numbers, or expressions as text, with the intermediates that they name."""
        from dalembert.formulations.printing.explanation_forms import plain_data

        return plain_data(self)

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def _repr_html_(self) -> str:
        return self.html()


def _tidy(values: Any) -> np.ndarray:
    """Floats once nothing traced is left."""
    made = np.asarray(values, dtype=object)
    return made if any(type(x) is Expr for x in made.ravel()) else made.astype(float)
