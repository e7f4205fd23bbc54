"""What the fields of joints, forces, constraints and shapes hold, said with their types: model files are read and written by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any


@dataclass(frozen=True)
class Holds:
    """A kind of value by its name: "number", "vector", "axis", "point", "frame", "body", "joint", "colour", "values", "file", …"""

    what: str
    positive: bool = False
    unit: str = ""
    """"m" for lengths, "joint" for the unit of the joints named beside it, where that tells how large a mechanism is."""
    check: Callable[[Any, str], Any] | None = None
    """(value, where) → the value in its proper form, or a ModelError; for kinds that `conform.py` does not know."""


@dataclass(frozen=True)
class Function:
    """A function of these arguments, giving `size` numbers (0: any number of them); "s" is the state."""

    arguments: tuple[str, ...]
    size: int = 1
    constant: bool = True
    """Whether plain numbers will do instead."""
    unit: str = ""
    """Unit of plain numbers, as in `Holds`."""


@dataclass(frozen=True)
class Help:
    """A field in a sentence, for editors, the command line and the documents."""

    help: str


Number = Annotated[Any, Holds("number")]
"""A float, or an expression of parameters."""
Positive = Annotated[Any, Holds("number", positive=True)]
"""A number above zero, or an expression of parameters."""
KeptFlag = Annotated[Any, Holds("kept", check=lambda given, where: given)]
"""What a part keeps for itself when its numbers are put in for parameters; nobody else says it."""
PlainNumber = Annotated[float, Holds("plain number")]
"""A float, without parameters."""
PositiveNumber = Annotated[float, Holds("plain number", positive=True)]
Count = Annotated[int, Holds("count")]
"""A whole number from 1 on."""
Length = Annotated[Any, Holds("number", positive=True, unit="m")]
"""Above zero."""
RestLength = Annotated[Any, Holds("number", unit="m")]
"""Zero too."""
JointValue = Annotated[Any, Holds("number", unit="joint")]
"""An angle or a length, as the joints are."""
Numbers3 = Annotated[Any, Holds("vector")]
Place = Annotated[Any, Holds("frame")]
"""A Frame, or three numbers."""
PointLike = Annotated[Any, Holds("point")]
"""A body's name, or (name, three numbers)."""
BodyName = Annotated[str, Holds("body")]
JointName = Annotated[str, Holds("joint")]
Colour = Annotated[str | None, Holds("colour")]
Values = Annotated[Any, Holds("values")]
"""A plain number, or several of them."""
Points = Annotated[Any, Holds("points")]
"""Rows of three numbers."""
Faces = Annotated[Any, Holds("faces")]
"""Rows of three whole numbers."""

OfState = Annotated[Any, Function(("s",))]
VectorOfState = Annotated[Any, Function(("s",), size=3)]
OfTime = Annotated[Any, Function(("t",))]
JointValueOfTime = Annotated[Any, Function(("t",), unit="joint")]
OfElongation = Annotated[Callable[[Any, Any], Any] | None, Function(("x", "v"), constant=False)]
"""A function of an elongation and its rate."""
OfFreedom = Annotated[Callable[[Any, Any], Any] | None, Function(("q", "u"), constant=False)]
"""A function of a joint's coordinate and speed."""
Residuals = Annotated[Callable[[Any], Any] | None, Function(("s",), size=0, constant=False)]
