"""Built-in functions of arrays around machine code: they take what is plainly right, and leave all else to others."""

import sys

import numpy as np
import pytest

from dalembert.trace.native import Module, UniformPointer, aligned
from dalembert.trace.native.array_call import array_call

SIZES, SHAPE = (3, 2, 3), (2, 2)


@pytest.fixture(scope="module")
def call():
    """(t, a, b, c) → [[t + a·c, b₀], [b₁, status asked for by a₀ < 0]]."""
    module = Module()
    with module.function("run", status=True, memory=UniformPointer) as f:
        m = f.memory
        v = f.variables(off=0)
        m[9] = m[0] + m[1] * m[6] + m[2] * m[7] + m[3] * m[8]
        m[10], m[11], m[12] = m[4], m[5], m[1]
        with f.if_((m[1] < 0.0).any()):
            v.off = 1
        f.return_(v.off)
    library = module.compile()
    memory = aligned(13)
    made = array_call(library["run"].address, memory, SIZES, 9, SHAPE, library.target)
    if made is None:
        pytest.skip("there is none in this Python")
    alive = (library, memory)
    return lambda *given: made(*given) if alive else None


def arguments():
    return [0.5, np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0]), np.array([6.0, 7.0, 8.0])]


def test_values_and_shape(call):
    found = call(*arguments())
    assert type(found) is np.ndarray and found.dtype == float and found.shape == SHAPE
    assert found.flags.c_contiguous and found.flags.writeable and found.flags.owndata
    np.testing.assert_array_equal(found, [[44.5, 4.0], [5.0, 1.0]])


def test_results_are_arrays_of_their_own(call):
    first = call(*arguments())
    kept = first.copy()
    call(1.0, *arguments()[1:])
    np.testing.assert_array_equal(first, kept)


def test_none_stands_for_zeros_but_in_the_first_place(call):
    t, a, b, c = arguments()
    np.testing.assert_array_equal(call(t, a, None, None), [[0.5, 0.0], [0.0, 1.0]])
    assert call(t, None, b, c) is None


class Other(np.ndarray):
    pass


UNUSUAL = [
    lambda t, a, b, c: (t, a, b),
    lambda t, a, b, c: (t, a, b, c, c),
    lambda t, a, b, c: (),
    lambda t, a, b, c: (1, a, b, c),
    lambda t, a, b, c: (np.float64(t), a, b, c),
    lambda t, a, b, c: (None, a, b, c),
    lambda t, a, b, c: (t, list(a), b, c),
    lambda t, a, b, c: (t, a[:2], b, c),
    lambda t, a, b, c: (t, a, a, c),
    lambda t, a, b, c: (t, a[None], b, c),
    lambda t, a, b, c: (t, np.array(1.0), b, c),
    lambda t, a, b, c: (t, a.astype(np.float32), b, c),
    lambda t, a, b, c: (t, a.astype(int), b, c),
    lambda t, a, b, c: (t, a.astype(">f8"), b, c),
    lambda t, a, b, c: (t, a.view(Other), b, c),
    lambda t, a, b, c: (t, np.repeat(a, 2)[::2], b, c),
    lambda t, a, b, c: (t, a[::-1], b, c),
    lambda t, a, b, c: (t, "abc", b, c),
    lambda t, a, b, c: (t, -a, b, c),
]


@pytest.mark.parametrize("change", UNUSUAL)
def test_what_is_unusual_is_left_to_others(call, change):
    assert call(*change(*arguments())) is None
    assert call(*arguments()) is not None


def test_arrays_that_begin_anywhere_or_cannot_be_written_are_taken(call):
    t, a, b, c = arguments()
    block = np.zeros(33, dtype=np.uint8)[1:25].view(float)
    block[:] = a
    a.flags.writeable = False
    for same in (a, block, np.repeat(a, 2).reshape(3, 2)[:, 0].copy()):
        np.testing.assert_array_equal(call(t, same, b, c), [[44.5, 4.0], [5.0, 1.0]])


def test_nothing_is_kept_of_arguments_and_results(call):
    t, a, b, c = arguments()
    before = [sys.getrefcount(x) for x in (a, b, c, np.ndarray)]
    results = [call(t, a, b, c) for _ in range(1000)]
    assert sys.getrefcount(results[0]) == sys.getrefcount(np.zeros(3)) + 1
    del results
    for _ in range(1000):
        call(t, -a, b, c), call(t, a, None, None)
    after = [sys.getrefcount(x) for x in (a, b, c, np.ndarray)]
    assert max(abs(x - y) for x, y in zip(before, after)) <= 2
