"""The right-hand side of a tree: articulated bodies, as straight-line code or as sweeps over the bodies."""

from __future__ import annotations

from dalembert.kernels.catalogue import LARGEST_STRAIGHT_DERIVATIVES, Catalogue
from dalembert.kernels.rhs.right_hand_side import JacobianCode, RightHandSide
from dalembert.trace.native import Module, Signature


class TreeRightHandSide(RightHandSide):
    """Kane's equations of a mechanism without loops and constraints."""

    def __init__(self, c: Catalogue):
        super().__init__(c.mechanism)
        self.catalogue = c

    def emit_slope(self, module: Module, lanes: int) -> tuple[Signature, int]:
        return self.catalogue.state_rates.emit(module, lanes)

    def emit_jacobian(self, module: Module) -> JacobianCode:
        """Jacobian of a large tree by sweeps, else from the equations differentiated, with no rows."""
        m = self.m
        if m.n_bodies > LARGEST_STRAIGHT_DERIVATIVES and not m.elastic:
            run, work = self.catalogue.forward_dynamics_derivatives.emit(module, 1)
            return JacobianCode(run, work, 3 * m.n_u + len(m.parameters), 3 * m.n_u + m.states_at)
        from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide

        return RangeSpaceRightHandSide(m).emit_jacobian(module)

    def emit_sensitivity(self, module: Module, lanes: int, groups: int) -> tuple[Signature, int]:
        """Sensitivity by a formula or by sweeps, as the dynamics is."""
        from dalembert.kernels.rhs import tree_sensitivity

        way = tree_sensitivity.emit_by_formula if self.catalogue.straight else tree_sensitivity.emit_by_sweeps
        return way(self.m, module, lanes, groups)

    def emit_sensitivity_projection(self, module: Module, lanes: int, groups: int) -> Signature | None:
        from dalembert.kernels.rhs.tree_sensitivity import emit_unit_length

        return emit_unit_length(self.m, module, lanes, groups)
