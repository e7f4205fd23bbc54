"""Linear algebra of small mechanisms runs on one thread, and leaves the number of threads as it was."""

import threading

import pytest

import dalembert as da
from dalembert import blas
from tests.mechanisms import planar_pendulum


@pytest.fixture
def several(monkeypatch):
    """Two libraries, on 3 and 5 threads."""
    counts = [3, 5]
    made = tuple(
        blas._Threads(lambda k=k: counts[k], lambda n, k=k: counts.__setitem__(k, n)) for k in range(len(counts))
    )
    monkeypatch.setattr(blas, "_libraries", lambda: made)
    return counts


def test_one_thread_inside_and_as_many_as_before_afterwards(several):
    with blas.one_thread():
        assert several == [1, 1]
        with blas.one_thread():
            assert several == [1, 1]
        assert several == [1, 1]
    assert several == [3, 5]
    with pytest.raises(ZeroDivisionError), blas.one_thread():
        _ = 1 / 0
    assert several == [3, 5]


def test_calls_in_several_threads_do_not_disturb_each_other(several):
    entered, leave = threading.Event(), threading.Event()

    def other():
        with blas.one_thread():
            entered.set()
            leave.wait(10.0)

    thread = threading.Thread(target=other)
    with blas.one_thread():
        thread.start()
        assert entered.wait(10.0)
    assert several == [1, 1]  # the other is still at it
    leave.set()
    thread.join()
    assert several == [3, 5]


def test_calls_on_a_mechanism_use_it(several, monkeypatch):
    seen = []
    real = blas.one_thread
    monkeypatch.setattr(blas, "one_thread", lambda: seen.append(1) or real())
    m = planar_pendulum(2).build()
    m.simulate(0.01)
    m.diagnose()
    assert len(seen) >= 2 and several == [3, 5]
    monkeypatch.setattr(blas, "LARGE", 1)
    before = len(seen)
    m.diagnose()
    assert len(seen) == before


def test_what_is_found_here_can_be_set():
    for library in blas._libraries():
        count = library.get()
        with blas.one_thread():
            assert library.get() == 1
        assert library.get() == count


def test_names_and_help_stay():
    assert da.Mechanism.simulate.__name__ == "simulate" and "duration" in da.Mechanism.simulate.__doc__
