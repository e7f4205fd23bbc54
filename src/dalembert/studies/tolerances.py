"""Tolerances, ranges and lists in text, as a drawing says them: "±0.1 mm", "0.4±1%", "0.4 ± 0.01 (2σ)", "20..30 deg", "1, 2, 5"."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from dalembert.errors import ArgumentError
from dalembert.studies.spreads import SIGMAS, Range, Spread, Values, normal

UNITS = {
    "": 1.0, "m": 1.0, "mm": 1e-3, "cm": 1e-2, "um": 1e-6, "µm": 1e-6, "μm": 1e-6, "km": 1e3, "in": 0.0254,
    "rad": 1.0, "mrad": 1e-3, "deg": math.pi / 180.0, "°": math.pi / 180.0, "rpm": math.pi / 30.0,
    "kg": 1.0, "g": 1e-3, "t": 1e3, "s": 1.0, "ms": 1e-3, "N": 1.0, "kN": 1e3, "mN": 1e-3, "rad/s": 1.0,
    "deg/s": math.pi / 180.0, "m/s": 1.0, "mm/s": 1e-3, "Nm": 1.0, "N/m": 1.0, "kN/m": 1e3, "N/mm": 1e3, "1": 1.0,
}  # fmt: skip
"""Units that text may say, in SI."""

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_UNIT = r"[A-Za-zµμ°/]*"
_TOLERANCE = re.compile(
    rf"^(?:(?P<mean>{_NUMBER})\s*(?P<mean_unit>{_UNIT}))?\s*(?:±|\+/-|\+-)\s*(?P<by>{_NUMBER})\s*(?P<by_unit>%|{_UNIT})"
    r"\s*[,;]?\s*\(?\s*(?:(?P<sigmas>\d+(?:\.\d+)?)?\s*(?P<kind>σ|sigma|uniform))?\s*\)?$"
)
_RANGE = re.compile(
    rf"^(?P<low>{_NUMBER})\s*(?P<low_unit>{_UNIT})\s*(?:\.\.|…|to)\s*(?P<high>{_NUMBER})\s*(?P<high_unit>{_UNIT})$"
)
_LIST = re.compile(rf"^{_NUMBER}\s*{_UNIT}(?:\s*,\s*{_NUMBER}\s*{_UNIT})*$")
_ONE = re.compile(rf"({_NUMBER})\s*({_UNIT})")


def spread_of_text(text: str, nominal: float | None, where: str) -> Spread:
    """The spread that a text says; a tolerance without a mean is about the nominal value, and means 3σ of a normal distribution."""
    said = text.strip()
    tolerance, span = _TOLERANCE.match(said), _RANGE.match(said)
    if tolerance:
        return _tolerance(tolerance, nominal, where, said)
    if span:
        unit = span["high_unit"] or span["low_unit"]
        low = float(span["low"]) * _unit(span["low_unit"] or unit, where)
        high = float(span["high"]) * _unit(unit, where)
        if not low < high:
            raise ArgumentError(f"{where}: the range {said!r} must begin below its end")
        return Range(low, high)
    if _LIST.match(said):
        _check_all_have_units([unit for _, unit in _ONE.findall(said)], said, where)
        return Values(np.array([float(x) * _unit(unit, where) for x, unit in _ONE.findall(said)]))
    raise ArgumentError(
        f"{where}: {text!r} is no tolerance, range or list; say for example 0.4±1%, ±0.1 mm, 0.4±0.01 (2σ), ±1% uniform, 0.3..0.5 or "
        "0.3, 0.4, 0.5"
    )


def _tolerance(found: re.Match[str], nominal: float | None, where: str, said: str) -> Spread:
    if found["mean"] is None and nominal is None:
        raise ArgumentError(
            f"{where}: {said!r} says no mean, and the model has no value of its own; say for example 0.4±1%"
        )
    mean = float(nominal or 0.0) if found["mean"] is None else float(found["mean"]) * _unit(found["mean_unit"], where)
    if found["mean"] is not None and found["by_unit"] != "%":
        _check_all_have_units([found["mean_unit"], found["by_unit"]], said, where)
    by = float(found["by"])
    if found["by_unit"] == "%":
        by *= abs(mean) / 100.0
    else:
        by *= _unit(found["by_unit"], where)
    if not by > 0.0:
        raise ArgumentError(f"{where}: {said!r} leaves nothing to vary; a tolerance must be above zero")
    if found["kind"] == "uniform":
        if found["sigmas"]:
            raise ArgumentError(f"{where}: {said!r} says both σ and uniform; say one of them")
        return Range(mean - by, mean + by)
    sigmas = float(found["sigmas"]) if found["sigmas"] else (1.0 if found["kind"] else SIGMAS)
    if not sigmas > 0.0:
        raise ArgumentError(f"{where}: {said!r} says 0 σ; a tolerance is at least some part of a σ")
    return normal(mean, by / sigmas, f"normal about {mean:.6g}, σ = {by / sigmas:.4g} (±{by:.4g} is {sigmas:g}σ)")


def _check_all_have_units(units: Sequence[str], said: str, where: str) -> None:
    """30±1 deg would be 30 rad, or 30°: who reads it cannot know."""
    if any(units) and not all(units):
        raise ArgumentError(
            f"{where}: {said!r} gives some of its numbers a unit; give all of them one, or none of them (SI)"
        )


def _unit(text: str | None, where: str) -> float:
    if (text or "") not in UNITS:
        raise ArgumentError(f"{where}: unit {text!r} is not known; use one of {', '.join(u for u in UNITS if u)}")
    return UNITS[text or ""]
