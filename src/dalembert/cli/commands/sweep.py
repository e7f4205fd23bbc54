"""`dalembert sweep`: where a mechanism can go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.cli.model import Json, Model
from dalembert.cli.output_files import check_endings
from dalembert.cli.report import note, say, say_json
from dalembert.cli.shared_options import Initial, Kept, Parameter, model_with
from dalembert.cli.values import numbers_by_name, point_of, values_of

if TYPE_CHECKING:
    from dalembert.analysis.linkage.sweep import Sweep
    from dalembert.mechanism import Mechanism


def sweep(
    model: Model,
    joint: Annotated[str, typer.Argument(metavar="JOINT", help="The joint that is moved.")],
    values: Annotated[str, typer.Argument(metavar="VALUES", help="from:to, from:to:count: 0:2*pi:73.")],
    initial: Initial = None,
    parameter: Parameter = None,
    point: Annotated[
        list[str] | None, typer.Option(help="A point whose curve is wanted: P=coupler,0.5,0.2,0. May be repeated.")
    ] = None,
    output: Kept = None,
    json: Json = False,
) -> None:
    """Move one joint through its range: poses, dead points, branches, limits of the others, transmission angles, coupler curves."""
    check_endings(output or [], (".csv", ".html"))
    points = {}
    for one in point or []:
        name, equals, where = one.partition("=")
        points[name if equals else one.split(",")[0]] = point_of(where if equals else one, "--point")
    m = model_with(model, parameter)
    asked = values_of(values, "VALUES")
    found = m.sweep(joint, asked, numbers_by_name(initial, "--initial") or _own(m, joint))
    curves = {name: found.trace(at) for name, at in points.items()}
    for path in output or []:
        _keep(found, curves, points, path)
        note(f"written: {path}")
    if json:
        say_json(_data(found, curves))
        return
    say(str(found))
    if not found.complete:
        note(f"only {len(found.values)} of {len(asked)} values could be reached")


def _own(m: Mechanism, joint: str) -> Any:
    """Start of a sweep: of closed loops, the branch on which the model's own start is; in a tree, the other joints as it starts."""
    if m.constraint_rows:
        return m.assemble(dict(m.plan.initial) or None)[0]
    return {name: value for name, value in m.plan.initial.items() if name.partition(".")[0] != joint} or None


def _keep(found: Sweep, curves: dict[str, Any], points: dict[str, Any], path: Any) -> None:
    if path.suffix.lower() == ".html":
        from dalembert.analysis.finding import curve
        from dalembert.view.posed import posed

        motion = posed(found.mechanism, found.q, f"sweep of {found.joint}")
        motion.page(
            path, traces=list(points.values()) or None, results=[found, *(curve(k, x) for k, x in curves.items())]
        )
        return
    found.save(path, points)


def _data(found: Sweep, curves: dict[str, Any]) -> dict[str, Any]:
    m = found.mechanism
    special = {"dead_points": found.dead_points, "branch_points": found.branch_points, "limits": found.limits}
    return {
        "model": m.name, "joint": found.joint, "complete": found.complete, "values": found.values,
        "coordinates": {name: found.q[:, i] for i, name in enumerate(m.coordinates)},
        "transmission": dict(found.transmission), "curves": curves,
        **{k: [{"value": s.value, "joint": s.joint, "coordinate": s.coordinate, "what": s.what} for s in some]
           for k, some in special.items()},
    }  # fmt: skip
