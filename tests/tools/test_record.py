"""Answers are kept to the last bit, and whatever goes wrong is an answer."""

from __future__ import annotations

import os
import warnings

import numpy as np

from tools.answers import LONG, Answers, as_numbers, differences, numbers_apart, report
from tools.record import alone, write


def test_what_is_saved_is_read_to_the_last_bit(tmp_path):
    made = Answers()
    made.keep(
        "a/b/c", {"numbers": [0.1, -0.0, np.nan], "none": np.zeros((0, 3)), "one": 2, "words": "ü", "complex": 1 + 2j}
    )
    made.save(tmp_path / "x.npz")
    read = Answers.load(tmp_path / "x.npz")
    assert differences(made, read) == [] and len(read) == 5
    assert read.values["a/b/c/none"].shape == (0, 3) and read.values["a/b/c/one"].shape == ()
    assert np.array_equal(read.values["a/b/c/complex"], [1.0, 2.0])


def test_differences_are_told_by_size():
    before, after = Answers(), Answers()
    for key, x, y in (
        ("k/same", [1.0, np.nan], [1.0, np.nan]),
        ("k/near", [1.0, 1e3], [1.0 + 1e-13, 1e3]),
        ("k/zero", [0.0], [-0.0]),
        ("k/far", [1.0, 1e3], [1.0, 1e3 + 1e-6]),
        ("k/lost", [1.0, 2.0], [1.0, np.nan]),
        ("k/shape", [1.0], [[1.0]]),
    ):
        before.keep(key, np.array(x))
        after.keep(key, np.array(y))
    before.keep("k/words", "one\ntwo")
    after.keep("k/words", "one\nthree ")
    before.keep("k/gone", "x")
    after.keep("k/new", 1.0)
    found = {d.key: d for d in differences(before, after)}
    assert {key for key, d in found.items() if d.close} == {"k/near", "k/zero"}
    assert found.keys() == {"k/near", "k/zero", "k/far", "k/lost", "k/shape", "k/words", "k/gone", "k/new"}
    assert found["k/far"].off == np.float64(1e-6) / 1e3 or np.isclose(found["k/far"].off, 1e-9, rtol=1e-3)
    assert "'two' became 'three '" in found["k/words"].said
    assert "all" in report(before, after)


def test_words_are_compared_whole_though_long():
    before, after = Answers(), Answers()
    before.keep("k", "x" * LONG + "y")
    after.keep("k", "x" * LONG + "z")
    assert len(before.words["k"]) < LONG and len(differences(before, after)) == 1


def test_errors_and_warnings_are_words():
    def wrong():
        warnings.warn("careful", UserWarning, stacklevel=1)
        raise ValueError("no")

    made = Answers()
    assert made.ask("k/m/q", wrong) is None
    assert made.words == {"k/m/q/error": "ValueError: no", "k/m/q/warnings": "UserWarning: careful"}


def test_a_record_is_words_with_its_numbers_apart():
    made = numbers_apart({"method": "rk4", "step": 0.1, "atol": [1e-3, 2], "by": {"A": 0.5}})
    assert made["words"] == '{"method": "rk4", "step": "#", "atol": ["#", 2], "by": {"A": "#"}}'
    assert np.array_equal(made["numbers"], [0.1, 1e-3, 0.5])
    assert as_numbers(True).shape == ()


def test_a_crash_is_an_answer():
    assert alone("x", lambda: os._exit(3))[0].words == {"failed/x/error": "the process ended with 3"}
    assert alone("x", lambda: os.abort())[0].words == {"failed/x/error": "the process ended with -6"}
    assert alone("x", lambda: 1 / 0)[0].words == {"failed/x/error": "ZeroDivisionError: division by zero"}


def test_the_same_code_gives_the_same_bits(tmp_path):
    for name in "ab":
        write(tmp_path / name, None, "gallery pendulum", 1)
    before, after = (Answers.load(tmp_path / name) for name in "ab")
    assert len(before) > 100 and not any(key.startswith("failed/") for key in before.words)
    assert differences(before, after) == []


def test_states_are_taken_from_an_earlier_record(tmp_path):
    write(tmp_path / "a", None, "tree 0", 1)
    before = Answers.load(tmp_path / "a")
    before.values["state/tree 0/drawn/u"] = 2.0 * before.values["state/tree 0/drawn/u"]
    before.save(tmp_path / "changed")
    write(tmp_path / "b", tmp_path / "changed", "tree 0", 1)
    moved = {d.key for d in differences(before, Answers.load(tmp_path / "b"))}
    assert "motion/tree 0/as planned/u" in moved and "acceleration/tree 0/at 1" not in moved
