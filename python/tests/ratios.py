"""LAPACK's residuals. A ratio below 30 is accepted; `accept` is written so that NaN fails."""

import numpy as np
import pytest

import clsolve

BOUND = 30


def solve_ratio(a, x, b):
    """||b - a x||_1 / (||a||_1 ||x||_1 n eps), in double."""
    eps = np.finfo(x.dtype).eps
    a, x, b = (np.asarray(m, dtype=complex if np.iscomplexobj(m) else float) for m in (a, x, b))
    if x.size == 0:
        return 0.0
    x, b = x.reshape(len(a), -1), b.reshape(len(a), -1)
    return norm1(b - a @ x) / max(norm1(a) * norm1(x) * len(a) * eps, np.finfo(np.float64).tiny)


def norm1(m):
    return np.abs(m).sum(axis=0).max()


def on_the_device(factors, *arguments, **options):
    """`factors` with where="device"; the test is skipped where the device has no kernels of sparse systems."""
    try:
        return factors(*arguments, where="device", **options)
    except clsolve.UnsupportedError as error:
        pytest.skip(str(error))


def accept(ratio):
    assert ratio < BOUND, ratio
