"""Runs marched together by compiled code, in lanes where the step is fixed; starts of loops are assembled by compiled code, too.

Errors are judged by the sizes of the mechanism at its own values, and loops are kept by the rows that serve it there: the same for all
runs, so that no run hangs on the others. What compiled code does not start without a doubt is marched alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import DalembertError
from dalembert.kinematics.initial import initial_state, named_coordinates, named_speeds
from dalembert.mechanism import Mechanism
from dalembert.mechanism.physical import check_parameters
from dalembert.mechanism.simulation_options import Projection
from dalembert.simulation.compiled_start import StartProgram, Starts
from dalembert.simulation.constrained_start import assembled_start, check_method, kept_at, kept_at_reference
from dalembert.simulation.kept_rows import NO_ROWS_KEPT, KeptRows
from dalembert.simulation.march.march_many import Batch, Models
from dalembert.simulation.march.program import Program
from dalembert.simulation.run_options import Options, options
from dalembert.studies.run_plan import RunPlan


class _SizedAlike(Models):
    """Motions whose errors are judged by one mechanism's sizes, whatever their parameters."""

    def __init__(self, m: Mechanism, P: np.ndarray):
        super().__init__(m, P)
        self._sizing = m

    def sizing(self, k: int) -> Mechanism:
        return self._sizing


@dataclass(eq=False)
class Marched:
    """Motions (K, T, …) at the times `t`, with the parameters of each; what went wrong, and what has to be marched alone."""

    t: np.ndarray
    q: np.ndarray
    u: np.ndarray
    z: np.ndarray
    P: np.ndarray
    problems: dict[int, str] = field(default_factory=dict)
    remarks: dict[int, str] = field(default_factory=dict)
    alone: list[int] = field(default_factory=list)
    steps: int = 0


class Together:
    """What is settled once for all runs of a plan, and marches any number of them."""

    def __init__(self, plan: RunPlan):
        self.plan, self.m = plan, plan.mechanism
        m = self.m
        self.options: Options = options(m, plan.duration, plan.options)
        initial, states = m.without_states(dict(plan.initial) or None)
        self._initial, self._speeds = initial or {}, dict(plan.speeds)
        self.parameters = np.array(list({**m.parameters, **states}.values()), dtype=float)
        self.q, self.u = initial_state(m, initial or None, self._speeds or None, self.options.start)
        self.kept: KeptRows = NO_ROWS_KEPT
        if m.constraint_rows:
            check_method(self.options)
            self.q, self.u = assembled_start(m, self.q, self.u, initial, self._speeds, self.options.start)
            self.kept = kept_at_reference(m, self.options.start, Projection()) or kept_at(
                m, self.q, self.options.start, Projection()
            )
        self.begun = initial_state(m, initial or None, self._speeds or None, self.options.start)

    @cached_property
    def program(self) -> Program:
        wide = self.m.compiled_for.lanes if self.m.constraint_rows else self.m.kernels.state_rates.lanes
        lanes = 1 if self.options.method.adaptive else wide
        return Program(self.m.kernels, self.options.method, lanes, kept=self.kept, many=True)

    def _starts(self) -> Starts:
        """Starts of this call alone, with memory of their own."""
        own = self.program if self.options.method.adaptive else StartProgram(self.m.kernels, self.kept)
        return Starts(own, self.m, self.options.start)

    def march(self, rows: np.ndarray) -> Marched:
        """Runs with these inputs (K, inputs); those that fail leave nan behind."""
        m, o, count = self.m, self.options, len(rows)
        P = np.tile(self.parameters, (count, 1))
        q, u = (np.tile(x, (count, 1)) for x in self.begun)
        places = {"parameter": P, "initial": q, "speed": u}
        for k, one in enumerate(self.plan.inputs.every):
            places[one.kind][:, one.at] = rows[:, k]
        made = Marched(o.times, np.empty(0), np.empty(0), np.empty(0), P)
        made.problems |= _impossible(m, P, q, u)
        made.problems |= self._singular_joints(q, made.problems)
        if m.constraint_rows:
            self._assemble(P, q, u, made)
        begun_P = P.copy()
        for k in (*made.problems, *made.alone):  # a start that marches stands in for it, so that nobody's lanes change
            q[k], u[k], begun_P[k] = self.q, self.u, self.parameters
        self._march(q, u, begun_P, made)
        return made

    def _march(self, q: np.ndarray, u: np.ndarray, P: np.ndarray, made: Marched) -> None:
        m, o = self.m, self.options
        n_q, end, last = m.n_q, m.n_q + m.n_u, m.n_q + m.n_u + m.n_z
        atol = np.concatenate([o.atol, o.state_atol])
        batch = Batch(self.program, o, q, u, P, _SizedAlike(m, P), lambda _: atol)
        made.steps = batch.run(1)
        out = set(made.problems) | set(made.alone)
        told = {k: why for k, why in batch.problems.items() if k not in out}
        for k in np.flatnonzero(~np.isfinite(batch.rows[:, :, :last]).all(axis=(1, 2))).tolist():
            if k not in out:
                told.setdefault(k, "the motion is not finite: it diverges")
        made.remarks = {k: why for k, why in batch.near_misses.items() if k not in out and k not in told}
        made.problems |= told
        rows = batch.rows
        rows[sorted(out | set(told))] = np.nan
        made.q, made.u, made.z = rows[:, :, :n_q], rows[:, :, n_q:end], rows[:, :, end:last]

    def _assemble(self, P: np.ndarray, q: np.ndarray, u: np.ndarray, made: Marched) -> None:
        """Close the loops of every start, keeping what was said of it."""
        fixed, fixed_speeds = self.fixed
        starts = self._starts()
        for k in range(len(q)):
            if k in made.problems:
                continue
            found = starts.assembled(P[k], q[k], u[k], fixed, fixed_speeds)
            if found is None:
                made.alone.append(k)
            else:
                q[k], u[k] = found

    @cached_property
    def fixed(self) -> tuple[Sequence[int], Sequence[int]]:
        """Places of the coordinates and speeds that are kept where loops are closed: those that were said or vary."""
        every = self.plan.inputs.every
        initial = dict(self._initial) | {i.key: 0.0 for i in every if i.kind == "initial"}
        speeds = dict(self._speeds) | {i.key: 0.0 for i in every if i.kind == "speed"}
        return named_coordinates(self.m, initial), named_speeds(self.m, speeds)

    def _singular_joints(self, q: np.ndarray, problems: dict[int, str]) -> dict[int, str]:
        """Starts in which a joint's coordinates cannot be used."""
        found = {}
        for j in self.m.numeric.joints:
            at = [i for i in j.q_at if i is not None]
            if not j.joint.may_be_singular or len(at) != j.joint.n_q:
                continue
            for k, row in enumerate(q):
                why = None if k in problems else j.joint.singularity(row[at])
                if why:
                    found[k] = f'joint "{j.name}": {why}'
        return found


def _impossible(m: Mechanism, P: np.ndarray, q: np.ndarray, u: np.ndarray) -> dict[int, str]:
    """Runs whose numbers are not finite, or whose bodies would not be physical."""
    finite = np.isfinite(np.hstack([P, q, u])).all(axis=1)
    found = {int(k): "its inputs are not finite" for k in np.flatnonzero(~finite)}

    def check(rows: np.ndarray) -> None:
        check_parameters(m, {name: P[rows, i] for i, name in enumerate(m.parameters)}, "study")

    good = np.flatnonzero(finite)
    try:
        check(good)
    except DalembertError:
        for k in good.tolist():
            try:
                check(np.array([k]))
            except DalembertError as problem:
                found[k] = str(problem)
    return found
