"""Answers are kept to the last bit, and whatever goes wrong is an answer."""

from __future__ import annotations

import os
import warnings

import numpy as np

from tools.answers import LONG, Answers, as_numbers, differences, numbers_apart, report
from tools.questions import Questions
from tools.record import alone, write
from tools.subjects import subjects


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
    assert np.isclose(found["k/far"].off, 1e-9, rtol=1e-3)
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
    assert alone("x", lambda: os.kill(os.getpid(), 9))[0].words == {"failed/x/error": "the process ended with -9"}
    assert alone("x", lambda: 1 / 0)[0].words == {"failed/x/error": "ZeroDivisionError: division by zero"}


def asked(name, known):
    made = Questions(name, subjects()[name](), known)
    for part in (made.words, made.own_motion, made.at_states):
        part()
    return made.answers


def test_the_same_code_gives_the_same_bits(tmp_path):
    """Compiled anew in another process."""
    found = [alone("x", lambda: asked("gallery pendulum", {}), str(tmp_path / name))[0] for name in "ab"]
    assert len(found[0]) > 40 and not any(key.endswith("/error") for key in found[0].words)
    assert differences(*found) == []


def test_states_are_taken_from_an_earlier_record():
    before = asked("parameters 0", {})
    changed = before.values | {"state/parameters 0/drawn/u": 2.0 * before.values["state/parameters 0/drawn/u"]}
    moved = {d.key for d in differences(before, asked("parameters 0", changed))}
    assert "motion/parameters 0/as planned/u" in moved and "acceleration/parameters 0/at 1" not in moved


def test_everything_is_asked_by_name(tmp_path):
    said = write(tmp_path / "a", None, "robots", 1)
    assert "of 1 subjects" in said and "robot/robot.urdf/yaml" in Answers.load(tmp_path / "a").words
