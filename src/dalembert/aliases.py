"""Types of what users hand in, by name. For annotations only: nothing here is needed when the program runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.parts.events import Event
    from dalembert.parts.forces.points import Point
    from dalembert.parts.outputs import OutputQuantity
    from dalembert.trace import Expr

FilePath: TypeAlias = "str | os.PathLike[str]"
Scalar: TypeAlias = "float | Expr"
"""A number, or an expression of parameters."""
Vector3: TypeAlias = "Sequence[Scalar] | np.ndarray"
"""Three of them."""
Matrix3: TypeAlias = "Sequence[Sequence[Scalar]] | np.ndarray"
"""Three rows of three."""
JointValues: TypeAlias = "Mapping[str, ArrayLike] | ArrayLike"
"""Coordinates or speeds: by joint, {"A": 0.3}, or all of them in an array."""
ParameterValues: TypeAlias = "Mapping[str, ArrayLike]"
"""Parameters by name: one value each, or one for each state of a batch."""
PointOfBody: TypeAlias = "str | tuple[str, ArrayLike] | tuple[str, str] | Point"
"""A body's name (its origin), (name, three numbers), (name, node) or a `Point`."""
StateFunction: TypeAlias = "Callable[[State], Any]"
"""A function of the state, in numbers or traced."""
TimeFunction: TypeAlias = "Callable[[Any], Any]"
"""A function of time, a number or a symbol: `lambda t: 2 * da.sin(t)`."""
Events: TypeAlias = "Event | StateFunction | Sequence[Event | StateFunction] | Mapping[str, Event | StateFunction]"
"""One event, several, or several by name."""
Outputs: TypeAlias = "Mapping[str, OutputQuantity | StateFunction]"
"""Quantities of the state by name."""
Controller: TypeAlias = "Callable[[State], Mapping[str, ArrayLike]]"
"""A function of the numeric state that gives {joint or speed: force}."""
