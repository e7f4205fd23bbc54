"""Column pivoting, beside SciPy's."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from scipy.linalg import qr

from dalembert.pivoting import choose, pivoted
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
