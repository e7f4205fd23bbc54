"""Kane's equations with the mass centre of a floating tree and a floating frame f of the whole as speeds [C 134; Propositions 2, 3].

w = (ω_f, v_c, u of the joints and modes): ω_f is the angular velocity of the frame, in the axes of the root; v_c is the velocity of
the mass centre in world axes. The frame turns by x = X u + x_t faster than the root, ω = ω_f − x, where X says which frame it is: 0 for
the root's own, J⁻¹C for Tisserand's. The mass centre stands apart, M v̇_c = F; the rows of ω_f are M = Ḣ about it, for every frame. All
bodies that do not float keep their speeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.system_frames.floating_tree import (
    FloatingTree,
    TreeMotion,
    floating_trees,
    with_roots_at_rest,
)
from dalembert.formulations.tree import in_speeds
from dalembert.formulations.tree.weighed_bodies import add_gram
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.loads import Loads, loads
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.vectors import Vector


@dataclass(frozen=True, eq=False)
class Slip:
    """How a frame turns relative to the root: at x = X u + x_t, and faster at x_rate where the internal speeds do not change."""

    X: np.ndarray
    x: Vector
    x_rate: Vector


class KaneInFrame:
    """A formulation for one kind of floating frame; a subclass says how the frame turns."""

    title: str
    takes_variables = "internal coordinates"

    @staticmethod
    def replaced(m: Mechanism) -> list[int]:
        """Places in u of the speeds that it has others for."""
        return [at for tree in floating_trees(m) for at in tree.own]

    def slip(self, x: TreeMotion) -> Slip | None:
        """How the frame turns relative to the root; None where it is the root's own."""
        raise NotImplementedError

    def unsuitable(self, m: Mechanism, tree: FloatingTree) -> str | None:
        """Why a floating tree has no such frame, in a sentence."""
        return None

    # -- the contract of a formulation ------------------------------------------------------------------------------------
    def refusal(self, m: Mechanism) -> str | None:
        trees = floating_trees(m)
        if not trees:
            return (
                "no tree of bodies floats freely, so that there is no mass centre and no frame to choose the speeds of; "
                'connect its first body to the ground by da.Free(), or choose "kane"'
            )
        for tree in trees:
            if sum(float(m.numeric.bodies[k - 1].mass) for k in tree.members) == 0.0:
                return f'body "{m.bodies[tree.root - 1].name}" and what it carries have no mass, so that they have no mass centre'
        return next((why for tree in trees if (why := self.unsuitable(m, tree)) is not None), None)

    def speeds(self, m: Mechanism) -> tuple[str, ...]:
        names = list(m.speeds)
        for tree in floating_trees(m):
            for at, part in zip(tree.own, ("wx", "wy", "wz", "cx", "cy", "cz")):
                names[at] = f"{m.bodies[tree.root - 1].name}.{part}"
        return tuple(names)

    first_order = staticmethod(in_speeds.first_order)

    def formulation_speeds(self, s: State) -> np.ndarray:
        w = np.array(s.speeds)
        for x in _trees(s):
            slip = self.slip(x)
            turning = x.w if slip is None else x.w + slip.x
            w[list(x.tree.own)] = np.concatenate([turning, x.centre_speed])
        return w

    def state(self, m: Mechanism, t: Any, q: Any, w: Any) -> State:
        u = np.array(w)
        for x in _trees(State(m, t, q, u)):  # the root's speeds take no part in what is relative to it
            own, slip = list(x.tree.own), self.slip(x)
            turning = u[own[:3]] if slip is None else u[own[:3]] - slip.x
            u[own] = x.root_speeds(turning, u[own[3:]])
        return State(m, t, q, u)

    def udot(self, s: State, wdot: Any) -> np.ndarray:
        out = np.array(wdot)
        for x in _trees(s):
            out[list(x.tree.own)] = self._root_rates(x, out)
        return out

    def _root_rates(self, x: TreeMotion, wdot: np.ndarray) -> np.ndarray:
        own, internal, slip = list(x.tree.own), wdot[list(x.tree.internal)], self.slip(x)
        alpha = wdot[own[:3]]
        if slip is not None:
            alpha = alpha - slip.x_rate - (slip.X @ internal if len(internal) else 0.0)
        return x.root_rates(alpha, wdot[own[3:]], internal)

    def equations(self, s: State) -> Equations:
        m = s.mechanism
        applied = loads(s, gravity=False)
        A = np.zeros((m.n_u, m.n_u), dtype=object if s.traced else float)
        f = np.zeros(m.n_u, dtype=A.dtype)
        trees = list(_trees(s))
        for x in trees:
            self._add_tree(x, applied, A, f)
        _add_others(s, {k for x in trees for k in x.tree.members}, A, f)
        rows = constraint_rows(s)
        if not len(rows.B):
            return Equations(A, f, rows.B, rows.gamma)
        X, udot0 = self._change(s, trees)
        return Equations(A, f, rows.B @ X, rows.gamma - rows.B @ udot0)

    def explain(self, s: State) -> list[Quantity]:
        """Mass centre, inertia and relative angular momentum of each floating tree, and how its frame turns relative to the root."""
        found = []
        for x in _trees(s):
            root, slip = s.mechanism.bodies[x.tree.root - 1].name, self.slip(x)
            names = [s.mechanism.speeds[at] for at in x.tree.internal]
            found += [
                quantity(f"rho_{root}", "mass centre of the whole from the root's frame, root's axes", x.centre, "xyz"),
                quantity(
                    f"I_{root}", "I of the whole about its mass centre, root's axes [C 43]", x.inertia, "xyz", "xyz"
                ),
                quantity(
                    f"h_{root}", "angular momentum relative to the root, ∫ρ × ρ̇ dm [C 43]", x.relative_momentum, "xyz"
                ),
            ]
            if slip is not None:
                found += [
                    quantity(f"X_{root}", "X of ω_f = ω + X u + x_t", slip.X, "xyz", names),
                    quantity(f"x_{root}", "how fast the frame turns relative to the root", slip.x, "xyz"),
                ]
        return found

    # -- one tree -----------------------------------------------------------------------------------------------------------
    def in_frame(self, x: TreeMotion, applied: Loads, A: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A and f of (ω̇, u̇) in (ω̇_f, u̇): ω̇ = ω̇_f − X u̇ − ẋ."""
        slip = self.slip(x)
        if slip is None:
            return A, f
        f = f + A[:, :3] @ slip.x_rate
        left, coupled = f[:3], A[:3, 3:] - A[:3, :3] @ slip.X
        changed = np.array(A)
        changed[:3, 3:], changed[3:, :3] = coupled, coupled.T
        across = slip.X.T @ A[:3, 3:]
        inner = A[3:, 3:] - across - across.T + slip.X.T @ A[:3, :3] @ slip.X
        changed[3:, 3:] = _mirrored(inner)
        return changed, np.concatenate([left, f[3:] - slip.X.T @ left])

    def _add_tree(self, x: TreeMotion, applied: Loads, A: np.ndarray, f: np.ndarray) -> None:
        own, internal = list(x.tree.own), list(x.tree.internal)
        places = [*own[:3], *internal]
        A[np.ix_(places, places)], f[places] = self.in_frame(x, applied, *x.mass_and_forces(applied))
        A[np.ix_(own[3:], own[3:])] = x.mass * np.eye(3)
        forces = [applied.force[k - 1] for k in x.tree.members]
        f[own[3:]] = sum(forces, start=x.mass * x.mechanism.gravity)
        f[:] = f + self._root_work(x, applied.joint[x.tree.root - 1][:6])

    def _root_work(self, x: TreeMotion, values: np.ndarray) -> np.ndarray:
        """What forces on the root's own speeds do to w."""
        if all(type(v) is float and v == 0.0 for v in values):
            return np.zeros(x.mechanism.n_u)
        X, _ = self._change(x.s, [x])
        return np.asarray(X[list(x.tree.own)].T @ values)

    def _change(self, s: State, trees: list[TreeMotion]) -> tuple[np.ndarray, np.ndarray]:
        """X and u̇₀ of u̇ = X ẇ + u̇₀."""
        n = s.mechanism.n_u
        X, udot0 = np.eye(n).astype(object if s.traced else float), np.zeros(n, dtype=object if s.traced else float)
        for x in trees:
            own = list(x.tree.own)
            udot0[own] = self._root_rates(x, np.zeros(n))
            for at in (*own, *x.tree.internal):
                X[own, at] = self._root_rates(x, np.eye(n)[at]) - udot0[own]
        return X, udot0


def _trees(s: State) -> list[TreeMotion]:
    relative = with_roots_at_rest(s)
    return [TreeMotion(s, relative, tree) for tree in floating_trees(s.mechanism)]


def _add_others(s: State, members: set[int], A: np.ndarray, f: np.ndarray) -> None:
    """Kane's equations of the bodies that do not float."""
    m = s.mechanism
    applied = loads(s)
    for k, body in enumerate(m.bodies, start=1):
        columns = list(m.path_columns[k])
        if k in members or not columns:
            continue
        f[m.joints[k - 1].columns] = f[m.joints[k - 1].columns] + applied.joint[k - 1][m.joints[k - 1].free]
        if body.massless and not applied.loaded(k):
            continue
        P, a0, at = s.partials[k], s.bias_accelerations[k], s.instants[k - 1]
        left = body.dynamic_residual(at, a0.w, a0.v, np.zeros(len(at.q)), applied.force[k - 1], applied.moment[k - 1])
        for (J, MJ), rest in zip(body.weighed(at.R, at.arm, at.q, P.W, P.V), left):
            add_gram(A, columns, MJ, J)
            f[columns] = f[columns] + J.T @ rest


def _mirrored(M: np.ndarray) -> np.ndarray:
    """The lower half on both sides."""
    out = np.array(M)
    upper = np.triu_indices(len(out), 1)
    out[upper] = out.T[upper]
    return out
