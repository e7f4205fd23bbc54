"""Tables in written code: each becomes a function of its own with its data."""

from __future__ import annotations

from collections.abc import Collection

from dalembert.trace.ops import Op
from dalembert.trace.table import TableOp


def tables_among(operations: Collection[Op]) -> list[TableOp]:
    """In the order of their names, each content once."""
    found = {op.name: op for op in operations if isinstance(op, TableOp)}
    return [found[name] for name in sorted(found)]


def python_tables(operations: Collection[Op]) -> list[str]:
    """Functions on floats and on arrays."""
    lines: list[str] = []
    for op in tables_among(operations):
        lines += [
            "",
            "",
            f"def {op.name}(x):",
            f"    breaks = np.array({op.breaks.tolist()})",
            f"    pieces = np.array({op.coefficients.tolist()})",
            "    i = np.clip(np.searchsorted(breaks, x, side='right') - 1, 0, len(breaks) - 2)",
            "    total = 0.0 * np.asarray(x)",
            "    for row in pieces:",
            "        total = total * (x - breaks[i]) + row[i]",
            "    return np.where((x >= breaks[0]) & (x <= breaks[-1]), total, np.nan)[()]",
        ]
    return lines


def c_tables(operations: Collection[Op]) -> list[str]:
    """Static functions, guarded so that sources can be joined."""
    lines: list[str] = []
    for op in tables_among(operations):
        pieces, terms = len(op.breaks) - 1, len(op.coefficients)
        lines += [
            f"#ifndef DALEMBERT_{op.name.upper()}",
            f"#define DALEMBERT_{op.name.upper()}",
            f"static double {op.name}(double x)",
            "{",
            f"    static const double breaks[{pieces + 1}] = {{{_listed(op.breaks.tolist())}}};",
            f"    static const double pieces[{pieces * terms}] = {{{_listed(op.coefficients.T.ravel().tolist())}}};",
            f"    int low = 0, high = {pieces};",
            "    if (!(x >= breaks[0] && x <= breaks[high])) return NAN;",
            "    while (high - low > 1) {",
            "        int middle = (low + high)/2;",
            "        if (x >= breaks[middle]) low = middle; else high = middle;",
            "    }",
            "    double total = 0.0;",
            f"    for (int k = 0; k < {terms}; k++) total = total*(x - breaks[low]) + pieces[{terms}*low + k];",
            "    return total;",
            "}",
            "#endif",
        ]
    return lines


def _listed(values: list[float]) -> str:
    return ", ".join(repr(x) for x in values)
