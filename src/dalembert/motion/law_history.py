"""What the laws did in the course of a motion: forces, gaps, slips and states at all samples, impacts, changes of mode, losses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from dalembert.cached import cached_property
from dalembert.kinematics.law_mode import ElementState
from dalembert.mechanism.row_table import RowKind
from dalembert.parts.names import text, unknown
from dalembert.portable import Portable
from dalembert.words import counted


@dataclass(frozen=True, eq=False)
class LawSamples:
    """One law at all samples. A law with several gaps has a column for each."""

    normal: np.ndarray
    """(K, gaps): forces that press, ≥ 0; of a one-way clutch its torque."""
    friction: np.ndarray
    """(K, slips): forces on the mechanism along the law's directions of slip."""
    hold: np.ndarray
    """(K, holds): forces by which a latch holds."""
    gap: np.ndarray
    """(K, gaps)."""
    slip: np.ndarray
    """(K, slips)."""
    state: np.ndarray
    """(K, elements): "open", "slip", "stick", "engaged" or "off"."""
    determined: np.ndarray
    """(K,): whether its forces are unique; where what touches is redundant, they are one share of many."""
    loss: np.ndarray
    """(K,): energy it has taken for good, by friction and impacts, J."""
    work: np.ndarray
    """(K,): work of its forces on the mechanism, J."""
    moment: np.ndarray
    """(K, turnings): moments on the mechanism against rolling about its directions of slip, then against drilling about its normals."""


@dataclass(frozen=True, eq=False)
class LawImpact:
    """What one law did in an impact: `t`, `law`, the impulses along its rows, their speeds before and after, the energy it took."""

    t: float
    law: str
    impulse: np.ndarray
    """Impulses of all gaps, ≥ 0."""
    friction: np.ndarray
    """Impulses along all directions of slip, on the mechanism."""
    before: np.ndarray
    """Speeds of the gaps before the impact, negative where they close."""
    after: np.ndarray
    loss: float
    u_before: np.ndarray
    """All speeds of the mechanism; both sides of the jump."""
    u_after: np.ndarray


@dataclass(frozen=True, eq=False)
class ModeChange:
    """A mode and the time from which it lasted: the state of every element by name."""

    t: float
    states: Mapping[str, str]

    def __str__(self) -> str:
        return f"t = {self.t:.6g} s: " + ", ".join(f"{name} {state}" for name, state in self.states.items())


@dataclass(frozen=True, eq=False)
class LawHistory(Portable):
    """Everything that a run notes of its laws, as arrays. Forces of rows press or pull on the mechanism along them: Jᵀ force."""

    laws: np.ndarray
    elements: np.ndarray
    row_law: np.ndarray
    row_element: np.ndarray
    row_kind: np.ndarray
    force: np.ndarray
    gap: np.ndarray
    slip: np.ndarray
    state: np.ndarray
    determined: np.ndarray
    loss: np.ndarray
    work: np.ndarray
    impact_t: np.ndarray
    impact_q: np.ndarray
    impact_u_before: np.ndarray
    impact_u_after: np.ndarray
    impact_impulse: np.ndarray
    impact_before: np.ndarray
    impact_after: np.ndarray
    impact_loss: np.ndarray
    mode_t: np.ndarray
    mode_state: np.ndarray

    def __post_init__(self) -> None:
        for f in fields(self):
            getattr(self, f.name).flags.writeable = False

    def at_samples(self, chosen: np.ndarray) -> LawHistory:
        """The same at some of the samples; impacts and modes are kept."""
        over_time = ("force", "gap", "slip", "state", "determined", "loss", "work")
        return replace(self, **{name: np.ascontiguousarray(getattr(self, name)[chosen]) for name in over_time})

    def _rows(self, law: int, *kinds: RowKind) -> np.ndarray:
        words = [kind.value for kind in kinds]
        return np.flatnonzero((self.row_law == law) & np.isin(self.row_kind, words))

    def samples(self, name: str) -> LawSamples:
        """One law at all samples."""
        names = [str(x) for x in self.laws]
        if text(name, "contacts") not in names:
            raise unknown(name, "law", names, "motion")
        k = names.index(name)
        normal, tangent, hold = (
            self._rows(k, kind) for kind in (RowKind.UNILATERAL, RowKind.FRICTION, RowKind.SWITCHED)
        )
        own = np.unique(self.row_element[self.row_law == k])
        words = np.array([state.word for state in ElementState])
        return LawSamples(
            self.force[:, normal], self.force[:, tangent], self.force[:, hold], self.gap[:, normal], self.slip[:, tangent],
            words[self.state[:, own].astype(int)], self.determined, self.loss[:, k], self.work[:, k],
            self.force[:, self._rows(k, RowKind.RESISTED)],
        )  # fmt: skip

    @cached_property
    def impacts(self) -> tuple[LawImpact, ...]:
        """Impacts in their order, one entry for every law that took part."""
        return tuple(self._impacts())

    def _impacts(self) -> Iterator[LawImpact]:
        for i, t in enumerate(self.impact_t):
            for k, name in enumerate(self.laws):
                normal, tangent = self._rows(k, RowKind.UNILATERAL), self._rows(k, RowKind.FRICTION)
                own = self.row_law == k
                if not self.impact_impulse[i, own].any():
                    continue
                yield LawImpact(
                    float(t), str(name), self.impact_impulse[i, normal], self.impact_impulse[i, tangent],
                    self.impact_before[i, normal], self.impact_after[i, normal], float(self.impact_loss[i, own].sum()),
                    self.impact_u_before[i], self.impact_u_after[i],
                )  # fmt: skip

    @cached_property
    def modes(self) -> tuple[ModeChange, ...]:
        """All modes, in their order."""
        return tuple(
            ModeChange(float(t), {str(e): ElementState(int(x)).word for e, x in zip(self.elements, states)})
            for t, states in zip(self.mode_t, self.mode_state)
        )

    def __repr__(self) -> str:
        said = (
            counted(len(self.laws), "law"),
            counted(len(self.impact_t), "impact"),
            counted(len(self.mode_t), "mode"),
        )
        return f"<{', '.join(said)}>"


class Contacts(Mapping[str, LawSamples]):
    """Every law of a motion by name, at all samples."""

    def __init__(self, history: LawHistory):
        self._history = history

    def __getitem__(self, name: str) -> LawSamples:
        return self._history.samples(name)

    def __iter__(self) -> Iterator[str]:
        return iter(str(x) for x in self._history.laws)

    def __len__(self) -> int:
        return len(self._history.laws)
