"""A page that simulates as a widget of a notebook: what its sliders say and what Python says are one and the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import SimulationError
from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.motion.motion import Motion
from dalembert.optional import optional
from dalembert.parts.names import nearest
from dalembert.view.bundle import asset
from dalembert.view.live.live_model import LiveModel, live_model
from dalembert.view.live.sliders import Slider, sliders_of
from dalembert.view.notebook import BUDGET
from dalembert.view.page import page_html
from dalembert.view.shown_samples import thinned

if TYPE_CHECKING:
    from anywidget import AnyWidget

HEIGHT = 640
"""Pixels of a widget in a notebook."""


def motion_widget(
    motion: Motion, sliders: Iterable[Any] | None, traces: Iterable[Any] | None, reactions: Sequence[str] | None
) -> AnyWidget:
    """See `Motion.widget`."""
    made = _widget_class()
    chosen = None if sliders is None else list(sliders)
    page = page_html(motion, traces, reactions, BUDGET, live=True, sliders=chosen)
    model = live_model(thinned(motion, BUDGET, 0))
    return made(model, sliders_of(model, chosen), page)


@cache
def _widget_class() -> Any:
    anywidget = optional("anywidget", "a widget of a motion", SimulationError)
    traitlets = import_module("traitlets")
    base: Any = anywidget.AnyWidget

    class MotionWidget(base):  # type: ignore[misc]
        """The page of a motion. `values` are the sliders' by name, `time` is the instant shown, `said` what the page says."""

        _esm = asset("js/widget.js")
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int(HEIGHT).tag(sync=True)
        values = traitlets.Dict(key_trait=traitlets.Unicode(), value_trait=traitlets.Float()).tag(sync=True)
        time = traitlets.Float(0.0).tag(sync=True)
        said = traitlets.Unicode("").tag(sync=True)

        def __init__(self, model: LiveModel, sliders: Sequence[Slider], page: str) -> None:
            self._model, self._sliders = model, {s.name: s for s in sliders}
            super().__init__(page=page, values={s.name: s.value for s in sliders}, time=float(model.motion.t[0]))

        @traitlets.validate("values")  # type: ignore[untyped-decorator]
        def _complete(self, proposal: Any) -> dict[str, float]:
            """Values of all sliders: those that are not said stay."""
            said = proposal["value"]
            for name, value in said.items():
                if name not in self._sliders:
                    raise SimulationError(f'widget: there is no slider "{name}"; {nearest(name, self._sliders)}')
                if not np.isfinite(value):
                    raise SimulationError(f'widget: slider "{name}" takes a finite number, not {value!r}')
            now = self._trait_values.get("values") or {s.name: s.value for s in self._sliders.values()}
            return {**now, **{name: float(value) for name, value in said.items()}}

        def simulate(self) -> Motion:
            """The motion at the present values, marched by Python."""
            return marched_at(self._model, self._sliders, self.values)

    return MotionWidget


def marched_at(model: LiveModel, sliders: Mapping[str, Slider], values: Mapping[str, float]) -> Motion:
    """The motion that the page marches with its sliders at these values."""
    m, o, record = model.mechanism, model.options, model.motion.record["options"]
    set_here = {name: s for name, s in sliders.items() if s.given or values[name] != s.value}
    kinds = {kind: {n: s for n, s in set_here.items() if s.kind == kind} for kind in ("parameter", "initial", "speed")}
    parameters = {**m.parameters, **{name: values[name] for name in kinds["parameter"]}}
    initial = _changed(
        model.given[0], {m.coordinates[s.at]: values[n] for n, s in kinds["initial"].items()}, m.coordinates
    )
    speeds = _changed(model.given[1], {m.speeds[s.at]: values[n] for n, s in kinds["speed"].items()}, m.speeds)
    span = next((values[n] for n, s in sliders.items() if s.kind == "duration"), o.end - o.start)
    t = np.asarray(model.motion.t, dtype=float)
    output: Any = t if span == o.end - o.start else (t[-1] - t[0]) / max(1, len(t) - 1)
    options = SimulationOptions(output=output, start=o.start, method=o.method.name)
    options = (
        replace(options, rtol=o.rtol, max_steps=o.max_steps) if o.method.adaptive else replace(options, step=o.step)
    )
    if o.method.adaptive:
        options = replace(options, atol=record.get("atol"), max_step=record.get("max_step"))
    if model.stepping:
        options = replace(options, theta=o.theta)
    return m.simulate(span, initial=initial, speeds=speeds, parameters=parameters, options=options)


def _changed(given: Any, changes: dict[str, float], names: Sequence[str]) -> Any:
    """What was given, by name or all at once, with some of it changed."""
    if given is None or isinstance(given, Mapping):
        return {**(given or {}), **changes} or None
    values = np.array(given, dtype=float)
    for name, value in changes.items():
        values[names.index(name)] = value
    return values
