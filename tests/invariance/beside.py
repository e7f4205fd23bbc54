"""Two mechanisms in one system that do not touch each other, one of them 1e-6 to 1e6 times as large: each must be as it is alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.tree import kane
from tests.invariance.cases import Case, drawn
from tests.invariance.redrawing import Drawing, redrawn

TOLERANCE = 1e-9
T = 0.3
DURATION = 0.05
APPROXIMATE = ("penalty", "proximal")


@dataclass(frozen=True, eq=False)
class Alone:
    """A mechanism by itself, in a state that obeys its loops at `T`."""

    system: da.System
    q: np.ndarray
    u: np.ndarray
    time: float
    """How many times slower than its original it is, its gravity being the same."""

    @cached_property
    def mechanism(self) -> da.Mechanism:
        made: da.Mechanism = self.system.build()
        return made


def alone(case: Case, gravity: np.ndarray, size: float, prefix: str) -> Alone:
    """The case drawn `size` times as large, and as much slower as falling is, its names beginning with `prefix`."""
    from tests.invariance.transformations import Anew

    s = case.system.__copy__()
    s.gravity = gravity
    names = (
        {name: f"{prefix}{name}" for name in group} for group in (s.bodies, s.joints, {**s.forces, **s.constraints})
    )
    d = Drawing(*names, length=size, mass=size**3, time=float(np.sqrt(size)), elastic=case.elastic)
    system = redrawn(_with_numbers(s), d)
    anew = Anew(case, "beside", system, d)
    q, u = anew.mechanism.assemble(*anew.state, t=T)
    return Alone(system, q, u, d.time)


def _with_numbers(s: da.System) -> da.System:
    from tests.invariance.redrawing import _with_numbers

    return _with_numbers(s)


@dataclass(frozen=True, eq=False)
class Beside:
    """Both in one system, and where the values of each stand."""

    parts: tuple[Alone, Alone]

    @cached_property
    def mechanism(self) -> da.Mechanism:
        a, b = (x.system for x in self.parts)
        s = da.System("beside", gravity=a.gravity)
        for what in ("bodies", "joints", "forces", "constraints"):
            setattr(s, what, {**getattr(a, what), **getattr(b, what)})
        s.cut = (*a.cut, *b.cut)
        made: da.Mechanism = s.build()
        return made

    def places(self, names: str) -> list[np.ndarray]:
        """Of each one's "coordinates" or "speeds", in those of both."""
        whole = list(getattr(self.mechanism, names))
        return [np.array([whole.index(x) for x in getattr(p.mechanism, names)], dtype=int) for p in self.parts]

    @cached_property
    def state(self) -> tuple[np.ndarray, np.ndarray]:
        q, u = np.zeros(self.mechanism.n_q), np.zeros(self.mechanism.n_u)
        for p, at_q, at_u in zip(self.parts, self.places("coordinates"), self.places("speeds")):
            q[at_q], u[at_u] = p.q, p.u
        return q, u

    # -- what is asked ----------------------------------------------------------------------------------------------------
    def verdicts(self) -> list[str]:
        """Where what is said of both is not what is said of each."""
        q, _ = self.state
        every, whole = [_diagnosed(p.mechanism, p.q) for p in self.parts], _diagnosed(self.mechanism, q)
        sums = tuple(sum(x) for x in zip(*(x[0] for x in every)))
        off = [f"{whole[0]} for {sums}"] if whole[0] != sums else []
        together = every[0][1] | every[1][1]
        return off + ([f"rows {whole[1]} for {together}"] if whole[1] != together else [])

    def assembly(self) -> list[str]:
        """Loops closed from a little off."""
        (q, _), rng = self.state, np.random.default_rng(5)
        start = self.mechanism.admissible(q + 0.03 * rng.uniform(-1, 1, len(q)) * self.mechanism.scales.coordinates)
        found = _told(lambda: self.mechanism.assemble(start, t=T)[0])
        wanted = [_told(lambda p=p, at=at: p.mechanism.assemble(start[at], t=T)[0]) for p, at in self._by_part]
        return self._differences("assembly", found, wanted, [p.mechanism.scales.coordinates for p in self.parts])

    def accelerations(self) -> list[str]:
        """By every method with Kane's equations, and by every formulation with range space."""
        q, u = self.state
        pairs = [("kane", by) for by in METHODS] + [(name, "range_space") for name in FORMULATIONS]
        off = []
        for form, by in pairs:
            of_the_whole = form.startswith("system_")  # a frame of all bodies together is none of either part's
            if not of_the_whole and not any(word in form + by for word in APPROXIMATE):
                found = _told(lambda form=form, by=by: _solved(self.mechanism, q, u, form, by))
                wanted = [
                    _told(lambda p=p, form=form, by=by: _solved(p.mechanism, p.q, p.u, form, by)) for p in self.parts
                ]
                off += self._differences(f"{form} by {by}", found, wanted, self._sizes(wanted), "speeds")
        return off

    def compiled(self, by: str) -> list[str]:
        """The same in machine code, by one method."""
        q, u = self.state
        found = _told(lambda: self.mechanism.solve(q, u, t=T, constraints=by).udot)
        wanted = [_told(lambda p=p: p.mechanism.solve(p.q, p.u, t=T, constraints=by).udot) for p in self.parts]
        return self._differences(f"compiled by {by}", found, wanted, self._sizes(wanted), "speeds")

    def motion(self) -> list[str]:
        """In machine code, over a short while of the faster one."""
        span = DURATION * min(p.time for p in self.parts)
        q, u = self.state
        call: dict[str, Any] = {"start": T, "rtol": 1e-11, "output": span / 2}
        found = _told(lambda: self.mechanism.simulate(span, q, u, **call).q[-1])
        wanted = [_told(lambda p=p: p.mechanism.simulate(span, p.q, p.u, **call).q[-1]) for p in self.parts]
        return self._differences("motion", found, wanted, [p.mechanism.scales.coordinates for p in self.parts])

    def equilibrium(self) -> list[str]:
        found = _told(lambda: self.mechanism.equilibrium(self.state[0], t=T, starts=3).q)
        wanted = [_told(lambda p=p: p.mechanism.equilibrium(p.q, t=T, starts=3).q) for p in self.parts]
        return self._differences("equilibrium", found, wanted, [p.mechanism.scales.coordinates for p in self.parts])

    # -- comparing --------------------------------------------------------------------------------------------------------
    @property
    def _by_part(self) -> list[tuple[Alone, np.ndarray]]:
        return list(zip(self.parts, self.places("coordinates")))

    def _sizes(self, wanted: list[Any]) -> list[Any]:
        """Accelerations by the largest of each one's own, in rad or lengths."""
        steps = [p.mechanism.scales.speeds for p in self.parts]
        largest = [np.abs(x / d).max(initial=0.0) if isinstance(x, np.ndarray) else 1.0 for x, d in zip(wanted, steps)]
        return [d * x for d, x in zip(steps, largest)]

    def _differences(
        self, what: str, found: Any, wanted: list[Any], sizes: list[Any], names: str = "coordinates"
    ) -> list[str]:
        refused = [x for x in wanted if isinstance(x, str)]
        if refused or isinstance(found, str):
            return [] if isinstance(found, str) and found in refused else [f"{what}: {found} for {refused}"]
        off = [
            float(np.abs((found[at] - x) / np.where(size > 0.0, size, 1.0)).max(initial=0.0))
            for x, at, size in zip(wanted, self.places(names), sizes)
        ]
        return [] if max(off) <= TOLERANCE else [f"{what}: off by {off}"]


