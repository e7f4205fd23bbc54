"""Results as tables: the same columns as a dictionary of plain numbers, or as a DataFrame."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.optional import optional

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


SHOWN_ROWS = 20
"""Rows that a notebook shows."""


class Tabular:
    """A result that says its `columns`; everything else follows."""

    def columns(self) -> dict[str, Any]:
        """Columns of equal length by name."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists, for JSON."""
        return {name: np.asarray(column).tolist() for name, column in self.columns().items()}

    def to_dataframe(self) -> pandas.DataFrame:
        """The columns as a pandas DataFrame."""
        return optional("pandas", "to_dataframe()").DataFrame(self.columns())

    def _repr_html_(self) -> str:
        """What a notebook shows: the first rows as a table."""
        columns = {name: np.asarray(column) for name, column in self.columns().items()}
        length = max(map(len, columns.values()), default=0)
        rows = [[column[k] for column in columns.values()] for k in range(min(length, SHOWN_ROWS))]
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        body = "".join(f"<tr>{''.join(f'<td>{_cell(x)}</td>' for x in row)}</tr>" for row in rows)
        more = f"<p>… and {length - SHOWN_ROWS} more rows</p>" if length > SHOWN_ROWS else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(x: Any) -> str:
    """A value of a table: numbers with six digits."""
    if isinstance(x, (float, complex, np.inexact)):
        return escape(f"{x:.6g}")
    return escape(str(x))


def over(x: np.ndarray, x_name: str, curves: dict[str, np.ndarray], y_name: str, ax: Axes | None = None) -> Axes:
    """Curves over x with a legend; the axes of matplotlib."""
    plt = optional("matplotlib.pyplot", "plot()")
    ax = plt.subplots()[1] if ax is None else ax
    for name, y in curves.items():
        ax.plot(x, y, label=name, lw=1)
    ax.set(xlabel=x_name, ylabel=y_name)
    if len(curves) > 1:
        ax.legend(fontsize="small")
    return ax


def components(name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    """One column for each component of an array (K, …): "P", or "P[0]", "P[1]", …"""
    rows = values.reshape(len(values), -1)
    if values.ndim == 1:
        return {name: values}
    return {f"{name}[{i}]": rows[:, i] for i in range(rows.shape[1])}
