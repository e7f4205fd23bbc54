"""The hash of what functions and objects do: equal where they do the same, another wherever anything in them differs."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.trace.content import content_of

LIMIT = 1.0


def twice(x):
    return 2.0 * x


def limited(x):
    """Names a variable and a function of its module."""
    return LIMIT * twice(x)


class Gain:
    """State, a method, and itself among its parts."""

    def __init__(self, k):
        self.k, self.me = k, self

    def __call__(self, x):
        return self.k * x

    def times(self, x):
        return self.k * x


def within(k):
    table = np.arange(3000.0)
    table[1500] = k
    return lambda x: x * table[1500]


def by_keyword(k):
    def f(x, *, k=k):
        return k * x

    return f


def remembered(k):
    @functools.lru_cache
    def f(x):
        return k * x

    f(3.0)
    return f


def nested(k):
    return eval(f"lambda x: (lambda y: {k!r} * y)(x)")


def attributed(k):
    def f(x):
        return f.k * x

    f.k = k
    return f


MADE = {
    "a partial": lambda k: functools.partial(np.multiply, k),
    "a partial by name": lambda k: functools.partial(by_keyword(0.0), k=k),
    "an object": Gain,
    "a bound method": lambda k: Gain(k).times,
    "a variable around": within,
    "a default by keyword": by_keyword,
    "a constant in an inner function": nested,
    "an attribute of a function": attributed,
    "a function that remembers": remembered,
    "an array": lambda k: np.array([0.0, k]),
    "an array of objects": lambda k: np.array([None, k], dtype=object),
    "containers": lambda k: {"a": [(k, {1, 2}), frozenset({k})]},
    "a class": lambda k: type("Own", (), {"k": k, "f": lambda self: self.k}),
    "an expression": lambda k: k * da.System("s").parameter("p", 1.0),
    "an event": lambda k: da.Event(twice, action=da.SetParameter("p", k)),
    "a generator of random numbers": lambda k: np.random.default_rng(int(k)),
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_what_differs_anywhere_has_another_hash(make):
    assert content_of(make(1.0)) == content_of(make(1.0)) != content_of(make(2.0))


def test_what_a_module_holds_counts(monkeypatch):
    before = content_of(limited)
    monkeypatch.setitem(globals(), "LIMIT", 2.0)
    assert content_of(limited) != before
    monkeypatch.setitem(globals(), "LIMIT", 1.0)
    assert content_of(limited) == before
    monkeypatch.setitem(globals(), "twice", lambda x: 3.0 * x)
    assert content_of(limited) != before


def test_sharing_and_places_in_memory_do_not_count():
    x = [1.0, 2.0]
    assert content_of([x, x]) == content_of([[1.0, 2.0], [1.0, 2.0]])
    s = da.System("s")
    s.add_body("b", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "b")
    m = s.build()
    before = content_of(lambda x: m)
    m.forward_dynamics([0.1], [0.0])
    assert content_of(lambda x: m) == before


def test_another_process_finds_the_same():
    asked = "from tests.trace.test_content import *; print([content_of(f(1.0)) for f in MADE.values()], content_of(limited))"
    root = Path(__file__).resolve().parents[2]
    found = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, cwd=root, check=True).stdout
    assert found.strip() == f"{[content_of(f(1.0)) for f in MADE.values()]} {content_of(limited)}"


def test_what_has_no_state_to_look_at_is_refused_in_words(tmp_path):
    with open(tmp_path / "f", "w") as file, pytest.raises(da.ArgumentError, match="cannot be told from another"):
        content_of(lambda x: file)
