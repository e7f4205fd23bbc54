"""Wrong, damaged and hostile files: a clear complaint with its place, quickly, and nothing else."""

from __future__ import annotations

import random
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.files.models.read import read_text
from tests.effort import examples
from tests.files.test_models import FOUR_BAR, everything

BASE = """\
name: wrong
parameters: {length: 1}
bodies:
  rod: {matter: [{type: rod, length: length, mass: 1}]}
joints:
  A: {type: revolute, axis: [0, 0, 1], parent: ground, child: rod}
tables: {push: {times: [0, 1, 2], values: [0, 1, 0], kind: linear}}
forces:
  m: {type: motor, joint: A, torque: "2*sin(t)"}
events: {far: {when: q.A - 1, stop: true}}
initial: {A: 0.3}
simulation: {duration: 1}
"""


def test_the_base_is_right():
    read_text(BASE)[0].build()


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "says"),
    [
        ("name: wrong", "nam: wrong", 1, 1, "did you mean 'name'"),
        ("type: revolute", "type: revolut", 6, 13, "did you mean 'revolute'"),
        ("axis: [0, 0, 1]", "axes: [0, 0, 1]", 6, 23, "did you mean 'axis'"),
        ("axis: [0, 0, 1]", "axis: [0, 0]", 6, 29, "a list of 3 numbers"),
        ("axis: [0, 0, 1]", "axis: [0, 0, 2]", 6, 6, "has length 2"),
        ("axis: [0, 0, 1]", "axis: [0, 0, .nan]", 6, 36, "finite"),
        ("length: length", "length: lenght", 4, 38, "did you mean 'length'"),
        ("length: length", "length: -1", 4, 18, "must be positive"),
        ("mass: 1}", "mass: true}", 4, 52, "a number or an expression is expected here, not true or false"),
        ("2*sin(t)", "2*sn(t)", 9, 41, "did you mean 'sin'"),
        ("2*sin(t)", "2*q.B", 9, 41, "no joint 'B'"),
        ("2*sin(t)", "2*q.A.x", 9, 41, "it has q.A"),
        ("torque:", "torqe:", 9, 30, "did you mean 'torque'"),
        ("child: rod", "child: rode", 6, 3, "did you mean 'rod'"),
        ("joint: A", "joint: a", 9, 3, "there is no joint 'a'"),
        ("initial: {A: 0.3}", "initial: {AA: 0.3}", 11, 11, "no joint 'AA'"),
        ("initial: {A: 0.3}", "initial: {A: length}", 11, 14, "no parameter"),
        ("duration: 1", "duraton: 1", 12, 14, "did you mean 'duration'"),
        ("simulation: {duration: 1}", "simulation: {method: rk5}", 12, 22, "did you mean 'rk4'"),
        ("name: wrong", "units: imperial", 1, 8, "SI"),
        ("name: wrong", "format: 9", 1, 9, "format 9"),
        ("name: wrong", "name: [a", 2, 11, "not YAML"),
        ("name: wrong", "name: !!python/object/apply:os.system ['true']", 1, 7, "tag"),
        ("name: wrong", "name: &a [*a]", 1, 11, "refers to itself"),
        ("name: wrong", "name: *b", 1, 7, "never defined"),
        ("name: wrong", "name: a\nname: b", 2, 1, "given twice"),
        ("name: wrong", "name: a\n---\nname: b", 2, 1, "second document"),
        ("bodies:\n", "bodies:\n  rod: {mass: 1}\n", 5, 3, "given twice"),
        ("{length: 1}", "{q: 1}", 2, 17, "word of the expressions"),
        ("{length: 1}", "{length: 1e999}", 2, 22, "finite"),
        ("child: rod", "at_parent: tip, child: rod", 6, 6, "no frame 'tip'"),
        ("{A: 0.3}", "{A: [1, 2]}", 11, 10, "has 1 value,"),
        ("{A: 0.3}", "{A.x: 1}", 11, 10, "no joint or coordinate 'A.x'"),
        ("duration: 1", "duration: -1", 12, 24, "duration must be a positive number"),
        ("initial:", "\tinitial:", 11, 1, "indented with a tab"),
        ("2*sin(t)", "2*push", 9, 41, "there is no parameter or variable 'push'"),
        ("2*sin(t)", "2*pusch(t)", 9, 41, "did you mean 'push'"),
        ("2*sin(t)", "out.A", 9, 39, "only events and chosen speeds may look at them"),
        ("values: [0, 1, 0]", "values: [0, 1]", 7, 16, "do not belong together"),
        ("values: [0, 1, 0]", "file: none.csv", 7, 41, "no file 'none.csv'"),
        ("values: [0, 1, 0]", "values: [0, x, 0]", 7, 47, "no parameter or variable 'x'"),
        ("kind: linear", "kind: liner", 7, 60, "did you mean 'linear'"),
        ("push:", "sin:", 7, 15, "a function"),
        ("when: q.A", "wen: q.A", 10, 16, "did you mean 'when'"),
        ("when: q.A - 1", "when: q.A > 1", 10, 26, "a condition is no number"),
        ("when: q.A - 1", "when: out.x", 10, 22, "outputs"),
        ("stop: true", "direction: left", 10, 42, "choose one of either, up, down"),
    ],
)  # fmt: skip
def test_mistakes_say_where(tmp_path, old, new, line, column, says):
    assert old in BASE
    path = tmp_path / "wrong.yaml"
    path.write_text(BASE.replace(old, new, 1))
    with pytest.raises(da.ModelFileError, match=re.escape(says)) as caught:
        da.load(path)
    assert (caught.value.line, caught.value.column) == (line, column), str(caught.value)
    assert str(caught.value).startswith(f"{path}:{line}:{column}: ")


