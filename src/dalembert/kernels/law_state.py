"""Accelerations and forces under laws in single states: everything of a state from compiled code, then a complementarity problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.arguments import numbers
from dalembert.constraints.nonsmooth.at_state import mode_at
from dalembert.constraints.nonsmooth.choose import Accelerating
from dalembert.constraints.nonsmooth.kinetics import Kinetics, LoadMaps
from dalembert.constraints.nonsmooth.unique_loads import check_loads_unique
from dalembert.errors import StateError
from dalembert.kernels.assembled import check_assembled
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.independent_rows import independent_rows
from dalembert.kernels.masked.law_blocks import COEFFICIENTS, law_values, load_values
from dalembert.kernels.runtime.kernel import Kernel
from dalembert.kernels.runtime.opaque import called_for_each, generalized_forces
from dalembert.kernels.runtime.straight import extra_input, straight_block
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.law_mode import ElementState
from dalembert.kinematics.law_rows import LawTable, law_row_scales, law_rows
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.row_table import RowKind
from dalembert.parts.names import unknown
from dalembert.recursive.algorithms import Tree, composite, newton_euler
from dalembert.trace import tracing


@dataclass(frozen=True, eq=False)
class LawForces:
    """What one law does in a state."""

    state: tuple[str, ...]
    """State of each of its elements: "open", "closed", "slip", "stick", "engaged" or "off"."""
    gap: np.ndarray
    normal: np.ndarray
    """Forces that press, ≥ 0."""
    friction: np.ndarray
    """Forces on the mechanism along its directions of slip."""
    hold: np.ndarray
    """Forces by which a latch holds."""
    moment: np.ndarray
    """Moments on the mechanism against rolling and drilling."""


@dataclass(frozen=True, eq=False)
class LawState:
    """Accelerations of a state under its laws, the forces of these, and what touches, slides and sticks: `m.laws_at(q, u)`."""

    udot: np.ndarray
    exerted: np.ndarray
    """Generalized forces of all laws on the speeds, Jᵀp."""
    laws: Mapping[str, LawForces]
    determined: bool
    """Whether single forces are unique; where what touches is redundant, they are one share of many."""

    def __getitem__(self, name: str) -> LawForces:
        if name not in self.laws:
            raise unknown(name, "law", self.laws, "laws_at")
        return self.laws[name]

    def __str__(self) -> str:
        states = "; ".join(f"{name} {', '.join(x.state)}" for name, x in self.laws.items())
        return states + ("" if self.determined else " (single forces are not unique)")


class LawStateKernel:
    """Everything of a mechanism and its laws in a state, as numbers, from one kernel."""

    def __init__(self, c: Catalogue):
        self.catalogue, self.m = c, c.mechanism
        self.table: LawTable = self.m.law_table
        n = self.m.n_u

        def emit(module: Any, lanes: int) -> Any:
            with tracing():
                tau = extra_input(self.m.speeds)
                parts = self._formula(self.m.symbolic_state(), tau)
                return module.block(straight_block(self.m, list(parts.values()), tau), lanes), 0

        rows, laws, elements = len(self.m.rows), len(self.table), len(self.table.elements)
        z, terms = self.table.n_components, len(self.table.load_terms)
        self.shapes = {
            "A": (n, n), "f": (n,), "B": (rows, n), "gamma_B": (rows,), "v_B": (rows,), "J": (laws, n), "gamma": (laws,),
            "gap": (laws,), "v": (laws,), **dict.fromkeys(COEFFICIENTS, (elements,)), "z0": (z,), "Zu": (z, n),
            "Zx": (z, rows + laws), "arms": (terms,),
        }  # fmt: skip
        size = sum(int(np.prod(shape)) for shape in self.shapes.values())
        self.kernel = Kernel("laws of a state", self.m, n, (size,), emit)

    def _formula(self, s: State, tau: Any) -> dict[str, Any]:
        """What `shapes` lists, in its order."""
        tree = Tree(s)
        loops, own = constraint_rows(s), law_rows(s)
        values = law_values(s, own, None)
        loads = load_values(s, tau, len(loops.g) + len(own.g))
        return {
            "A": composite(tree),
            "f": tau - newton_euler(tree, np.zeros(self.m.n_u)),
            "B": loops.B,
            "gamma_B": loops.gamma,
            "v_B": loops.B @ s.speeds - loops.b if len(loops.b) else [],
            "J": own.B,
            "gamma": own.gamma,
            "gap": own.g,
            "v": values.speeds,
            **values.coefficients,
            "z0": loads.z0,
            "Zu": loads.Zu,
            "Zx": loads.Zx,
            "arms": loads.arms,
        }

    def kinetics(
        self, q: np.ndarray, u: np.ndarray, tau: np.ndarray, t: float, values: Mapping[str, float]
    ) -> Kinetics:
        """All of it in one state, with an independent set of the loops' rows."""
        y = self.kernel(q, u, tau, t, values)
        part, start = {}, 0
        for name, shape in self.shapes.items():
            count = int(np.prod(shape))
            part[name] = y[start : start + count].reshape(shape)
            start += count
        kept = list(independent_rows(self.catalogue, q, t, dict(values))) if len(part["B"]) else []
        n_rows = len(part["B"])
        loads = LoadMaps(
            part.pop("z0"), part.pop("Zu"), part.pop("Zx")[:, [*kept, *range(n_rows, n_rows + len(self.table))]], part.pop("arms"),
        )  # fmt: skip
        for name in ("B", "gamma_B", "v_B"):
            part[name] = part[name][kept]
        on = np.array([self.m.laws[e.law].on for e in self.table.elements], dtype=bool)
        if (
            self.table.loads and len(kept) < n_rows
        ):  # in every state: forces across a linkage's plane may come with parameters or time
            check_loads_unique(self.m.with_parameters(**values), q, u, t, kept, StateError)
        return Kinetics(table=self.table, u=u, sizes=self.sizes, on=on, loads=loads, **part)

    @property
    def sizes(self) -> np.ndarray:
        """Scales of the laws' rows, with every joint at its reference."""
        m = self.m
        return self.catalogue.once(
            "sizes of laws", lambda: law_row_scales(State(m.numeric, 0.0, m.reference, np.zeros(m.n_u)))
        )


