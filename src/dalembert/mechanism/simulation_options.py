"""`SimulationOptions`: the options of a simulation, stated once.

`Mechanism.simulate`, plans, model files and their schema, the command line, `motion.record` and the documents take names, types, checks
and sentences from its fields. To add an option: a field here, its keyword in `Mechanism.simulate`, and its use in `simulation/`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

from dalembert.arguments import real
from dalembert.errors import ModelError, SimulationError
from dalembert.mechanism.formulation_settings import FormulationSettings, checked_formulation
from dalembert.parts.conform import checks_of
from dalembert.parts.events import Event
from dalembert.parts.fields import Count, Help, Holds, PlainNumber, PositiveNumber
from dalembert.parts.numbers import plain_number
from dalembert.portable import Portable
from dalembert.words import listed

if TYPE_CHECKING:
    from dalembert.aliases import JointValues


@dataclass(frozen=True)
class Projection:
    """q and u are brought back by the least change in the metric of the mass matrix, at steps and at outputs. The default: exact."""

    projects: ClassVar[bool] = True
    gains: ClassVar[tuple[float, float] | None] = None


@dataclass(frozen=True)
class Baumgarte:
    """For `m.simulate(…, stabilise=da.Baumgarte(alpha, beta))`: g̈ + αġ + βg = 0 instead of g̈ = 0 [B Remark 4].

    Gaps decay instead of growing, at a rate to be tuned; the usual projection needs no tuning.
    """

    alpha: float = 100.0
    """α in g̈ + αġ + βg = 0, 1/s."""
    beta: float = 2500.0
    """β in g̈ + αġ + βg = 0, 1/s²."""
    projects: ClassVar[bool] = False

    def __post_init__(self) -> None:
        gains = [real(getattr(self, name), f"Baumgarte: {name}") for name in ("alpha", "beta")]
        if not all(0.0 <= gain < math.inf for gain in gains):
            raise SimulationError(f"Baumgarte's gains must not be negative: alpha={self.alpha!r}, beta={self.beta!r}")

    @property
    def gains(self) -> tuple[float, float] | None:
        return (self.alpha, self.beta)


@dataclass(frozen=True)
class Unstabilised:
    """g̈ = 0 only: gaps grow with the error of integration."""

    projects: ClassVar[bool] = False
    gains: ClassVar[tuple[float, float] | None] = None


Stabilisation = Projection | Baumgarte | Unstabilised

STABILISATIONS: dict[str, Stabilisation] = {
    "projection": Projection(), "baumgarte": Baumgarte(), "none": Unstabilised()
}  # fmt: skip
"""Those that have a name."""


def recorded(how: Stabilisation) -> str | dict[str, float]:
    """For the result and for files, as a model file says it."""
    if isinstance(how, Baumgarte):
        return {"alpha": how.alpha, "beta": how.beta}
    return next(name for name, one in STABILISATIONS.items() if one == how)


def stabilisation(value: str | Stabilisation) -> Stabilisation:
    """A stabilisation by name, or as it is."""
    return STABILISATIONS[value] if isinstance(value, str) else value


def checked_stabilisation(value: Any, where: str) -> str | Stabilisation:
    """A name that is known, or a stabilisation; what else is refused."""
    if isinstance(value, Stabilisation) or (isinstance(value, str) and value in STABILISATIONS):
        return value
    names = ", ".join(map(repr, STABILISATIONS))
    raise ModelError(f"{where}={value!r} is not known; choose one of {names}, or da.Baumgarte(alpha, beta)")


RESTITUTION = ("newton", "poisson", "stronge")
"""Laws of restitution in impacts."""


def _restitution_law(value: Any, where: str) -> str:
    """A name that is known."""
    if value not in RESTITUTION:
        raise ModelError(f"{where}={value!r} is not known; choose one of {', '.join(map(repr, RESTITUTION))}")
    return str(value)


RTOL, RTOL_CONSTRAINED = 1e-10, 1e-12
"""Tolerance of trees; and of mechanisms with loops or constraints, whose energy is to be kept to 1e-10 as their loops are closed to
rounding."""
SAMPLES = 201
"""Output times of a run whose `output` is not said."""
THETA = 0.5
"""Where within a step of Moreau's method positions and forces are taken."""
EVENTS = 100_000
"""Most events of laws in a run."""
STEPS, STEPS_IMPLICIT, STEPS_FIXED = 1_000_000, 100_000, 10_000_000
"""Most steps of a run: of integrators that choose them; of implicit ones, whose steps cost as much as many others and should go as far;
and of those whose number is known beforehand."""


