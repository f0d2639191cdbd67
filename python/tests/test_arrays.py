"""Dense calls with arrays of every kind: subclasses, containers, memory that is read-only or not aligned."""

import numpy as np
import pytest

import clsolve
from ratios import accept, solve_ratio


class Container:
    """An array of another package that numpy can read, as pandas' frames."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)


def system(rng, n=7):
    return rng.uniform(-1, 1, (n, n)) + 2 * n * np.eye(n), rng.uniform(-1, 1, n)


@pytest.mark.parametrize(
    "kind", [Container, lambda x: x.tolist(), lambda x: x.astype(">f8"), lambda x: x.view(np.memmap)]
)
def test_containers(rng, kind):
    a, b = system(rng)
    for x in (clsolve.solve(kind(a), kind(b)), clsolve.lu_factor(kind(a)).solve(kind(b)), clsolve.inv(kind(a)) @ b):
        assert type(x) is np.ndarray and x.dtype == np.float64 and x.dtype.isnative
        accept(solve_ratio(a, x, b) / 10)


def test_matrix_class(rng):
    """The answer is a plain array: the product of np.matrix would change what follows."""
    a, b = system(rng)
    x = clsolve.solve(a.view(np.matrix), b)
    assert type(x) is np.ndarray and x.shape == b.shape
    accept(solve_ratio(a, x, b))


def test_masked_arrays_are_refused(rng):
    a, b = system(rng)
    masked = np.ma.array(b, mask=b > 2)
    for call in (
        lambda: clsolve.solve(np.ma.array(a), b),
        lambda: clsolve.solve(a, masked),
        lambda: clsolve.inv(np.ma.array(a)),
        lambda: clsolve.det(np.ma.array(a)),
        lambda: clsolve.lu_factor(a).solve(masked),
        lambda: clsolve.solve_banded((0, 0), np.ma.array(a[:1]), b),
        lambda: clsolve.solve_tridiagonal(b[1:], masked, b[1:], b),
        lambda: clsolve.Grid(-1, -1, np.ma.array(a), -1, -1),
    ):
        with pytest.raises(ValueError, match="masked"):
            call()


def test_read_only_and_unaligned_memory(rng):
    a, b = system(rng)
    bytes_of_a = np.zeros(a.nbytes + 1, np.uint8)
    unaligned = bytes_of_a[1:].view(np.float64).reshape(a.shape)
    unaligned[:] = a
    fixed_a, fixed_b = a.copy(), b.copy()
    fixed_a.flags.writeable = fixed_b.flags.writeable = False
    for matrix in (unaligned, fixed_a):
        accept(solve_ratio(a, clsolve.solve(matrix, fixed_b, overwrite_a=True, overwrite_b=True), b))
        accept(solve_ratio(a, clsolve.lu_factor(matrix).solve(fixed_b, overwrite_b=True), b))
        np.testing.assert_allclose(clsolve.inv(matrix, overwrite_a=True) @ a, np.eye(7), atol=1e-12)
    x = clsolve.solve_tridiagonal(fixed_b[1:] / 9, 2 + fixed_b / 9, fixed_b[1:] / 9, fixed_b, overwrite_b=True)
    assert not np.shares_memory(x, fixed_b)
    np.testing.assert_array_equal(fixed_b, b)
    np.testing.assert_array_equal(unaligned, a)


def test_b_in_the_memory_of_a(rng):
    a, _ = system(rng)
    held = a.copy()
    accept(solve_ratio(a, clsolve.solve(held, held[:, 2]), a[:, 2]))
    np.testing.assert_array_equal(held, a)


def test_structures_read_their_part(rng):
    a, b = system(rng)
    for structure, width in (("diagonal", 0), ("tridiagonal", 1)):
        part = np.triu(np.tril(a, width), -width)
        accept(solve_ratio(part, clsolve.solve(a, b, assume_a=structure), b))
    both = np.stack([a, a])
    x = clsolve.solve(both, np.stack([b, b])[..., None], assume_a="diagonal")[1, :, 0]
    np.testing.assert_allclose(x, b / np.diag(a), rtol=1e-14)


def test_numbers_as_scipy():
    x = clsolve.solve(2.0, 4.0)
    assert x.shape == (1,) and x[0] == 2
    assert clsolve.solve([[2.0]], [[4.0, 6.0]]).tolist() == [[2, 3]]


LAYOUTS = {
    "rows": lambda a: a,
    "columns": lambda a: np.ascontiguousarray(a.transpose(0, 2, 1)).transpose(0, 2, 1),
    "last axis first": np.asfortranarray,
    "every second": lambda a: np.repeat(a, 2, axis=0)[::2],
    "from the end": lambda a: a[::-1].copy()[::-1],
    "inner part": lambda a: np.pad(a, ((0, 0), (1, 2), (3, 0)))[:, 1:-2, 3:],
    "one for all": lambda a: np.broadcast_to(a[:1], a.shape),
    "float32": lambda a: a.astype(np.float32),
    "integers": lambda a: np.rint(9 * a).astype(int),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n", [1, 3, 20, 70])
def test_layouts_of_batches(rng, n, layout):
    a = LAYOUTS[layout](rng.uniform(-1, 1, (4, n, n)) + 2 * n * np.eye(n))
    before = a.copy()
    b = rng.uniform(-1, 1, (4, n, 2))
    for sides in (b, b[:1], np.asfortranarray(b), b[..., 0][..., None]):
        for transposed in (False, True):
            x = clsolve.solve(a, sides, transposed=transposed)
            for k in range(4):
                op = a[k].T if transposed else a[k]
                accept(solve_ratio(op, x[k], sides[k % len(sides)]))
    grid = clsolve.solve(a[:, None], b[None, :2])
    assert grid.shape == (4, 2, n, 2)
    accept(solve_ratio(a[3], grid[3, 1], b[1]))
    inverse = clsolve.inv(a)
    for k in range(4):
        np.testing.assert_allclose(inverse[k] @ a[k], np.eye(n), atol=1e4 * n * np.finfo(inverse.dtype).eps)
    np.testing.assert_array_equal(a, before)
