"""A controller: a Python function called at a fixed rate; what it returns is kept until the next call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import SimulationError
from dalembert.kinematics.in_variables import joint_speeds_per_speed, on_speeds
from dalembert.mechanism import Mechanism
from dalembert.mechanism.missing import missing
from dalembert.simulation.run_options import Options
from dalembert.trace import depends_on, tracing
from dalembert.words import counted


@dataclass(frozen=True, eq=False)
class Control:
    """`law(s)` of the numeric state gives {joint or speed: generalized force}."""

    law: Callable[[Any], Any]
    interval: float
    mechanism: Mechanism

    def forces(self, m: Mechanism, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """On all speeds, at an instant of the mechanism with the parameters of that instant."""
        given = self.law(m.state(q, u, t))
        if not isinstance(given, Mapping):
            raise SimulationError(f'control must return {{"joint": force, …}}, not {given!r}')
        out, on_joints = np.zeros(m.n_u), np.zeros(m.in_joint_variables.n_u)
        for name, value in given.items():
            own, at = self._columns(name)
            on = out if own else on_joints
            try:
                values = np.atleast_1d(np.asarray(value, dtype=float))
            except (TypeError, ValueError, OverflowError):
                values = np.full(1, np.nan)
            if values.shape != (len(at),) or not np.isfinite(values).all():
                raise SimulationError(f'control: "{name}" takes {counted(len(at), "finite number")}, not {value!r}')
            on[at] += values
        return out + on_speeds(m.state(q, u, t), on_joints) if on_joints.any() else out

    def _columns(self, name: str) -> tuple[bool, list[int]]:
        """Whether a name is of a speed that was chosen, and its places among these, or among the joints' own speeds."""
        m, joints = self.mechanism, self.mechanism.in_joint_variables
        named = joints.places(name)
        if named is None and name in joints.speeds:
            named = (), (joints.speeds.index(name),)
        if named is None and name in m.speeds:
            return True, [m.speeds.index(name)]
        if named is None:
            raise missing(m, name, "joint or speed", dict.fromkeys([*m.joint_number, *m.speeds]), "control")
        if not self._constant:
            raise SimulationError(
                f'control: a force on "{name}" cannot be constant between calls, because the chosen speeds depend '
                f"on the pose or on time; give forces on {', '.join(m.speeds)}, or simulate m.in_joint_variables"
            )
        return False, [at for at in named[1] if at is not None]

    @cached_property
    def _constant(self) -> bool:
        """Whether chosen speeds are the joints' times constants."""
        m = self.mechanism
        if m.variables is None:
            return True
        with tracing():
            s = m.symbolic_state()
            return not depends_on(joint_speeds_per_speed(s), [s.t, *s.coordinates])


def control_of(m: Mechanism, law: Any, rate: Any, o: Options) -> Control | None:
    """Control from the arguments of `simulate`."""
    if law is None:
        if rate is not None:
            raise SimulationError("control_rate was given without control, the function to call")
        return None
    if not callable(law):
        raise SimulationError(f"control must be a function of the state, not {law!r}")
    if rate is None or not (isinstance(rate, (int, float)) and np.isfinite(rate) and rate > 0):
        raise SimulationError(f"control needs control_rate, the number of calls per second, not {rate!r}")
    calls = float(rate) * (o.end - o.start)
    if calls > o.max_steps:
        raise SimulationError(
            f"control_rate={rate!r} asks for {calls:.3g} calls in {o.end - o.start:g} s, and at most max_steps={o.max_steps} are made; "
            "give a lower rate, or raise max_steps"
        )
    return Control(law, 1.0 / float(rate), m)
