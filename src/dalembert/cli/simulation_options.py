"""`SimulationOptions` as options of the command line: names, types and help texts are those of its fields."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from dalembert.cli.values import number, single_numbers
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS
from dalembert.mechanism.formulation_settings import FORMULATIONS_WITH_SETTINGS
from dalembert.mechanism.simulation_options import (
    RESTITUTION,
    STABILISATIONS,
    Baumgarte,
    Option,
    SimulationOptions,
    options,
)
from dalembert.parts.conform import marks_of
from dalembert.parts.fields import Holds
from dalembert.parts.names import nearest
from dalembert.simulation.integrators.integrator import INTEGRATORS

WORDS: dict[str, Iterable[str]] = {
    "integrator": INTEGRATORS,
    "constraint method": METHODS,
    "formulation": FORMULATIONS,
    "stabilisation": STABILISATIONS,
    "restitution law": RESTITUTION,
}
"""The names that an option of each kind can have."""
SETTINGS: dict[str, dict[str, type]] = {
    "formulation": dict(FORMULATIONS_WITH_SETTINGS),
    "stabilisation": {"baumgarte": Baumgarte},
}
"""Names after which numbers may be set: baumgarte:alpha=20,beta=100."""
TYPES = {"plain number": float, "count": int, "flag": bool}
"""What the command line takes for a kind of value; text for all others."""
FEW = 4
"""Names that a help text lists; of more, the first and those that can be completed."""


def flag(name: str, option: Option) -> str:
    """The option's long name on the command line."""
    return option.flags[0].partition("/")[0] if option.flags else f"--{name.replace('_', '-')}"


FLAGS = {name: flag(name, option) for name, option in options().items()}


def with_simulation_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for every field of `SimulationOptions`, handed to it as one value `options`."""
    option_of = {FLAGS[name].strip("-").replace("-", "_"): name for name in options()}

    @wraps(command)
    def call(**named: Any) -> None:
        said = {option_of[word]: named.pop(word) for word in option_of}
        command(**named, options=SimulationOptions(**{name: _value(name, x) for name, x in said.items()}))

    own = [p for p in inspect.signature(command).parameters.values() if p.name != "options"]
    hints = get_type_hints(command, include_extras=True)
    further = {word: _annotation(name) for word, name in option_of.items()}
    keyword = inspect.Parameter.KEYWORD_ONLY
    made = [p.replace(annotation=hints[p.name], kind=keyword) for p in own]
    made += [inspect.Parameter(word, keyword, default=None, annotation=x) for word, x in further.items()]
    call.__signature__ = inspect.Signature(made)  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in made} | {"return": None}
    del call.__wrapped__
    return call


def _kind(name: str) -> str:
    """The kind of value, as `Holds` names it."""
    mark = marks_of(SimulationOptions)[name]
    return mark.what if isinstance(mark, Holds) else ""


def _annotation(name: str) -> Any:
    """The type that typer reads."""
    option, kind = options()[name], _kind(name)
    names = list(option.flags or [FLAGS[name]])
    words = list(WORDS.get(kind, ()))
    shown = f": {', '.join(words[:FEW])}{', …' if len(words) > FEW else ''}" if words else ""
    shown += "".join(f"; {word}:{_example(cls)}" for word, cls in SETTINGS.get(kind, {}).items())
    usual = f"; default: {option.usual}" if option.usual else ""
    made = typer.Option(*names, help=f"{option.help}{shown}{usual}.", autocompletion=(lambda: words) if words else None)
    return Annotated[TYPES.get(kind, str) | None, made]


def _value(name: str, said: Any) -> Any:
    """Numbers of options that take one or several; words with their settings."""
    if said is not None and _kind(name) in SETTINGS:
        return _with_settings(said, SETTINGS[_kind(name)], FLAGS[name])
    if said is None or _kind(name) not in ("values", "times"):
        return said
    found = [number(x, FLAGS[name]) for x in said.split(",")]
    return found[0] if len(found) == 1 else found


def _with_settings(said: str, known: dict[str, type], flag: str) -> Any:
    """`word`, or `word:name=number,name=number`."""
    word, colon, text = said.partition(":")
    if not colon:
        return said
    if word not in known:
        has = f"; {nearest(word, known)}" if known else ""
        raise typer.BadParameter(f"{word!r} has no numbers to set{has}", param_hint=flag)
    names = [f.name for f in fields(known[word])]
    given = single_numbers(text.split(","), flag)
    for name in given:
        if name not in names:
            raise typer.BadParameter(f"{word} has no {name!r}; {nearest(name, names)}", param_hint=flag)
    return known[word](**given)


def _example(cls: type) -> str:
    return ",".join(f"{f.name}={f.default:g}" for f in fields(cls))