def law_state_kernel(c: Catalogue) -> LawStateKernel:
    """The kernel of a catalogue, made once."""
    return c.once("laws of a state", lambda: LawStateKernel(c))


def law_state(c: Catalogue, m: Mechanism, q: Any, u: Any, tau: Any, t: Any, parameters: Any, where: str) -> LawState:
    """What laws do in one state."""
    q, t = numbers(q, f"{where}: q"), float(numbers(t, f"{where}: t"))
    u = np.zeros(m.n_u) if u is None else numbers(u, f"{where}: u")
    check_assembled(c, m, q, u, t, parameters)
    force = np.zeros(m.n_u) if tau is None else numbers(tau, f"{where}: tau")
    if c.opaque is not None:
        force = force + called_for_each(c.opaque, generalized_forces, q, u, t, parameters)
    k = law_state_kernel(c).kinetics(q, u, force, t, {name: float(x) for name, x in (parameters or {}).items()})
    found = mode_at(k)
    own = found.forces[k.n_loops :]
    return LawState(k.free + k.Y @ found.forces, k.J.T @ own, _by_law(k, found), not found.mode.redundant)


def _by_law(k: Kinetics, found: Accelerating) -> dict[str, LawForces]:
    table, own = k.table, found.forces[k.n_loops :]
    words = {i: _word(k, i, state) for i, state in enumerate(found.mode.states)}
    made = {}
    for number, name in enumerate(table.laws):
        of_law = table.law_of == number
        rows = {
            kind: [r for r in np.flatnonzero(of_law) if table.rows[int(r)].kind is kind]
            for kind in (RowKind.UNILATERAL, RowKind.FRICTION, RowKind.SWITCHED, RowKind.RESISTED)
        }
        normal, tangent, hold, turning = rows.values()
        states = tuple(words[i] for i in table.of_law(name))
        made[name] = LawForces(states, k.gap[normal], own[normal], own[tangent], own[hold], own[turning])
    return made


def _word(k: Kinetics, i: int, state: ElementState) -> str:
    smooth = state is ElementState.SLIP and not k.elements[i].tangents
    return (ElementState.CLOSED if smooth else state).name.lower()


def exerted(c: Catalogue, m: Mechanism, q: Any, u: Any, tau: Any, t: Any, parameters: Any, where: str) -> np.ndarray:
    """Further generalized forces with those of the laws, in one state or, one after the other, in each of a batch."""

    def one(q: Any, u: Any, tau: Any, t: float, values: Mapping[str, float]) -> np.ndarray:
        forces = law_state(c, m, q, u, tau, t, values, where).exerted
        return forces if tau is None else forces + tau

    return each_state(one, q, u, tau, t, parameters)


def each_state(of: Callable[..., np.ndarray], q: Any, u: Any, tau: Any, t: Any, parameters: Any) -> np.ndarray:
    """`of(q, u, tau, t, parameters)` for one state or, one after the other, for each of a batch; what is given once holds for all."""
    rows = [None if x is None else np.asarray(x, dtype=float) for x in (q, u, tau)]
    single = {"": np.asarray(t, dtype=float), **{k: np.asarray(x, dtype=float) for k, x in (parameters or {}).items()}}
    if all(x is None or x.ndim < 2 for x in rows) and all(x.ndim == 0 for x in single.values()):
        return of(*rows, float(single.pop("")), {k: float(x) for k, x in single.items()})
    count = max(
        len(x) for x in (*(x for x in rows if x is not None and x.ndim == 2), *(x for x in single.values() if x.ndim))
    )
    out = []
    for i in range(count):
        at = {k: float(x[i] if x.ndim else x) for k, x in single.items()}
        out.append(of(*(x[i] if x is not None and x.ndim == 2 else x for x in rows), at.pop(""), at))
    return np.array(out)
