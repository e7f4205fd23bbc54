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
from dalembert.simulation.kept_rows import NO_ROWS_KEPT, KeptRows, law_rows_kept
from dalembert.simulation.march.run_events import Event, gathered
from dalembert.simulation.run_options import Options, options
from dalembert.trace import symbol
from dalembert.view.drawing.traced_places import has_symbols
from dalembert.view.live.page_actions import enforced_rows, refused_action

STEPPING = "moreau"
"""Method that marches laws in compiled code alone."""
GRAVITY = "gravity"
"""Name of the parameter that gravity becomes."""
_SAID = ("method", "step", "rtol", "max_step", "max_steps", "start", "theta")
"""Options of a motion's record that its repetition needs."""
LONGEST_STEP, LEAST_STEPS = 1e-3, 5000
"""Step in s by which laws are marched in a page where Python went from event to event; there are at least so many in a motion."""


def refusal(motion: Motion) -> str:
    """Why a page cannot march this motion, in a sentence; nothing where it can."""
    m, record = motion.mechanism, motion.record
    if m is None or "computed" not in record:
        return "This motion was not marched in time, so there is nothing to march again."
    if m.kernels.opaque is not None:
        names = ", ".join(f'"{name}"' for name in m.kernels.opaque.forces)
        return f"Force {names} is a plain Python function, which cannot run in a page."
    if m.laws and enforced_rows(motion) is None:
        holding = next(e.law for e in m.law_table.elements if e.holds)
        return f'What law "{holding}" holds depends on other rows in some poses and not in others, which only Python sorts out.'
    if record["options"].get("control_rate") is not None:
        return "A controller in Python took part, which cannot run in a page."
    if not motion.record["options"].get("assemble", True):
        return "It began with open loops, as they were given."
    return _refused_event(m, record) or _without_speeds(m)


def _without_speeds(m: Mechanism) -> str:
    return "" if m.n_u else "Time alone moves this mechanism: there is nothing to integrate."


def _refused_event(m: Mechanism, record: Mapping[str, Any]) -> str:
    """Why a page cannot do what an event of this motion did."""
    own = set(m.plan.events)
    for name, terminal, acts in record.get("events", ()):
        if (terminal or acts) and name not in own:
            does = "acts on" if acts else "ends"
            return f'"{name}", given to simulate, {does} the motion, and a page does not know it; give it to the system\'s own events.'
    acting = [e for e in gathered(m.plan.events, None) if e.actions]
    return refused_action(m, acting) if acting else ""


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
    """The start, as it was assembled. States of elements begin with what stands for them among the parameters."""
    kept: KeptRows
    events: list[Event]

    @property
    def given(self) -> tuple[Any, Any]:
        """Initial values and speeds as they were given, without those of elements' states."""
        found = self.motion.record.get("given", {})
        return self.mechanism.without_states(found.get("initial"))[0], found.get("speeds")

    @property
    def z(self) -> np.ndarray:
        """States of elements at the start."""
        return np.array([self.mechanism.parameters[name] for name in self.mechanism.states], dtype=float)

    @property
    def stepping(self) -> bool:
        """Whether it is marched by impulses."""
        return self.options.method.takes_impacts

    @property
    def words(self) -> str:
        """How the page marches, and how the motion was marched that it was made with, where that is another way."""
        o, said = self.options, self.motion.record["options"]
        how = f"relative tolerance {o.rtol:g}" if o.method.adaptive else f"steps of {o.step:g} s"
        here = f"This page marches by {o.method.name}, {how}, in Kane's equations"
        if self.mechanism.constraint_rows:
            here += ", loops closed by projection"
        other = {
            name: said.get(name)
            for name in ("formulation", "constraints")
            if said.get(name) not in (None, "kane", "range_space")
        }
        if said.get("stabilise") not in (None, "projection"):
            other["stabilisation by Baumgarte's terms"] = ""
        names = {key: x["type"] if isinstance(x, Mapping) else x for key, x in other.items()}
        law = said.get("restitution")
        if self.stepping and law not in (None, "newton"):
            names = {"impacts by the law of": law.capitalize()} | names
            here += ", impacts by Newton's law"
        if said["method"] != o.method.name:
            names = {"events of its laws located one by one, by": said["method"]} | names
            here += "; over impacts and changes of friction that is of first order in the step"
        named = ", ".join(f"{key} {x}".strip() for key, x in names.items())
        return f"{here}. The motion that it opens with was marched with {named}." if named else f"{here}."

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
    own = gathered(m.plan.events, None)
    if (m.laws or any(e.actions for e in own)) and said["method"] != STEPPING:
        said = {"method": STEPPING, "step": min(LONGEST_STEP, (float(t[-1]) - start) / LEAST_STEPS)}
    o = options(m, float(t[-1]) - start, SimulationOptions(output=t, start=start, **said))
    q, u = (np.array([*record["computed"][what].values()], dtype=float) for what in ("initial", "speeds"))
    o = o.beginning(m, q, u)
    if record["options"].get("atol") is not None and o.method.adaptive:
        atol = np.asarray(record["options"]["atol"], dtype=float)
        o = replace(o, atol=atol[: len(o.sizes)], chosen=replace(o.chosen, atol=atol))
    kept = NO_ROWS_KEPT
    if m.constraint_rows:
        from dalembert.simulation.constrained_start import kept_at

        kept = kept_at(base, q, o.start, o.stabilise)
    if m.laws:
        kept = law_rows_kept(base, kept, q, o.start)
    names = {name for name, _, _ in record["events"]} if "events" in record else {e.name for e in own}
    return LiveModel(motion, m, o, q, u, kept, [e for e in own if e.name in names])


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
