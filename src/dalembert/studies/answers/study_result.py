"""`StudyResult`: the answers of a study, by name; what failed and why; everything else is computed from them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.aliases import FilePath
from dalembert.analysis.tabular import Tabular
from dalembert.arguments import count, file_path, one_name, real, takes
from dalembert.cached import cached_property
from dalembert.errors import ArgumentError, FileError
from dalembert.motion.motion import Motion
from dalembert.parts.names import unknown
from dalembert.studies.stores import Store, description, labels, opened_store
from dalembert.words import counted

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from dalembert.studies.answers.estimates import Convergence, Estimates
    from dalembert.studies.answers.global_sensitivity import SobolIndices
    from dalembert.studies.answers.linear_estimate import LinearEstimate
    from dalembert.studies.study import Study


FEW, UNFOLDED = 10_000_000, 100
"""Runs that a folder may speak of without holding any; and how many for each that it holds."""


@dataclass(frozen=True)
class Failure:
    """A run that came to no end: its number, why, and its inputs."""

    run: int
    reason: str
    inputs: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class StudyResult(Tabular):
    """Answers of a study: `result["max swing"]` (runs,), `result.inputs`, `result.failures`, `print(result.summary())`."""

    runs: int
    input_names: tuple[str, ...]
    units: Mapping[str, str]
    about: Mapping[str, Any]
    """Everything that decides the answers, as it stands in files."""
    ended: str
    """"end", "interrupted" by Ctrl-C, or "lost" where workers died again and again."""
    store: Store
    study: Study | None = None
    series_times: Mapping[str, np.ndarray] | None = None

    @classmethod
    def of(cls, study: Study, store: Store, ended: str) -> StudyResult:
        """What a store holds of a study."""
        described = labels(study)
        times = {name: np.array(t) for name, t in described["series_times"].items()}
        return cls(study.runs, study.inputs.names, described["units"], study.recorded(), ended, store, study, times)

    @classmethod
    def from_folder(cls, folder: Path) -> StudyResult:
        """What a folder holds, without the mechanism that made it."""
        described = description(folder)
        about = described["study"]
        store = opened_store(folder, described)
        times = {name: np.array(t) for name, t in described["series_times"].items()}
        every = -(-about["runs"] // described["block"])
        if about["runs"] > FEW + UNFOLDED * len(store.done()) * described["block"]:
            raise FileError(
                f"study: {folder} speaks of {about['runs']} runs and holds {len(store.done())} blocks of {described['block']}; "
                "so little of a study is not read"
            )
        ended = "end" if len(store.done()) == every else "interrupted"
        return cls(about["runs"], tuple(described["input_names"]), described["units"], about, ended, store, None, times)

    def __repr__(self) -> str:
        failed = f", {self.failed.sum()} failed" if self.failed.any() else ""
        missing = f", {counted(self.runs - int(self.done.sum()), 'run')} missing" if not self.done.all() else ""
        return f"<StudyResult of {self.about['model']!r}: {self.runs} runs{failed}{missing}, {', '.join(self.names)}>"

    def __str__(self) -> str:
        return str(self.summary())

    # -- numbers -----------------------------------------------------------------------------------------------------------
    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all columns: an output may have several, as "tip.x", and an extreme its time, "max swing.time"."""
        found: dict[str, None] = {}
        for block in self.store.blocks():
            found |= dict.fromkeys(block.columns)
        order = [*self.units]
        return tuple(sorted(found, key=lambda name: (order.index(self.output_of(name)), list(found).index(name))))

    def output_of(self, column: str) -> str:
        """The output that a column belongs to."""
        if column in self.units:
            return column
        owners = [name for name in self.units if column.startswith(name + ".")]
        return max(owners, key=len)

    def unit_of(self, column: str) -> str:
        """The unit of a column or an input."""
        if column in self.input_names:
            return ""
        return "s" if column.endswith(".time") and column not in self.units else self.units[self.output_of(column)]

    def __getitem__(self, name: str) -> np.ndarray:
        """A column (runs,), a series (runs, times) or an input; nan for runs that failed or are missing."""
        if name in self.input_names:
            return self.inputs[name]
        if name not in self.names:
            raise unknown(name, "column", [*self.names, *self.input_names], "study")
        return self.store.column(name, self.runs)

    @cached_property
    def inputs(self) -> Mapping[str, np.ndarray]:
        """The inputs by name, (runs,) each; nan for runs that are missing."""
        rows = np.full((self.runs, len(self.input_names)), np.nan)
        for block in self.store.blocks():
            rows[block.first : block.first + len(block)] = block.inputs
        return dict(zip(self.input_names, rows.T))

    @cached_property
    def done(self) -> np.ndarray:
        """(runs,): which runs were made."""
        made = np.zeros(self.runs, dtype=bool)
        for block in self.store.blocks():
            made[block.first : block.first + len(block)] = True
        return made

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """The runs that failed, with their reasons and inputs."""
        found = []
        for block in self.store.blocks():
            for run, why in sorted(block.failures.items()):
                row = block.inputs[run - block.first]
                found.append(Failure(run, why, dict(zip(self.input_names, row.tolist()))))
        return tuple(found)

    @cached_property
    def failed(self) -> np.ndarray:
        """(runs,): which runs failed."""
        made = np.zeros(self.runs, dtype=bool)
        made[[x.run for x in self.failures]] = True
        return made

    @cached_property
    def remarks(self) -> Mapping[int, str]:
        """What there is to say of runs that came to their end, by number."""
        found: dict[int, str] = {}
        for block in self.store.blocks():
            found |= block.remarks
        return found

    @property
    def good(self) -> np.ndarray:
        """(runs,): which runs came to their end."""
        return np.asarray(self.done & ~self.failed)

    @property
    def scalars(self) -> tuple[str, ...]:
        """Columns with one number for each run."""
        return tuple(name for name in self.names if self.output_of(name) not in (self.series_times or {}))

    @property
    def series(self) -> tuple[str, ...]:
        """Columns with a number for each time."""
        return tuple(name for name in self.names if name not in self.scalars)

    def times(self, name: str) -> np.ndarray:
        """The times of a series."""
        if name not in self.series:
            raise ArgumentError(f"study: {name!r} is no series over time; ask for one with outputs=['series …']")
        return np.asarray((self.series_times or {})[self.output_of(name)])

    def columns(self) -> dict[str, Any]:
        """Run, inputs, answers with one number each, and why a run failed."""
        why = np.full(self.runs, "", dtype=object)
        for x in self.failures:
            why[x.run] = x.reason
        return self.numeric_columns() | {"failed": why}

    def numeric_columns(self) -> dict[str, np.ndarray]:
        """Run, inputs and answers with one number each."""
        return {"run": np.arange(self.runs), **self.inputs} | {name: self[name] for name in self.scalars}

    # -- answers -----------------------------------------------------------------------------------------------------------
    @takes(confidence=real)
    def summary(self, confidence: float = 0.95) -> Estimates:
        """Mean with its confidence interval, deviation, percentiles and extremes of every answer; `print` shows a table."""
        from dalembert.studies.answers.estimates import estimates

        return estimates(self, confidence)

    @takes(name=one_name)
    def percentiles(self, name: str, of: ArrayLike = (5.0, 50.0, 95.0)) -> np.ndarray:
        """Percentiles of an answer over the runs: (len(of),), or (len(of), times) of a series."""
        values = self[name][self.good]
        if not len(values):
            raise ArgumentError(f"study: no run came to its end, so {name!r} has no percentiles")
        return np.asarray(np.nanpercentile(values, np.asarray(of, dtype=float), axis=0))

    @takes(name=one_name, confidence=real)
    def convergence(self, name: str, confidence: float = 0.95) -> Convergence:
        """The mean over the first 16, 32, 64, … runs, with its confidence interval."""
        from dalembert.studies.answers.estimates import convergence

        return convergence(self, name, confidence)

    @takes(name=one_name)
    def sobol(self, name: str) -> SobolIndices:
        """Sobol indices of an answer, of a study with design="saltelli"."""
        from dalembert.studies.answers.global_sensitivity import sobol_indices

        return sobol_indices(self, name)

    def linear(self) -> LinearEstimate:
        """Deviations and their shares by the exact first derivatives at the inputs' means: one run with sensitivities."""
        from dalembert.studies.answers.linear_estimate import linear_estimate

        return linear_estimate(self._study("linear()"))

    @takes(run=count(0))
    def motion(self, run: int) -> Motion:
        """One run again, whole, to look at."""
        return self._study("motion()").motion(run)

    @takes(name=one_name, n=count(1))
    def outliers(self, name: str, n: int = 5) -> np.ndarray:
        """Numbers of the runs farthest from the median of an answer."""
        values = self[name]
        if values.ndim > 1:
            raise ArgumentError(f"study: {name!r} is a series; ask for the outliers of one of its extremes")
        off = np.where(self.good, np.abs(values - np.nanmedian(values[self.good])), -1.0)
        order = np.argsort(-np.nan_to_num(off, nan=-1.0), kind="stable")[:n]
        return np.asarray(order[off[order] >= 0.0])

    def _study(self, asked: str) -> Study:
        if self.study is None:
            raise ArgumentError(
                f"study: {asked} needs the study itself; these answers were read from a folder: da.Study(…).run(folder=…)"
            )
        return self.study

    # -- charts ------------------------------------------------------------------------------------------------------------
    def plot(self, *names: str) -> Figure:
        """Histograms of answers, all if none is named; the figure of matplotlib."""
        from dalembert.studies.answers.charts import histograms

        return histograms(self, names)

    def scatter_matrix(self, *names: str) -> Figure:
        """Inputs and answers against each other."""
        from dalembert.studies.answers.charts import scatter_matrix

        return scatter_matrix(self, names)

    def fan(self, name: str, of: Sequence[float] = (5.0, 25.0, 50.0, 75.0, 95.0)) -> Figure:
        """Percentiles of a series over time."""
        from dalembert.studies.answers.charts import fan

        return fan(self, name, of)

    # -- elsewhere ---------------------------------------------------------------------------------------------------------
    def to_xarray(self) -> xarray.Dataset:
        """An `xarray.Dataset`: inputs and answers by name over `run`, with units, reasons of failures, and what made them."""
        from dalembert.studies.answers.study_dataset import dataset

        return dataset(self)

    @takes(path=file_path)
    def save(self, path: FilePath) -> None:
        """Write the answers as the file's name asks, whole or not at all: .nc, .zarr, .csv or .html."""
        from dalembert.studies.answers.study_files import save

        save(self, Path(path))

    def recorded(self) -> str:
        """What made them, as JSON."""
        return json.dumps(dict(self.about), default=str)


@takes(folder=file_path)
def load_study(folder: FilePath) -> StudyResult:
    """The answers in the folder of a study: all, or those that are there so far."""
    return StudyResult.from_folder(Path(folder))