@dataclass(frozen=True)
class Option(Help):
    """What an option is for, in a sentence."""

    usual: str
    """What holds where it is not said, in words."""
    steps: Literal["", "any", "fixed", "adaptive"] = ""
    """Whether it belongs to the choice of integrator and step, and for which integrators."""
    many: bool = True
    """Whether `simulate_many` takes it."""
    flags: tuple[str, ...] = ()
    """Names of the option on the command line, where they are others than its name."""


def _true_or_false(value: Any, where: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ModelError(f"{where} must be True or False, not {value!r}")
    return value


def _tolerances(value: Any, where: str) -> float | np.ndarray:
    """One number above zero, or several."""
    found = _numbers(value, where)
    if not (found > 0.0).all():
        raise ModelError(f"{where} must be positive, not {value!r}")
    return found if found.ndim else float(found)


def _interval_or_times(value: Any, where: str) -> float | np.ndarray:
    """An interval above zero, or increasing times."""
    found = _numbers(value, where)
    if not found.ndim:
        return plain_number(float(found), where, above_zero=True)
    if found.ndim != 1 or not len(found) or np.any(np.diff(found) <= 0.0):
        raise ModelError(f"{where} must be an interval or increasing times")
    return found


def _numbers(value: Any, where: str) -> np.ndarray:
    """Finite numbers, read-only."""
    try:
        found = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{where} must be numbers, not {value!r}") from None
    if isinstance(value, (str, bytes)) or not np.isfinite(found).all():
        raise ModelError(f"{where} must be finite numbers, not {value!r}")
    found.flags.writeable = False
    return found


@dataclass(frozen=True, eq=False)
class SimulationOptions(Portable):
    """Options of `m.simulate(…)`, as keywords or as one value: `m.simulate(10.0, options=da.SimulationOptions(rtol=1e-9))`.

    What is None is not said: the model's own plan decides, then the usual value.
    """

    method: Annotated[
        str | None,
        Holds("integrator"),
        Option("Integrator", "dop853, or rk4 if a step is given", steps="any"),
    ] = None
    step: Annotated[
        PositiveNumber | None,
        Option("Length of a fixed step, s", "", steps="fixed"),
    ] = None
    theta: Annotated[
        PositiveNumber | None,
        Option(
            "For moreau: where within a step positions and forces are evaluated, 0.5 (middle) to 1 (end)",
            f"{THETA:g}",
            steps="fixed",
        ),
    ] = None
    rtol: Annotated[
        PositiveNumber | None,
        Option(
            "Relative tolerance", f"{RTOL:g}, with loops, constraints or laws {RTOL_CONSTRAINED:g}", steps="adaptive"
        ),
    ] = None
    atol: Annotated[
        ArrayLike | None,
        Holds("values", check=_tolerances),
        Option(
            "Absolute tolerance, one or one for each of (q, u)",
            "a thousandth of rtol, times the mechanism's sizes",
            steps="adaptive",
        ),
    ] = None
    max_step: Annotated[
        PositiveNumber | None, Option("Longest step, s", "as long as tolerances allow", steps="adaptive")
    ] = None
    output: Annotated[
        ArrayLike | None,
        Holds("times", check=_interval_or_times),
        Option("Seconds between outputs, or a list of times", f"{SAMPLES} times, evenly spaced", flags=("--every",)),
    ] = None
    start: Annotated[PlainNumber | None, Option("Time at the start, s", "0")] = None
    max_steps: Annotated[
        Count | None,
        Option("Largest number of steps", f"{STEPS}, of radau {STEPS_IMPLICIT}, with a fixed step {STEPS_FIXED}"),
    ] = None
    stabilise: Annotated[
        str | Baumgarte | None,
        Holds("stabilisation", check=checked_stabilisation),
        Option("How loops and constraints are kept closed", "projection", many=False),
    ] = None
    constraints: Annotated[
        str | None,
        Holds("constraint method"),
        Option("Constraint method, which solves for the accelerations", "range_space", many=False,
               flags=("--constraints", "-c")),
    ] = None  # fmt: skip
    formulation: Annotated[
        str | FormulationSettings | None,
        Holds("formulation", check=checked_formulation),
        Option("Formulation of the equations of motion", "kane", many=False, flags=("--formulation", "-f")),
    ] = None
    restitution: Annotated[
        str | None,
        Holds("restitution law", check=_restitution_law),
        Option(
            "Law of restitution at impacts: for speeds (Newton), impulses (Poisson) or energies (Stronge)",
            "newton",
            many=False,
        ),
    ] = None
    max_events: Annotated[
        Count | None,
        Option("Largest number of events of laws", f"{EVENTS}", many=False),
    ] = None
    assemble: Annotated[
        bool | None,
        Holds("flag", check=_true_or_false),
        Option("Whether loops and constraints are closed at the start; if not, the given values are used as they are", "true",
               many=False, flags=("--assemble/--no-assemble",)),
    ] = None  # fmt: skip

    def __post_init__(self) -> None:
        for name, value in self.said.items():
            try:
                object.__setattr__(self, name, checks_of(SimulationOptions)[name](value, name))
            except ModelError as problem:
                raise SimulationError(str(problem)) from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SimulationOptions):
            return NotImplemented
        mine, theirs = self.said, other.said
        return mine.keys() == theirs.keys() and all(np.array_equal(mine[k], theirs[k]) for k in mine)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"SimulationOptions({', '.join(f'{name}={value!r}' for name, value in self.said.items())})"

    @property
    def said(self) -> dict[str, Any]:
        """The options that are not None, by name."""
        return {name: x for name, x in vars(self).items() if x is not None}

    def completed(self, by: SimulationOptions) -> SimulationOptions:
        """These options, and for what they leave open those of `by`.

        Integrator, step and tolerances belong together: where these options name an integrator or a step, `by` has no say in them.
        """
        own = self.method is not None or self.step is not None
        rest = {name: x for name, x in by.said.items() if not (own and options()[name].steps)}
        made = object.__new__(SimulationOptions)
        vars(made).update(vars(NOTHING_SAID) | rest | self.said)  # all of them have been checked
        return made


