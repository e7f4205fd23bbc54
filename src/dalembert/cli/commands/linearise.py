"""`dalembert linearise`: small motions about a state, as matrices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.cli.model import Json, Model
from dalembert.cli.output_files import check_endings
from dalembert.cli.report import note, say, say_json
from dalembert.cli.shared_options import Find, Hold, Initial, Parameter, Steady, Time, model_with, started
from dalembert.cli.values import numbers_by_name
from dalembert.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from dalembert.analysis.linear.sampled_linearisation import SampledLinearisation
    from dalembert.mechanism import Mechanism

LARGEST = 12
"""States up to which matrices are written out, and factors that are listed."""
PARTS = ("mass", "gyroscopic", "damping", "stiffness", "A", "B", "C", "D")


def linearise(
    model: Model,
    initial: Initial = None,
    speed: Steady = None,
    parameter: Parameter = None,
    hold: Hold = None,
    find: Find = None,
    time: Time = 0.0,
    as_is: Annotated[
        bool, typer.Option("--as-is", help="Linearise about the initial state itself instead of an equilibrium.")
    ] = False,
    keep: Annotated[
        list[str] | None, typer.Option(help="A speed that shall be one of the independent speeds. May be repeated.")
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", help="A speed on which a force acts, or a parameter. May be repeated."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A page (.html) with matrices and eigenvalues.")
    ] = None,
    json: Json = False,
) -> None:
    """Linearise about an equilibrium: matrices M, G, D, K and the state space A, B, C, D, with exact derivatives.

    With sampled elements: A, B, C, D from one sample to the next, about the state that --as-is takes.
    """
    check_endings([output] if output else [], (".html",))
    m = model_with(model, parameter)
    speeds, start = numbers_by_name(speed, "--speed"), started(m, initial)
    sampled, tau = _is_sampled(m, as_is and output is None), None
    if as_is:
        q, u = m.assemble(start, speeds or dict(m.plan.speeds) or None, time)
    else:
        e = m.equilibrium(start, speeds, find=numbers_by_name(find, "--find"), hold=tuple(hold or ()), t=time)
        q, u, tau = e.q, e.u, e.tau
    if sampled:
        return _say_sampled(m.linearise_sampled(q, u, time, inputs=inputs, keep=tuple(keep or ())), json)
    lin = m.linearise(q, u, time, inputs=inputs, keep=tuple(keep or ()), tau=tau)
    if output is not None:
        from dalembert.view.posed import posed

        posed(m, q, "linearisation").page(output, results=[lin])
        note(f"written: {output}")
    if json:
        data: dict[str, Any] = {"model": m.name, "verdict": lin.verdict, "states": lin.states, "inputs": lin.inputs}
        data |= {"outputs": lin.outputs, "coordinates": dict(zip(m.coordinates, q)), "speeds": dict(zip(m.speeds, u))}
        data |= {"eigenvalues": [[x.real, x.imag] for x in lin.eigenvalues]} | {
            name: getattr(lin, name) for name in PARTS
        }
        say_json(data)
        return
    say(str(lin))
    for name, rows, columns in (
        ("M", lin.speeds, lin.speeds), ("G", lin.speeds, lin.speeds), ("D", lin.speeds, lin.speeds),
        ("K", lin.speeds, lin.displacements),
    ):  # fmt: skip
        matrix = {"M": lin.mass, "G": lin.gyroscopic, "D": lin.damping, "K": lin.stiffness}[name]
        say(_written(name, rows, columns, matrix))
    say("\n".join(str(lin.modes()).splitlines()[1:]))


def _is_sampled(m: Mechanism, possible: bool) -> bool:
    """Whether it has sampled elements; refused where these are not told."""
    found = any(p.element.period is not None for p in m.elements.values())
    if found and not possible:
        raise ModelError(
            f'model "{m.name}" has sampled elements, for which no equilibrium is looked for and no page is made: give the steady '
            "state by --initial and --speed, with --as-is, and leave out --output"
        )
    return found


def _say_sampled(lin: SampledLinearisation, json: bool) -> None:
    if json:
        own = {"model": lin.mechanism.name, "verdict": lin.verdict}
        say_json(own | lin.to_dict() | {"eigenvalues": [[x.real, x.imag] for x in lin.eigenvalues]})
        return
    say(str(lin))
    if len(lin.states) <= LARGEST:
        say(_written("A", lin.states, lin.states, lin.A))
        say(_written("B", lin.states, lin.inputs, lin.B))
    say("  factors: " + ", ".join(f"{x:.6g}" for x in sorted(lin.eigenvalues, key=abs, reverse=True)[:LARGEST]))


def _written(name: str, rows: Sequence[str], columns: Sequence[str], matrix: np.ndarray) -> str:
    """A matrix with names along its sides; only said to be zero where it is."""
    if not matrix.any():
        return f"{name} = 0"
    head = f"{name:<12}" + "".join(f"{c[:13]:>14}" for c in columns)
    return "\n".join([head, *(f"  {r[:10]:<10}" + "".join(f"{x:>14.6g}" for x in row) for r, row in zip(rows, matrix))])
