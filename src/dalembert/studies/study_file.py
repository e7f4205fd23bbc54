"""A study in a file: `model`, `vary`, `outputs`, `runs` and what else `da.Study` takes, in YAML or JSON. No code runs from it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from dalembert.errors import DalembertError
from dalembert.files import load
from dalembert.files.gallery import find
from dalembert.files.models.document import read_document
from dalembert.files.models.place import Entry
from dalembert.mechanism import Mechanism
from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.parts.names import nearest
from dalembert.studies.study import Study

KEYS = (
    "model",
    "vary",
    "outputs",
    "runs",
    "design",
    "seed",
    "levels",
    "duration",
    "initial",
    "speeds",
    "parameters",
    "simulation",
)


def is_study_file(path: Path) -> bool:
    """Whether a file says what varies, as a study does and a model does not."""
    if path.suffix.lower() not in (".yaml", ".yml", ".json"):
        return False
    value = read_document(path).value
    return isinstance(value, dict) and "vary" in value


def read_study(path: Path, **said: Any) -> Study:
    """The study in a file; what is said beside it counts instead."""
    document = read_document(path)
    entries = document.mapping("a study, with model, vary and outputs,")
    for key in entries:
        if key not in KEYS:
            raise document.error(f"a study has no {key!r}; {nearest(key, KEYS)}", key)
    for key in ("model", "vary", "outputs"):
        if key not in entries and key not in said:
            raise document.error(f"{key!r} is missing: a study says model, vary and outputs")
    m = _model(entries["model"], path)
    if "parameters" in entries:
        with entries["parameters"].blamed():
            m = m.with_parameters(**_plain(entries["parameters"]))
    made: dict[str, Any] = {
        k: _plain(x) for k, x in entries.items() if k not in ("model", "vary", "simulation", "parameters")
    }
    made["vary"] = _vary(entries["vary"]) if "vary" in entries else {}
    if "simulation" in entries:
        made["options"] = _options(entries["simulation"])
    made |= {k: x for k, x in said.items() if x is not None}
    with document.blamed():
        return Study(m, **made, text=path.read_text(encoding="utf-8"))


def _model(entry: Entry, path: Path) -> Mechanism:
    """A model file beside the study's, or of the gallery."""
    name = entry.value
    if not isinstance(name, str):
        raise entry.error("model must be the name of a model file, or of a gallery model")
    beside = path.parent / name
    place = beside if beside.exists() else find(name)
    if place is None:
        raise entry.error(f"there is neither a file {name!r} beside the study nor such a gallery model")
    return load(place)


def _vary(entry: Entry) -> dict[Any, Any]:
    """Spreads by name: text, a list of values, or {distribution: norm, loc: 1, scale: 0.1}."""
    found: dict[Any, Any] = {}
    for name, how in entry.mapping("what varies, by name,").items():
        found[name] = _distribution(how) if isinstance(how.value, dict) else _plain(how)
        if isinstance(found[name], (int, float)):
            raise how.error(
                f"{name!r} has one value, and so does not vary; say a tolerance, a range a..b, or a list [a, b, c]"
            )
    return found


def _distribution(entry: Entry) -> Any:
    """A continuous distribution of SciPy by its name."""
    from scipy import stats

    said = _plain(entry)
    name = said.pop("distribution", None)
    family = getattr(stats, name, None) if isinstance(name, str) and not name.startswith("_") else None
    if not isinstance(family, stats.rv_continuous):
        raise entry.error(
            f"distribution: {name!r} is no continuous distribution of scipy.stats; norm, uniform and lognorm are some"
        )
    try:
        made = family(**said)
        made.ppf(0.5)
    except (TypeError, ValueError) as problem:
        raise entry.error(f"distribution {name}: {problem}") from None
    return made


def _options(entry: Entry) -> SimulationOptions:
    said = _plain(entry)
    known = [f.name for f in fields(SimulationOptions)]
    for key in entry.mapping("options of the simulation"):
        if key not in known:
            raise entry.error(f"a simulation has no option {key!r}; {nearest(key, known)}", key)
    try:
        return SimulationOptions(**said)
    except DalembertError as problem:
        raise entry.error(str(problem)) from problem


def _plain(entry: Entry) -> Any:
    """Plain data without places; whole numbers as such."""
    x = entry.value
    if isinstance(x, dict):
        return {k: _plain(v) for k, v in x.items()}
    if isinstance(x, list):
        return [_plain(v) for v in x]
    return int(x) if isinstance(x, float) and x.is_integer() and abs(x) < 2**53 else x
