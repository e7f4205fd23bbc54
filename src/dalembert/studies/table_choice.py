"""One of several tables, chosen by a parameter: so that a study varies what a force has measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dalembert.errors import ArgumentError
from dalembert.trace import Scalar, select
from dalembert.trace.table import Table


def one_of_tables(which: Scalar, tables: Sequence[Table]) -> Callable[[Scalar], Scalar]:
    """A function of one variable, that of the table numbered `which` from 0 on: `gust = da.studies.one_of_tables(k, [calm, squall])`
    with a parameter k, then `gust(s.t)` in a force, and `vary={"k": [0, 1]}`."""
    if not tables or not all(isinstance(x, Table) and not x.names for x in tables):
        raise ArgumentError("one_of_tables must be given a list of da.Table, each with one column of values")

    def value(x: Scalar) -> Scalar:
        found = tables[-1](x)
        for k in range(len(tables) - 2, -1, -1):
            found = select(which < k + 0.5, tables[k](x), found)
        return found

    return value
