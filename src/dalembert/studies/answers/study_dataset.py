"""Answers as labelled arrays: of a study, and of many motions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import xarray

    from dalembert.studies.answers.study_result import StudyResult


def dataset(result: StudyResult) -> xarray.Dataset:
    """See `StudyResult.to_xarray`."""
    import xarray

    variables: dict[str, Any] = {}
    labels: dict[str, Any] = {"run": np.arange(result.runs)}
    for name, values in result.inputs.items():
        variables[f"input {name}"] = (("run",), values, {"long_name": name, "role": "input"})
    for name in result.names:
        unit, owner = result.unit_of(name), result.output_of(name)
        about = {"role": "output", "output": owner} | ({"units": unit} if unit else {})
        if name in result.series:
            axis = f"time of {owner}"
            labels[axis] = (axis, result.times(name), {"units": "s"})
            variables[name] = (("run", axis), result[name], about)
        else:
            variables[name] = (("run",), result[name], about)
    variables["status"] = (("run",), np.where(result.failed, 1, np.where(result.done, 0, -1)).astype(np.int8),
                           {"long_name": "0 came to its end, 1 failed, -1 not made"})  # fmt: skip
    variables["failed_run"] = (("failure",), np.array([x.run for x in result.failures], dtype=np.int64))
    variables["reason"] = (("failure",), np.array([x.reason for x in result.failures], dtype=str))
    about = {
        "title": str(result.about["model"]),
        "source": "dalembert",
        "study": json.dumps(dict(result.about), default=str),
    }
    return xarray.Dataset(variables, labels, about | {"ended": result.ended})
