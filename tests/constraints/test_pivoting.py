"""Column pivoting, beside SciPy's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.linalg import qr

import dalembert as da
from dalembert.pivoting import choose, least_squares, pivoted
from tests.effort import examples
from tests.mechanisms import seeds


@settings(max_examples=examples(50))
@given(seeds)
def test_pivoted_columns_are_those_of_lapack(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 9, 2)
    A = rng.normal(size=(m, n))
    if rng.random() < 0.5 and n > 1:
        A[:, rng.integers(n)] = A[:, rng.integers(n)] * 0.5
    R, order = pivoted(A)
    wanted, theirs = qr(A, mode="r", pivoting=True)
    rank = int((np.abs(np.diag(wanted)) > 1e-9).sum())
    assert order[:rank].tolist() == theirs[:rank].tolist()
    assert np.allclose(np.abs(np.diag(R)), np.abs(np.diag(wanted[: min(m, n)])), atol=1e-12)
    assert np.allclose(R.T @ R, A[:, order].T @ A[:, order], atol=1e-12)
    assert not np.tril(R, -1).any()


@settings(max_examples=examples(50))
@given(seeds)
def test_rounding_does_not_choose_among_columns_that_are_as_good(seed):
    """Columns of one length, some of them turned into each other: whatever the last digits are, the first of equals is taken."""
    rng = np.random.default_rng(seed)
    m, n = rng.integers(2, 7, 2)
    A = np.linalg.qr(rng.normal(size=(m, m)))[0][:, rng.integers(m, size=n)]
    noisy = A * (1.0 + 1e-15 * rng.integers(-3, 4, A.shape))
    assert pivoted(noisy)[1][: np.linalg.matrix_rank(A)].tolist() == pivoted(A)[1][: np.linalg.matrix_rank(A)].tolist()
    signs = rng.choice([-1.0, 1.0], (m, n))
    assert choose(signs * (1.0 + 1e-15 * rng.integers(-3, 4, (m, n)))) == choose(signs)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_least_squares_of_what_is_no_number_are_refused_in_words(bad):
    """LAPACK may stand still on it."""
    A = np.eye(3)
    A[1, 2] = bad
    for matrix, right in ((A, np.ones(3)), (np.eye(3), A[1])):
        with pytest.raises(da.StateError, match="far too large or too small"):
            least_squares(matrix, right, None)


def test_least_squares_are_asked_for_in_one_place():
    source = Path(da.__file__).parent
    asked = {p.name for p in source.rglob("*.py") if "linalg.lstsq" in p.read_text(encoding="utf-8")}
    assert asked == {"pivoting.py"}
