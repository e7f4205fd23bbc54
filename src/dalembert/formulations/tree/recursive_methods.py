"""The recursive algorithms as formulations: the same equations A u̇ + Bᵀλ = f as Kane's, by sweeps over the bodies.

Newton–Euler gives f as what is missing at u̇ = 0, and A column by column as what a unit of u̇ takes at rest; composite bodies give A at
once; articulated bodies give u̇ itself, without A.
"""

from __future__ import annotations

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.tree import in_speeds
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.recursive.algorithms import StillTree, Tree, articulated, composite, newton_euler


class _InSpeeds:
    """In the mechanism's own speeds."""

    title: str
    takes_variables = "all"
    takes_armature = True

    refusal = staticmethod(in_speeds.refusal)
    speeds = staticmethod(in_speeds.speeds)
    first_order = staticmethod(in_speeds.first_order)
    formulation_speeds = staticmethod(in_speeds.formulation_speeds)
    state = staticmethod(in_speeds.state)
    udot = staticmethod(in_speeds.udot)

    def explain(self, s: State) -> list[Quantity]:
        """Turns, arms, motion columns and inertias of the links, on which the recursions run."""
        tree = Tree(s)
        found: list[Quantity] = []
        for link, at, inertia in zip(tree.links, tree.placements, tree.link_inertias):
            body = s.mechanism.bodies[len(found) // 4].name
            own = inertia.inertia()
            I = np.vstack([np.hstack([own.A, own.B]), np.hstack([np.transpose(own.B), own.M])])
            found += [
                quantity(f"X_{body}", f"turn from the link axes of {body} to its parent's", at.X.out(np.eye(3))),
                quantity(f"p_{body}", f"place of the link frame of {body} in its parent's", at.p),
                quantity(
                    f"S_{body}", "motion of its joint: turning over sliding, link axes", at.S, columns=link.joint.speeds
                ),
                quantity(f"I_{body}", "its spatial inertia about the link's origin, link axes", I),
            ]
        return found


class RecursiveNewtonEuler(_InSpeeds):
    title = "Newton–Euler, recursive"

    def equations(self, s: State) -> Equations:
        """f = −τ(0), and A = (A e₁, …) from the mechanism at rest: n + 1 sweeps of inverse dynamics.

        τ(e₁) − τ(0) would be the same A, but for the rounding of forces that may be larger by far, such as those of stiff modes.
        """
        n = s.mechanism.n_u
        missing, still = newton_euler(Tree(s), np.zeros(n)), StillTree(s)
        A = np.array([newton_euler(still, unit) for unit in np.eye(n)]).reshape(n, n).T
        rows = constraint_rows(s)
        return Equations(A, -missing, rows.B, rows.gamma)


class CompositeBody(_InSpeeds):
    title = "Composite bodies"

    def equations(self, s: State) -> Equations:
        tree, rows = Tree(s), constraint_rows(s)
        return Equations(composite(tree), -newton_euler(tree, np.zeros(s.mechanism.n_u)), rows.B, rows.gamma)


class ArticulatedBody(_InSpeeds):
    title = "Articulated bodies"

    def refusal(self, m: Mechanism) -> str | None:
        if m.constraint_rows:
            first = next(iter(m.constraint_rows))
            return f'articulated bodies solve trees without forming A, and "{first}" needs A; choose "composite_body"'
        return None

    def equations(self, s: State) -> Equations:
        """1 u̇ = f: forward dynamics, solved."""
        n = s.mechanism.n_u
        return Equations(np.eye(n), articulated(Tree(s), np.zeros(n)), np.zeros((0, n)), np.zeros(0))
