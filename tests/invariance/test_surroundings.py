"""The same answers in another process, from a cold and a warm cache, after other models, pickled, copied, threaded, forked."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import threading
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from dalembert.trace.native import executable
from tests.invariance.answers import Answers, compiled, differences, reference
from tests.invariance.cases import drawn
from tests.invariance.cases_with_elements import EQUIPPED
from tests.invariance.cases_with_laws import CHOSEN, LAWFUL

CASES = [("URDF", 0), ("parameters", 0), ("chosen speeds with laws", 0)]
if os.environ.get("DALEMBERT_INVARIANCE"):
    MANY = int(os.environ["DALEMBERT_INVARIANCE"])
    CASES += [("planar ring", 2), *((kind, 1 + k) for k in range(MANY) for kind in (*LAWFUL, *CHOSEN, *EQUIPPED))]
NAMES = [f"{kind} {seed}" for kind, seed in CASES]
COPIES = {"copied": copy.copy, "deeply": copy.deepcopy, "pickled": lambda m: pickle.loads(pickle.dumps(m))}

WORKER = """
import pickle, sys
from tests.invariance.answers import compiled, reference
from tests.invariance.cases import drawn
pickle.dump([reference(drawn(kind, seed), compiled) for kind, seed in eval(sys.argv[1])], sys.stdout.buffer)
"""


def in_another_process(cases: list[tuple[str, int]], **environment: str) -> list[Answers]:
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(root), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    done = subprocess.run(
        [sys.executable, "-c", WORKER, repr(cases)],
        env=os.environ | {"PYTHONPATH": paths} | environment,
        capture_output=True,
        cwd=root,
    )
    assert done.returncode == 0, done.stderr.decode()
    found: list[Answers] = pickle.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def expected() -> dict[str, Answers]:
    return {f"{kind} {seed}": reference(drawn(kind, seed), compiled) for kind, seed in CASES}


def check(expected: dict[str, Answers], found: list[Answers]) -> None:
    off = {name: differences(expected[name], x) for name, x in zip(NAMES, found)}
    assert not any(off.values()), off


def test_another_process_with_a_cold_and_a_warm_cache(expected, tmp_path):
    """There the models come in another order than here, so that other models were used before each."""
    cold = in_another_process(CASES[::-1], DALEMBERT_CACHE_DIR=str(tmp_path))
    assert any(tmp_path.iterdir())
    warm = in_another_process(CASES[::-1], DALEMBERT_CACHE_DIR=str(tmp_path))
    check(expected, cold[::-1])
    for a, b in zip(cold, warm, strict=True):
        assert all(np.array_equal(a.values[name], b.values[name]) for name in a.values)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", COPIES.values(), ids=COPIES)
def test_copies(expected, name, way):
    kind, seed = CASES[NAMES.index(name)]
    case = drawn(kind, seed)
    try:
        other = way(case.mechanism)
    except (AttributeError, pickle.PicklingError):
        pytest.skip("its forces are functions without a name, which cannot be pickled")
    twin = replace(case)
    twin.__dict__["mechanism"] = other
    found = reference(twin, compiled)
    assert not differences(expected[name], found)


def test_threads(expected):
    """Several at once, each with a mechanism of its own and one that they share."""
    shared = drawn(*CASES[0])
    found: list[list[Answers]] = []

    def work() -> None:
        found.append([reference(shared, compiled), *(reference(drawn(*c), compiled) for c in CASES[1:])])

    threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
    for x in threads:
        x.start()
    for x in threads:
        x.join(timeout=300)
    assert len(found) == 3, "threads failed, or wait for each other"
    for answers in found:
        check(expected, answers)


def _forked(queue) -> None:
    queue.put([reference(drawn(*c), compiled) for c in CASES])


def test_forked_after_use(expected):
    context = get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_forked, args=(queue,))
    child.start()
    found = queue.get(timeout=120)
    child.join()
    assert child.exitcode == 0
    check(expected, found)


@pytest.mark.parametrize(
    "target", [pytest.param(t.name, marks=[pytest.mark.slow] if t.lanes > 2 else []) for t in executable()[1:]]
)
def test_another_target(expected, target):
    """Other vector lengths and instructions round otherwise; verdicts must not notice, and values only by rounding."""
    check(expected, in_another_process(CASES, DALEMBERT_TARGET=target, DALEMBERT_CACHE_DIR="off"))