def test_json_mistakes_say_where():
    with pytest.raises(da.ModelFileError, match="not JSON") as caught:
        read_text('{"name": "x",\n  "bodies" {}}', "x.json", is_json=True)
    assert (caught.value.line, caught.value.column) == (2, 12)
    with pytest.raises(da.ModelFileError, match="given twice"):
        read_text('{"name": "x",\n\t"name": "y"}', "x.json", is_json=True)


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        bomb(30),
        "a: " + "[" * 100_000,
        "a: " + "{b: " * 50_000,
        "\n".join(" " * i + "a:" for i in range(3000)),
        "- " * 20_000,
        "parameters: {x: " + "9" * 1_000_000 + "}",
        "parameters: {x: 1" + "0" * 5000 + "}",
        "parameters: {x: " + "(" * 200_000 + "}",
        "name: \x00",
        "name: \ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
        "? [a, b]\n: c",
        "%YAML 9.9\n---\na: b",
        "",
        "just text",
        "[1, 2]",
        "bodies: 3",
        "bodies: {a: 3}",
        "joints: {a: {type: [1]}}",
        "joints: {a: {type: revolute}}",
        "ground: {shapes: 3}",
        "ground: 3",
        "cut: x",
        "initial: [1]",
        "<<: {a: b}",
        "gravity: 9.81",
        "outputs: {a: [1]}",
    ],
)
def test_hostile_texts_are_refused_quickly(text):
    began = time.monotonic()
    with pytest.raises(da.ModelFileError):
        read_text(text)
    assert time.monotonic() - began < 2.0


def test_files_that_are_no_files(tmp_path):
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(da.ModelFileError, match="cannot be read"):
            da.load(path)
    (tmp_path / "b.yaml").write_bytes(b"name: \xff\xfe")
    with pytest.raises(da.ModelFileError, match="UTF-8"):
        da.load(tmp_path / "b.yaml")
    (tmp_path / "large.yaml").write_bytes(b"#" * 9_000_000)
    with pytest.raises(da.ModelFileError, match="larger"):
        da.load(tmp_path / "large.yaml")
    if Path("/dev/zero").exists():
        with pytest.raises(da.ModelFileError, match="device"):
            da.load("/dev/zero")


PIECES = [
    "[", "]", "{", "}", ":", ",", "-", "#", "&a", "*a", "!x", "'", '"', "\n", "  ", "\t", "0", "-1", "1e308", "1e-308", ".nan", ".inf",
    "null", "true", "type", "revolute", "free", "q.A", "q", "u.B.1", "t", "pi", "sin(", ")", "select(t < 1, 1, 2)", "^", "**", "/0",
    "ground", "a", "[0, 0, 0]", "[[1, 0], 2]", "{axis: [0, 0, 1], angle: 1}", "\x07", "é", "\U0001f600", "|\n", "? ", "---\n",
]  # fmt: skip


def mutated(text: str, rng: random.Random) -> str:
    """A few cuts, copies and insertions, by character, by word and by line."""
    for _ in range(rng.randint(1, 4)):
        i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        if j - i > 40 and rng.random() < 0.8:
            j = i + rng.randint(0, 40)
        words = [m.span() for m in re.finditer(r"[\w.]+", text)]
        action = rng.randrange(5)
        if action == 0:
            text = text[:i] + text[j:]
        elif action == 1:
            text = text[:i] + text[i:j] * rng.randint(2, 3) + text[j:]
        elif action == 2:
            text = text[:i] + rng.choice(PIECES) + text[i:]
        elif words:
            a, b = rng.choice(words)
            c, d = rng.choice(words)
            text = text[:a] + (rng.choice(PIECES) if action == 3 else text[c:d]) + text[b:]
    return text


@settings(max_examples=examples(250))
@given(st.integers(0, 2**48))
def test_mutated_files_raise_nothing_else(seed):
    rng = random.Random(seed)
    source, is_json = rng.choice(SOURCES)
    try:
        system, _ = read_text(mutated(source, rng), is_json=is_json)
        system.build()
    except da.DalembertError as problem:
        assert str(problem)


def sources() -> list[tuple[str, bool]]:
    import json

    from dalembert.files.models.emit import yaml_text
    from dalembert.files.models.write import plain_data

    data = plain_data(everything())
    return [(BASE, False), (FOUR_BAR, False), (yaml_text(data), False), (json.dumps(data, indent=1), True)]


SOURCES = sources()