def beside(first: str, second: str, seed: int, size: float) -> Beside:
    a, b = drawn(first, seed), drawn(second, seed + 1000)
    gravity = np.asarray(a.mechanism.numeric.gravity, dtype=float)
    return Beside((alone(a, gravity, 1.0, "a_"), alone(b, gravity, size, "b_")))


def _diagnosed(m: da.Mechanism, q: np.ndarray) -> tuple[tuple[int, ...], set[tuple[str, str, bool]]]:
    d = m.diagnose(q, t=T)
    return (d.mobility, d.rank, d.rank_here, d.redundant, int(d.shaky)), {
        (r.owner, r.resists, r.determined) for r in d.rows
    }


def _solved(m: da.Mechanism, q: np.ndarray, u: np.ndarray, name: str, by: str) -> np.ndarray:
    s, form = m.numeric.state(q, u, T), FORMULATIONS[name]
    if form.refusal(m) is not None:
        raise da.FormulationError(str(form.refusal(m)))
    own = form.state(m.numeric, s.t, s.coordinates, form.formulation_speeds(s))
    e = form.equations(own) if form is not kane else kane.equations(s)
    return np.asarray(form.udot(own, METHODS[by](e).udot), dtype=float)


def _told(ask: Any) -> Any:
    """The answer, or the kind of refusal."""
    try:
        return ask()
    except da.DalembertError as problem:
        return type(problem).__name__
