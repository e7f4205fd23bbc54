"""What a page marches: the mechanism of a motion, with gravity as a parameter, and everything that was settled before its march."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.kinematics.initial import initial_state, named_speeds
from dalembert.mechanism import Mechanism
from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.motion.motion import Motion
from dalembert.simulation.kept_rows import NO_ROWS_KEPT, KeptRows
from dalembert.simulation.march.run_events import Event, gathered
from dalembert.simulation.run_options import Options, options
from dalembert.trace import symbol
from dalembert.view.drawing.traced_places import has_symbols

GRAVITY = "gravity"
"""Name of the parameter that gravity becomes."""
_SAID = ("method", "step", "rtol", "max_step", "max_steps", "start")
"""Options of a motion's record that its repetition needs."""


def refusal(motion: Motion) -> str:
    """Why a page cannot march this motion, in a sentence; nothing where it can."""
    m, record = motion.mechanism, motion.record
    if m is None or "computed" not in record:
        return "This motion was not marched in time, so there is nothing to march again."
    if m.kernels.opaque is not None:
        names = ", ".join(f'"{name}"' for name in m.kernels.opaque.forces)
        return f"Force {names} is a plain Python function, which cannot run in a page."
    if m.laws:
        return "Stops, contacts and friction are marched event by event by Python, which cannot run in a page."
    if m.elements:
        return "Elements with states of their own are marched by Python's own program, which a page does not have."
    if record["options"].get("control_rate") is not None:
        return "A controller in Python took part, which cannot run in a page."
    if not motion.record["options"].get("assemble", True):
        return "It began with open loops, as they were given."
    return "" if m.n_u else "Time alone moves this mechanism: there is nothing to integrate."


@dataclass(frozen=True, eq=False)
class LiveModel:
    """A motion to be marched again."""

    motion: Motion
    """At the samples that the page shows."""
    mechanism: Mechanism
    """Mechanism that is marched: the parameters are those of the motion, with gravity among them."""
    options: Options
    q: np.ndarray
    u: np.ndarray
    """The start, as it was assembled."""
    kept: KeptRows
    events: list[Event]

    @property
    def given(self) -> tuple[Any, Any]:
        """Initial values and speeds as they were given."""
        found = self.motion.record.get("given", {})
        return found.get("initial"), found.get("speeds")

    @property
    def unassembled(self) -> tuple[np.ndarray, np.ndarray]:
        """(q, u) as given, the rest at zero: where assembly begins."""
        return initial_state(self.mechanism, *self.given, self.options.start)

    @property
    def fixed(self) -> tuple[list[int], list[int]]:
        """Places in u of the joints whose coordinates, and of the speeds that are kept as given."""
        initial, speeds = self.given
        return named_speeds(self.mechanism, initial), named_speeds(self.mechanism, speeds)


def live_model(motion: Motion) -> LiveModel:
    """Everything that `simulate` settles before its march, as it was settled for this motion."""
    assert motion.mechanism is not None
    record: Mapping[str, Any] = motion.record
    base = motion.mechanism.with_parameters(**record["parameters"])
    m = with_gravity(base)
    said = {name: x for name, x in record["options"].items() if name in _SAID and x is not None}
    said = {name: x for name, x in said.items() if name != "step" or x > 0.0}
    t = _outputs(motion)
    start = float(said.pop("start", 0.0))
    o = options(m, float(t[-1]) - start, SimulationOptions(output=t, start=start, **said))
    q, u = np.array(motion.q[0]), np.array(motion.u[0])
    o = o.beginning(m, q, u)
    if record["options"].get("atol") is not None:
        o = replace(o, atol=np.asarray(record["options"]["atol"], dtype=float))
    kept = NO_ROWS_KEPT
    if m.constraint_rows:
        from dalembert.simulation.constrained_start import kept_at

        kept = kept_at(base, q, o.start, o.stabilise)
    return LiveModel(motion, m, o, q, u, kept, gathered(m.plan.events, None))


def _outputs(motion: Motion) -> np.ndarray:
    """Times of outputs; where an event ended the motion, as closely spaced up to the end that was asked for."""
    t, end = np.asarray(motion.t, dtype=float), motion.record["options"].get("end")
    if motion.record.get("ended") != "event" or end is None or len(t) < 3 or not end > t[-1]:
        return t
    before = t[:-1]
    step = (before[-1] - before[0]) / (len(before) - 1)
    return np.append(before, np.arange(before[-1] + step, end + 0.5 * step, step).clip(max=end))


def with_gravity(m: Mechanism) -> Mechanism:
    """The mechanism with the size of gravity as a further parameter, where it is a number other than zero."""
    name = GRAVITY
    if has_symbols(m.gravity):
        return m
    size = float(np.linalg.norm(m.gravity.astype(float)))
    while name in m.parameters:
        name += "_"
    if not size > 0.0:
        return m
    direction = m.gravity.astype(float) / size
    traced = np.array([0.0 if x == 0.0 else float(x) * symbol(name) for x in direction], dtype=object)
    return replace(m, gravity=traced, parameters={**m.parameters, name: size})
