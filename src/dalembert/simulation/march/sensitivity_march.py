"""A march of the variational equations: the state together with its change X along many directions, Ẋ = f_y X + f_p, all compiled.

X lies behind (q, u, z) in groups of W directions, one in each lane; lanes left over repeat the last. Its errors are controlled as
those of the state are, and a projection of the state is followed by one of X onto the tangent of the constraints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.kernels.rhs.sensitivity_equations import (
    emit_put_states,
    emit_state_sensitivity,
    emit_update_sensitivity,
)
from dalembert.mechanism import Mechanism
from dalembert.simulation.march.marched_equations import MarchedEquations, layout_of_inputs
from dalembert.simulation.march.memory import Layout
from dalembert.simulation.march.program import Program
from dalembert.simulation.march.run import Run
from dalembert.simulation.march.sampling import Beside, reads_accelerations, sample_clocks
from dalembert.simulation.run_options import Options
from dalembert.trace.native import Module, Pointer, Signature
from dalembert.trace.native.module import Prefixed

_SLOPE: dict[str, Any] = dict.fromkeys(("t", "y", "dy", "inputs", "work"), Pointer)
_PROJECTION: dict[str, Any] = dict.fromkeys(("t", "y", "inputs", "work"), Pointer)


@dataclass(frozen=True, eq=False)
class SensitivityProgram(Program):
    """Kane's equations by range space, with `along` directions."""

    along: int = 1

    @property
    def width(self) -> int:
        """Lanes of a group: no more than there are directions for."""
        return min(self.target.lanes, 1 << (self.along - 1).bit_length())

    @property
    def groups(self) -> int:
        return -(-self.along // self.width)

    @property
    def beside(self) -> int:
        m = self.catalogue.mechanism
        return m.n_z + self.groups * self.width * (m.n_q + m.n_u + m.n_z)

    @cached_property
    def unknowns(self) -> list[str]:
        own = super().unknowns
        lanes = [f"the sensitivity of {name}" for name in own for _ in range(self.width)]
        return own + lanes * self.groups

    def _lay_out_inputs(self) -> Layout:
        m = self.catalogue.mechanism
        return layout_of_inputs(m, len(self.scales), along=self.groups * self.width * len(m.parameters))

    @property
    def _projects_in_lanes(self) -> bool:
        return False

    @property
    def _sensitivity_at(self) -> int:
        """Where X begins in memory."""
        m = self.catalogue.mechanism
        return m.n_q + m.n_u + m.n_z

    def _slope(self, module: Module) -> tuple[Signature, int]:
        slope, work = super()._slope(module)
        sensitivity, scratch = self.rhs.emit_sensitivity(module, self.width, self.groups)
        m, n = self.catalogue.mechanism, self._sensitivity_at
        put = emit_put_states(module, m, self.width, self.groups) if m.n_z else None
        of_states = emit_state_sensitivity(module, m, self.width, self.groups) if m.n_z else None
        with module.function("slope_with_sensitivity", public=False, **_SLOPE) as f:
            p = self.input_layout.of(f.inputs)
            f.call(slope, f.t, f.y, f.dy, f.inputs, f.work)
            directions = [f.y + n, f.dy + n, p.along, f.work + work]
            state = [f.t, f.y, f.y + m.n_q, p.x, p.P, f.dy, f.work]
            if put is not None and of_states is not None:
                f.call(put, *state, *directions)
                f.call(of_states, *state, *directions)
            f.call(sensitivity, *state, *directions)
        return f.signature, work + max(scratch, 2 * n)

    def _projection(self, module: Module) -> Signature | None:
        project, rhs = super()._projection(module), self.rhs
        project_sensitivity = rhs.emit_sensitivity_projection(module, self.width, self.groups)
        if project is None or project_sensitivity is None:
            return None
        m, n = self.catalogue.mechanism, self._sensitivity_at
        put = emit_put_states(Prefixed(module, "projected_"), m, self.width, self.groups) if m.n_z else None
        with module.function("project_with_sensitivity", public=False, **_PROJECTION) as f:
            p = self.input_layout.of(f.inputs)
            f.call(project, f.t, f.y, f.inputs, f.work)
            X, rates = f.y + n, f.work + rhs.rates_at
            every = [f.t, f.y, f.y + m.n_q, p.x, p.P, rates, f.work, X, X, p.along, f.work + rhs.projection_work]
            if put is not None:
                f.call(put, *every)
            f.call(project_sensitivity, *every)
        return f.signature

    def _beside_samples(self, e: MarchedEquations) -> Beside:
        """δz follows an update by its derivatives, with the rates of the speeds, and how they change, where an element reads them."""
        m, n, each = self.catalogue.mechanism, self._sensitivity_at, (self.width, self.groups)
        put = emit_put_states(Prefixed(e.module, "sampled_"), m, *each)
        updates = {name: emit_update_sensitivity(e.module, m, name, *each) for name, _ in sample_clocks(m).elements}
        reads = set(reads_accelerations(m))

        def change(f: Any, p: Any, inputs: Any, name: str, rates: Any) -> None:
            known = (rates, rates + n) if name in reads else (p.y, p.y + n)
            state = [p.time, p.y, p.y + m.n_q, inputs.x, inputs.P, known[0], f.work]
            directions = [p.y + n, known[1], inputs.along, f.work]
            f.call(put, *state, *directions)
            f.call(updates[name], *state, *directions)

        return change

    def packed(self, X: np.ndarray) -> np.ndarray:
        """Columns X, rows × along, in the order of memory."""
        filled = X[:, np.minimum(np.arange(self.groups * self.width), self.along - 1)]
        return np.ascontiguousarray(filled.reshape(len(X), self.groups, self.width).transpose(1, 0, 2)).ravel()

    def unpacked(self, rows: np.ndarray) -> np.ndarray:
        """(K, numbers in memory) as (K, n_q + n_u + n_z, along)."""
        made = rows.reshape(len(rows), self.groups, -1, self.width).transpose(0, 2, 1, 3)
        return np.ascontiguousarray(made.reshape(len(rows), made.shape[1], -1)[..., : self.along])


class SensitivityRun(Run):
    """Run from directions X, (n_q + n_u + n_z) × along, and δp, parameters × along."""

    program: SensitivityProgram

    def __init__(
        self,
        program: SensitivityProgram,
        model: Mechanism,
        options: Options,
        X: np.ndarray,
        dP: np.ndarray,
        atol: np.ndarray,
    ):
        super().__init__(program, model, options, [], None, None, str)
        self._first = program.packed(X), program.packed(atol)
        program.input_layout.view(self.inputs, "along")[:, 0] = program.packed(dP)

    def beside(self) -> tuple[np.ndarray, np.ndarray]:
        return self._first
