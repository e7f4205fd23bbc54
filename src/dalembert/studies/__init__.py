"""Studies: many runs of one mechanism, on one machine or on a cluster; uncertainty, sensitivity, design.

`study.py` says what a study is and `conduct.py` makes it: `designs.py` and `spreads.py` draw the inputs, `together.py` marches,
`engines.py` hands blocks out, `stores.py` keeps them. `answers/` answers.
"""

from typing import TYPE_CHECKING, Any

from dalembert.studies.reductions import OfMotion, of_motion
from dalembert.studies.spreads import Normals
from dalembert.studies.table_choice import one_of_tables

if TYPE_CHECKING:
    from dalembert.studies.answers.study_result import StudyResult, load_study
    from dalembert.studies.study import Study

__all__ = ["Normals", "OfMotion", "Study", "StudyResult", "load_study", "of_motion", "one_of_tables"]

_LATER = {"Study": "study", "StudyResult": "answers.study_result", "load_study": "answers.study_result"}


def __getattr__(name: str) -> Any:
    """What brings compiled code with it comes when it is asked for."""
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(f"dalembert.studies.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
