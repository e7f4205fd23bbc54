"""Answers by key: numbers and words, kept in one file, and how two such files differ.

A key is "kind/model/question/part". Numbers are kept to the last bit. Words longer than `LONG` are kept as their hash.
"""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
LONG = 20_000
"""Characters."""
CLOSE = 1e-12
"""Of the largest number of an entry: what is nearer than this is called equal, though not bit for bit."""


@dataclass
class Answers:
    """What was asked, and what came of it."""

    values: dict[str, np.ndarray] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    seconds: Counter[str] = field(default_factory=Counter)
    """What asking took, by kind; not saved."""

    # -- asking -------------------------------------------------------------------------------------------------------
    def ask(self, key: str, question: Callable[[], T], told: Callable[[T], Any] = lambda found: found) -> T | None:
        """Keep what `told` makes of the answer; an error and warnings are kept as words. The answer, or None if there is none."""
        found, began = None, time.process_time()
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                found = question()
                self.keep(key, told(found))
            except Exception as problem:
                self.words[f"{key}/error"] = f"{type(problem).__name__}: {problem}"
                if hasattr(problem, "motion") and problem.motion is not None:
                    self.keep(f"{key}/reached", {"t": problem.motion.t, "q": problem.motion.q, "u": problem.motion.u})
        self.seconds[key.split("/")[0]] += time.process_time() - began
        if heard:
            self.words[f"{key}/warnings"] = "\n".join(f"{w.category.__name__}: {w.message}" for w in heard)
        return found

    def keep(self, key: str, thing: Any) -> None:
        """Numbers, words, or either by name."""
        if isinstance(thing, Mapping):
            for name, each in thing.items():
                self.keep(f"{key}/{name}", each)
        elif isinstance(thing, str | bool | None):
            self.words[key] = shortened(str(thing))
        else:
            self.values[key] = as_numbers(thing)

    # -- files --------------------------------------------------------------------------------------------------------
    def save(self, path: Path) -> None:
        shapes = {key: list(x.shape) for key, x in self.values.items()}
        about = json.dumps({"shapes": shapes, "words": self.words}, ensure_ascii=False).encode()
        flat = np.concatenate([np.zeros(0), *(x.ravel() for x in self.values.values())])
        with path.open("wb") as file:
            np.savez_compressed(file, numbers=flat, about=np.frombuffer(about, dtype=np.uint8))

    @staticmethod
    def load(path: Path) -> Answers:
        with np.load(path) as file:
            flat, about = file["numbers"], json.loads(file["about"].tobytes())
        made, at = Answers(words=about["words"]), 0
        for key, shape in about["shapes"].items():
            size = int(np.prod(shape, dtype=int))
            made.values[key] = flat[at : at + size].reshape(shape)
            at += size
        return made

    def add(self, other: Answers) -> None:
        self.values |= other.values
        self.words |= other.words
        self.seconds += other.seconds

    def __len__(self) -> int:
        return len(self.values) + len(self.words)


def as_numbers(thing: Any) -> np.ndarray:
    """As real numbers; of complex ones the parts, on a last axis of their own."""
    x = np.asarray(thing)
    if np.iscomplexobj(x):
        x = np.stack([x.real, x.imag], axis=-1)
    return np.ascontiguousarray(x, dtype=float).reshape(x.shape)


def shortened(words: str) -> str:
    if len(words) <= LONG:
        return words
    return f"{len(words)} characters, sha256 {hashlib.sha256(words.encode()).hexdigest()}"


def numbers_apart(thing: Any) -> dict[str, Any]:
    """A nested record as words, with # for every real number, and those numbers."""
    found: list[float] = []

    def shown(x: Any) -> Any:
        if isinstance(x, float):
            found.append(x)
            return "#"
        if isinstance(x, Mapping):
            return {str(k): shown(v) for k, v in x.items()}
        return [shown(v) for v in x] if isinstance(x, list | tuple) else x

    return {"words": json.dumps(shown(thing), ensure_ascii=False, default=str), "numbers": np.array(found)}


# -- comparing --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Difference:
    """An entry that is not the same bit for bit: how far apart relative to its largest number (None for words), and what to say."""

    key: str
    off: float | None
    said: str

    @property
    def kind(self) -> str:
        return self.key.split("/")[0]

    @property
    def close(self) -> bool:
        return self.off is not None and self.off <= CLOSE


def differences(before: Answers, after: Answers) -> list[Difference]:
    """All entries that are not the same, in the order of the first file."""
    found = []
    for key in dict.fromkeys([*before.values, *before.words, *after.values, *after.words]):
        if key in before.values and key in after.values:
            found += _numbers_differ(key, before.values[key], after.values[key])
        elif key in before.words and key in after.words:
            one, other = before.words[key], after.words[key]
            found += [] if one == other else [Difference(key, None, _words_differ(one, other))]
        else:
            was, became = (_sort(answers, key) for answers in (before, after))
            found.append(Difference(key, None, f"{was} before, {became} after"))
    return found


def _sort(answers: Answers, key: str) -> str:
    return "numbers" if key in answers.values else "words" if key in answers.words else "nothing"


def _numbers_differ(key: str, a: np.ndarray, b: np.ndarray) -> list[Difference]:
    if a.shape != b.shape:
        return [Difference(key, None, f"shape {a.shape} became {b.shape}")]
    if a.tobytes() == b.tobytes():
        return []
    finite = np.isfinite(a)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(b[finite]).all():
        return [Difference(key, np.inf, "finite at other places")]
    apart, size = np.abs(a - b)[finite].max(initial=0.0), np.abs(a[finite]).max(initial=0.0)
    off = float(apart / size) if size else float(np.inf if apart else 0.0)
    return [Difference(key, off, f"off by {off:.1e} of {size:.3g}")]


def _words_differ(a: str, b: str) -> str:
    """The first lines that are not the same."""
    first, second = a.splitlines() or [""], b.splitlines() or [""]
    k = next((i for i, (x, y) in enumerate(zip(first, second)) if x != y), min(len(first), len(second)))
    x, y = (lines[k] if k < len(lines) else "(ends)" for lines in (first, second))
    return f"line {k + 1}: {x[:200]!r} became {y[:200]!r}"


def report(before: Answers, after: Answers) -> str:
    """Counts by kind, then every entry that is not the same bit for bit."""
    found = differences(before, after)
    keys = dict.fromkeys([*before.values, *before.words, *after.values, *after.words])
    every = Counter(key.split("/")[0] for key in keys)
    close = Counter(d.kind for d in found if d.close)
    apart = Counter(d.kind for d in found if not d.close)
    lines = [f"{'kind':16}{'entries':>8}{'same bits':>10}{'to 1e-12':>9}{'differ':>7}"]
    for kind, n in [*sorted(every.items()), ("all", len(keys))]:
        few, many = (close.total(), apart.total()) if kind == "all" else (close[kind], apart[kind])
        lines.append(f"{kind:16}{n:8}{n - few - many:10}{few:9}{many:7}")
    lines += _listed("differ", [d for d in found if not d.close])
    lines += _listed("equal to 1e-12, not bit for bit", [d for d in found if d.close])
    return "\n".join(lines)


def _listed(title: str, found: Iterable[Difference]) -> list[str]:
    every = [f"  {d.key}: {d.said}" for d in found]
    return ["", f"{title}:", *every] if every else []
