"""Many motions with laws: each has events of its own, so that they are marched one after the other, by the same compiled code."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.errors import DalembertError, SimulationWarning
from dalembert.mechanism import Mechanism
from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.motion.law_history import LawHistory
from dalembert.motion.motion import Motion
from dalembert.simulation.many import Motions
from dalembert.simulation.run_options import options
from dalembert.simulation.simulate import simulate
from dalembert.version import __version__


def simulate_in_turn(
    m: Mechanism,
    initials: Sequence[Any],
    speeds: Sequence[Any],
    P: np.ndarray,
    duration: float,
    said: SimulationOptions,
) -> Motions:
    """A motion from each of the initial values, speeds and rows of parameters; one that fails does not stop the others."""
    o, count = options(m, duration, said), len(initials)
    q, u, z = (np.full((count, len(o.times), n), np.nan) for n in (m.n_q, m.n_u, m.n_z))
    problems: dict[int, str] = {}
    histories: list[LawHistory | None] = []
    steps = 0
    for k in range(count):
        values = dict(zip(m.parameters, P[k].tolist()))
        motion: Motion | None
        try:
            motion = simulate(
                m, duration, initials[k], speeds[k], said, values, None, None, None, None, None, None, False
            )
        except DalembertError as problem:
            problems[k] = str(problem)
            motion = getattr(problem, "motion", None)
        if motion is None:
            histories.append(None)
            continue
        q[k, : len(motion)], u[k, : len(motion)], z[k, : len(motion)] = motion.q, motion.u, motion.z
        histories.append(motion.history)
        steps += motion.record["steps"]
    if problems:
        first = min(problems)
        warnings.warn(
            f"{len(problems)} of {count} motions did not reach the end; the first is number {first}: {problems[first]}",
            SimulationWarning,
            stacklevel=6,
        )
    about = {"model": m.name, "fingerprint": m.kernels.fingerprint, "version": __version__}
    parameters = {name: P[:, i] for i, name in enumerate(m.parameters)}
    record = about | {"options": o.record(), "steps": steps}
    return Motions(o.times, q, u, problems, m, parameters, record, tuple(histories), z=z)
