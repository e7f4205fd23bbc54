"""`dalembert analyse`: where a mechanism stays, whether it is stable there, and how it swings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.cli.model import Json, Model
from dalembert.cli.output_files import check_endings
from dalembert.cli.report import note, say, say_json
from dalembert.cli.shared_options import Find, Hold, Initial, Parameter, Steady, Time, model_with, started
from dalembert.cli.values import numbers_by_name

if TYPE_CHECKING:
    from dalembert.analysis.equilibrium.equilibrium import Equilibrium
    from dalembert.analysis.linear.modes import Modes


def analyse(
    model: Model,
    initial: Initial = None,
    speed: Steady = None,
    parameter: Parameter = None,
    hold: Hold = None,
    find: Find = None,
    time: Time = 0.0,
    starts: Annotated[
        int, typer.Option(help="Number of poses from which the search starts. All equilibria found are shown.")
    ] = 1,
    mode: Annotated[int | None, typer.Option(help="Mode of the first equilibrium that the page animates.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A page (.html) with the equilibria, their modes and eigenvalues."),
    ] = None,
    json: Json = False,
) -> None:
    """Find equilibria at rest or in steady motion, their stability and their modes."""
    check_endings([output] if output else [], (".html",))
    m = model_with(model, parameter)
    speeds, looked_for = numbers_by_name(speed, "--speed"), numbers_by_name(find, "--find")
    found = m.equilibria(started(m, initial), speeds, find=looked_for, hold=tuple(hold or ()), t=time, starts=starts)
    analysed = [(e, e.linearisation.modes()) for e in found]
    if mode is not None and not 0 <= mode < len(analysed[0][1]):
        raise typer.BadParameter(f"there are {len(analysed[0][1])} modes, counted from 0", param_hint="--mode")
    if output is not None or mode is not None:
        named = f"{m.name.replace(' ', '_')}{'' if mode is None else f'_mode{mode}'}.html"
        path = output or Path(named)
        _page(analysed, mode, path)
        note(f"written: {path}")
    if json:
        say_json({"model": m.name, "equilibria": [summary(*one) for one in analysed]})
        return
    for e, modes in analysed:
        say(str(e))
        say("\n".join(str(modes).splitlines()[1:]))


def _page(analysed: list[tuple[Equilibrium, Modes]], mode: int | None, path: Path) -> None:
    """The mode asked for, or the slowest that swings; the pose alone where nothing does."""
    from dalembert.view.posed import posed

    first, modes = analysed[0]
    swinging = [k for k, x in enumerate(modes) if x.oscillates]
    chosen = mode if mode is not None else swinging[0] if swinging else None
    motion = posed(first.mechanism, first.q, "equilibrium") if chosen is None else modes[chosen].motion()
    motion.page(path, results=[e for e, _ in analysed])


def summary(e: Equilibrium, modes: Modes) -> dict[str, Any]:
    """What a program would want to know."""
    return {
        "coordinates": e.coordinates,
        "speeds": e.speeds,
        "drives": e.drives,
        "verdict": e.linearisation.verdict,
        "modes": [
            {
                "eigenvalue": [mode.eigenvalue.real, mode.eigenvalue.imag],
                "frequency": mode.frequency,
                "damping_ratio": mode.damping_ratio,
                "shape": {name: [x.real, x.imag] for name, x in zip(e.mechanism.speeds, mode.shape)},
            }
            for mode in modes
        ],
    }