NOTHING_SAID = SimulationOptions()
USUAL = SimulationOptions(
    start=0.0, stabilise="projection", constraints="range_space", formulation="kane", assemble=True
)
"""What holds where neither call nor plan says anything; the other options depend on the mechanism and on each other."""


@cache
def options() -> Mapping[str, Option]:
    """Every option by name, in the order of the fields."""
    hints = get_type_hints(SimulationOptions, include_extras=True)
    return {
        f.name: next(x for x in get_args(hints[f.name]) if isinstance(x, Option)) for f in fields(SimulationOptions)
    }


def gathered(title: str, many: bool = False) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Keywords of a call with those that are options made into one `options=`, for `arguments.takes`.

    An option that is said twice, by its keyword and in `options=`, is refused; so is one that the function does not take.
    """

    def gather(named: dict[str, Any]) -> dict[str, Any]:
        keywords = {name: x for name, x in named.items() if name in options()}
        value = named.get("options")
        if value is None:
            value = NOTHING_SAID
        elif not isinstance(value, SimulationOptions):
            raise SimulationError(f"{title}: options must be a da.SimulationOptions(…), not {value!r}")
        said = value.said
        others = [name for name in said if many and not options()[name].many]
        if others:
            raise SimulationError(f"{title} does not take {listed(others)}; leave it out of options=")
        twice = [name for name, x in keywords.items() if x is not None and name in said]
        if twice:
            raise SimulationError(
                f"{title}: {listed(twice)} stands in options= and as a keyword beside it; say each option once"
            )
        rest = {name: x for name, x in named.items() if name not in keywords}
        return rest | {"options": SimulationOptions(**keywords | said)}

    return gather


_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Plan(Portable):
    """How long, from which initial values and speeds, with which options; and the outputs and events that are named."""

    duration: float | None = None
    initial: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    speeds: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    options: SimulationOptions = field(default_factory=SimulationOptions)
    outputs: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    events: Mapping[str, Event] = field(default_factory=lambda: _NOTHING)
    ranges: Mapping[str, tuple[float | None, float | None]] = field(default_factory=lambda: _NOTHING)
    """Least and largest values of parameters between which they are set by hand."""
    guess: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    """Coordinates to begin from where no initial values give them: they choose the branch on which loops are closed."""

    def begun(
        self, duration: float | None, initial: JointValues | None, speeds: JointValues | None
    ) -> tuple[float | None, Any, Any]:
        """The call's duration, initial values and speeds (None: not said), completed by the plan's."""
        return (
            self.duration if duration is None else duration,
            (self.initial or None) if initial is None else initial,
            (self.speeds or None) if speeds is None else speeds,
        )
