"""The array API's names."""

import numpy as np
import pytest

from clsolve.array_api import linalg, namespace
from ratios import accept, solve_ratio


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_functions(rng, dtype):
    a = (rng.uniform(-1, 1, (2, 6, 6)) + 4 * np.eye(6)).astype(dtype)
    if a.dtype.kind == "c":
        a += (1j * rng.uniform(-1, 1, a.shape)).astype(dtype)
    x = namespace.linalg.solve(a, np.ones((2, 6, 1), dtype))
    for member in range(2):
        accept(solve_ratio(a[member], x[member], np.ones((6, 1))))
    tolerance = 1e3 * np.finfo(dtype).eps
    np.testing.assert_allclose(linalg.inv(a), np.linalg.inv(a), rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(linalg.det(a), np.linalg.det(a), rtol=tolerance)
    sign, logarithm = linalg.slogdet(a)
    np.testing.assert_allclose(sign * np.exp(logarithm), np.linalg.det(a), rtol=tolerance)
    assert x.dtype == linalg.inv(a).dtype == linalg.det(a).dtype == sign.dtype == dtype
    assert logarithm.dtype == np.finfo(dtype).dtype


def test_types_are_not_promoted():
    with pytest.raises(TypeError):
        linalg.solve(np.eye(2, dtype=int), np.ones(2))


def test_the_rest_is_numpys():
    assert namespace.sum is np.sum and linalg.svd is np.linalg.svd
    assert "solve" in dir(linalg) and linalg.solve is not np.linalg.solve
