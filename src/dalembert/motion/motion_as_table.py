"""A motion as columns with names: for pandas, spreadsheets and quick looks. Whoever makes them is imported when asked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.arguments import file_path, names, takes
from dalembert.optional import optional
from dalembert.parts.names import unknown
from dalembert.tables import Columns

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from dalembert.motion.motion import Motion


class MotionAsTable:
    """The columns of a CSV file, elsewhere."""

    def _columns(self: Motion) -> Columns:  # type: ignore[misc]
        from dalembert.files.motion_formats import motion_columns

        return motion_columns(self)

    def to_dataframe(self: Motion) -> pandas.DataFrame:  # type: ignore[misc]
        """A pandas DataFrame over time: coordinates, speeds, outputs, energies, laws; `.attrs["units"]` has their units."""
        table = self._columns()
        made = optional("pandas", "to_dataframe()").DataFrame(table.values).set_index("t")
        made.attrs["units"] = dict(table.units)
        return made

    @takes(path=file_path)
    def to_csv(self: Motion, path: str | Path) -> Path:  # type: ignore[misc]
        """Write all columns as comma-separated values, whatever the file's name ends in; returns its path."""
        from dalembert.tables import write_table

        write_table(path, self._columns(), "motion")
        return Path(path)

    @takes(columns=names)
    def plot(self: Motion, columns: Iterable[str] | None = None, ax: Axes | None = None) -> Axes:  # type: ignore[misc]
        """Columns over time by matplotlib, all coordinates if none are named: `motion.plot(["A", "A'", "tip.x"])`."""
        from dalembert.analysis.tabular import over

        table = self._columns()
        chosen = list(self.coordinates if columns is None else columns)
        for name in chosen:
            if name not in table.values:
                raise unknown(name, "column", table.values, "plot")
        units = {table.units[name] for name in chosen}
        label = ", ".join(sorted(x for x in units if x)) if len(units) > 1 or len(chosen) > 1 else chosen[0]
        return over(self.t, "t (s)", {f"{x} [{table.units[x]}]": table.values[x] for x in chosen}, label, ax)
