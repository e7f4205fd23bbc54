"""A mechanism's time loop with laws, by steps of one length: the cone problem of every step is solved in compiled code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints.nonsmooth.bearing_contacts import independent_rows
from dalembert.kernels.masked.law_blocks import every_row
from dalembert.kernels.masked.stepping_rhs import SteppingRightHandSide
from dalembert.kinematics.law_mode import ElementState, LawMode
from dalembert.kinematics.law_rows import law_rows
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.simulation.integrators.integrator import Steps, Unknowns, layout
from dalembert.simulation.march.marched_equations import MarchedEquations, put_states
from dalembert.simulation.march.memory import Layout
from dalembert.simulation.march.program_with_laws import ProgramWithLaws
from dalembert.simulation.march.sampling import sample_clocks
from dalembert.trace.native import Pointer, Signature


@dataclass(frozen=True, eq=False)
class SteppingProgram(ProgramWithLaws):
    """Behind the state: losses and works of the laws, forces of their rows, states of their elements."""

    @cached_property
    def rhs(self) -> SteppingRightHandSide:
        return SteppingRightHandSide(self.catalogue.mechanism, self.kept.keep)

    @property
    def beside(self) -> int:
        return super().beside + len(self.table) + len(self.table.elements)

    @property
    def assembles(self) -> bool:
        return False

    @cached_property
    def unknowns(self) -> list[str]:
        more = [f'force of law "{row.owner}"' for row in self.table.rows]
        more += [f'state of law "{self.table.title(i)}"' for i in range(len(self.table.elements))]
        return super().unknowns + more

    def _lay_out(self) -> Layout:
        m = self.mechanism
        balls = sum(3 * b.pairs for b in self.rhs.balls)
        unknowns = Unknowns(m.n_q, m.n_u, len(m.parameters), self.beside, balls=balls)
        return layout(self.integrator, unknowns, len(self.events), n_clocks=len(sample_clocks(m).periods))

    def _look(self, e: MarchedEquations, steps: Steps) -> Signature | None:
        """Nothing to look for; what Python asks for at events and of samples."""
        every: dict[str, Any] = dict.fromkeys(("t", "y", "inputs", "work"), Pointer)
        if e.lanes > 1:
            return None
        code = e.module.block(self.rhs.blocks["gaps"], 1)
        with e.module.function("gaps_at", **every) as f:
            p, nothing = e.input_layout.of(f.inputs), f.array(max(1, e.n_q))
            put_states(f, self.mechanism, f.y + (e.n_q + e.n_u), p.P)
            f.call(code, f.t, f.y, f.y + e.n_q, p.x, p.P, nothing, f.work)
        with e.module.function("brought_back", **every) as f:
            if e.project is not None:
                f.call(e.project, f.t, f.y, f.inputs, f.work)
        return None

    # -- modes ---------------------------------------------------------------------------------------------------------
    def first_mode(self, m: Mechanism, q: np.ndarray, t: float) -> LawMode:
        """Laws that are on from the start, where they are."""
        mode = LawMode(self.rhs.mode, self.table, np.zeros(self.rhs.mode.size))
        for i, e in enumerate(self.table.elements):
            mode.set(i, ElementState.OPEN if m.laws[e.law].on else ElementState.OFF)
        on = [i for i, e in enumerate(self.table.elements) if m.laws[e.law].on]
        if any(self.table.elements[i].holds for i in on):
            anchor(mode, on, m.numeric.state(q, np.zeros(m.n_u), t))
        return mode


def anchor(mode: LawMode, which: list[int], s: State) -> None:
    """Put latches on where they are in a state."""
    places = np.asarray(law_rows(s).g, dtype=float)
    for i in which:
        e = mode.table.elements[i]
        for r in e.holds:
            mode.part("anchor")[r] = places[r] if mode.table.placed[r] else 0.0
        if e.holds:
            mode.set(i, ElementState.ENGAGED)
    hold(mode, s)


def hold(mode: LawMode, s: State) -> None:
    """Let the rows of latches hold that are on; of those that depend on each other and on loops, as across a plane, an independent set
    is solved for."""
    on = [e for i, e in enumerate(mode.table.elements) if mode.state(i) is ElementState.ENGAGED]
    rows = [r for e in on for r in e.holds]
    mode.part("active")[:] = mode.part("enforced")[:] = 0.0
    if not rows:
        return
    m, every = s.mechanism, every_row(s)
    A = m.mass_matrix(np.asarray(s.coordinates, dtype=float), float(s.t))
    mode.part("enforced")[rows] = 1.0
    mode.part("active")[independent_rows(A, np.asarray(every.B, dtype=float), len(m.rows), rows)] = 1.0
