"""`dalembert new`: a commented model to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.model import Json
from dalembert.cli.report import note, say, say_json
from dalembert.errors import ModelFileError
from dalembert.limited_read import is_there

STARTER = """\
# A model for dalembert. Run it with `dalembert simulate {file}`, look at it with `dalembert view {file}`.
# Units are SI: metres, kilograms, seconds, radians. Any number may be an expression of parameters, such as 0.5*l.
name: {name}
purpose: A damped pendulum with a ball at its end, pushed by a motor.
units: SI
gravity: [0, 0, -9.81]                # in ground axes: z is up

# Numbers with names stay visible in the equations and can be changed from outside: -p l=2.
parameters: {{l: 1.0, c: 0.05}}

# A body has mass, com and inertia (about com, in body axes), or `matter`: rod, box, cylinder, sphere, capsule, particle,
# each with a mass or a density. `shapes` say how else to draw it.
bodies:
  pendulum:
    matter:
      - {{type: rod, length: l, axis: [0, 0, -1], mass: 0.2, radius: 0.01}}
      - {{type: sphere, radius: 0.08, mass: 1.0, at: [0, 0, -l], colour: orange}}

# A joint connects a frame on its parent with one on its child: at_parent, at_child, [0, 0, 0] if not given.
# Types: revolute, prismatic, cylindrical, universal, planar, spherical, screw, free, weld.
joints:
  pivot: {{type: revolute, axis: [0, 1, 0], parent: ground, child: pendulum}}

# Forces may depend on time t, coordinates q.joint and speeds u.joint.
forces:
  friction: {{type: joint_spring, joint: pivot, damping: c}}
  motor: {{type: motor, joint: pivot, torque: "0.5*sin(2*pi*t)"}}

# Where it starts (angles may be written 60*deg), what to look at, and for how long.
initial: {{pivot: 60*deg}}
speeds: {{pivot: 0}}
outputs:
  ball: {{type: position, at: [pendulum, [0, 0, -l]]}}
  angle: q.pivot/deg
simulation: {{duration: 10, output: 0.02}}
"""


def new(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")] = Path("model.yaml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    json: Json = False,
) -> None:
    """Write a commented model to start from."""
    from dalembert.atomic import write_whole

    if path.suffix.lower() not in (".yaml", ".yml"):
        raise typer.BadParameter(f"{path}: its name must end in .yaml", param_hint="FILE")
    if is_there(path) and not force:
        raise ModelFileError("it is there already; choose another name, or write over it with --force", str(path))
    name = path.stem.replace(" ", "_")
    write_whole(path, STARTER.format(file=path, name=name).encode(), "model")
    if json:
        say_json({"written": str(path)})
        return
    note(f"written: {path}")
    say(f"next: dalembert view {path}")
