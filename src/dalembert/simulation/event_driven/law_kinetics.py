"""The kinetics of a state with laws, read from the working memory that compiled code has filled."""

from __future__ import annotations

import numpy as np

from dalembert.constraints.nonsmooth.kinetics import Kinetics, LoadMaps
from dalembert.kernels.masked.law_blocks import COEFFICIENTS
from dalembert.recursive.sparse import along_paths
from dalembert.simulation.event_driven.law_program import LawProgram


def kinetics_in(work: np.ndarray, program: LawProgram, u: np.ndarray, on: np.ndarray) -> Kinetics:
    """Inertia, rows, loads and coefficients of the state with these speeds; `on` says which elements are not switched off."""
    rhs, n = program.rhs, len(u)
    at, first, table = rhs.places, rhs.first, rhs.table

    def part(name: str, *shape: int) -> np.ndarray:
        size = int(np.prod(shape, dtype=int))
        return work[at[name] : at[name] + size].reshape(shape).copy()

    A = np.zeros((n, n))
    i, j = program.catalogue.once("places of the mass matrix", lambda: _mass_places(program))
    A[i, j] = A[j, i] = work[at["A"] + i * n + j]
    rows, p = np.zeros((rhs.n_rows, n)), rhs.pattern
    for k, columns in enumerate(p.columns):
        start = at["B"] + p.starts[k]
        rows[k, list(columns)] = work[start : start + len(columns)]
    gamma, n_z = part("gamma", rhs.n_rows), table.n_components
    loads = LoadMaps(
        part("z0", n_z), part("Zu", n_z, n), part("Zx", n_z, rhs.n_rows), part("arm", len(table.load_terms))
    )
    by_row = {name: part(name, len(table)) for name in ("gap", "v")}
    by_element = {name: part(name, len(table.elements)) for name in COEFFICIENTS}
    return Kinetics(
        table, u, A, part("f", n), rows[:first], gamma[:first], part("slip", first), rows[first:], gamma[first:],
        **by_row, **by_element, sizes=program.kept.law_sizes, on=on, loads=loads,
    )  # fmt: skip


def _mass_places(program: LawProgram) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the mass matrix that are not zero for good."""
    rows, columns = np.array(along_paths(program.mechanism), dtype=int).reshape(-1, 2).T
    return rows, columns
