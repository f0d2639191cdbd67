"""Runs scipy's own tests with this package's functions in their place: solve, lu, inv, det, solve_banded and Cholesky;
spsolve, splu and factorized.

    python scipy_suite.py [--sparse METHOD | --numpy] [arguments of pytest]

With --sparse the tests of sparse matrices run alone, with this method. With --numpy those of numpy.linalg run in their
place: solve, inv, det and slogdet, most of them of stacks. The tests come from the
installed scipy and numpy. DIFFERENCES lists the tests that differ and why; docs/python.md explains them.
A test that is listed may fail. Any other failure makes the run fail.
"""

import functools
import re
import sys
from pathlib import Path

import pytest

PATCHED = ["solve", "solve_banded", "inv", "det", "lu", "lu_factor", "lu_solve", "cholesky", "cho_factor", "cho_solve"]
SPARSE = ["spsolve", "splu", "factorized"]
CLASSES = {  # by file
    "test_basic.py": ["TestSolve", "TestSolveBanded", "TestInv", "TestDet", "TestOverwrite"],
    "test_decomp_cholesky.py": ["TestCholesky", "TestOverwrite", "TestEmptyArray"],
    "test_decomp_lu.py": ["TestLU", "TestLUFactor", "TestLUSolve"],
    "test_batch.py": ["TestBatch"],
    "test_decomp.py": ["TestLUSingle", "TestLU", "TestLUFactor", "TestLUSolve"],  # their place in older versions
}
BATCHES = r"test_(matmat\[\w+-inv\]|schur_lu\[\w+-lu_factor|solve\[|lu_solve\[|cho_solve\[)"  # of TestBatch
SPARSE_CLASSES = {"test_linsolve.py": ["TestFactorized", "TestLinsolve", "TestSplu"]}
NUMPY_CLASSES = {"test_linalg.py": ["TestSolve", "TestInv", "TestDet"]}
NOT_OURS = (  # test_int_overflow has a matrix of order 47000
    "spilu|gssv_badinput|superlu_dlamch|solve_triangular|solveh_banded|lstsq|pinv|circulant|test_int_overflow"
)

# pattern of the test's name (or of its error): reason
DIFFERENCES = {
    r"TestSolve.test_overwrite_args": "with overwrite_b, b in C order is overwritten too; a never is",
    r"TestInv.test_(overwrite_a|batch_zero_stride)": "with overwrite_a, a in C order is overwritten too",
    r"TestDet.test_overwrite_a": "det never overwrites a",
    r"test_exactly_singular_gh22263.positive definite": "the error says not positive definite, not singular",
    r"posdef_not_posdef": "batches with assume_a='pos' are solved as general matrices, without an error of Cholesky's",
    r"TestInv.test_wrong_assume_a": "an unknown assume_a is a ValueError, as in scipy's solve, not a KeyError",
    r"TestLU\w*.test_([hv]rectangular|medium1)(_complex)?$": "factors are compared by 1e-7 of rounding or by bits",
    r"TestLU.test_empty_edge_cases": "P of an empty matrix of 3 rows is 3 x 3, not 0 x 0",
    r"TestSolve.test_multiple_rhs": "older scipy: b of more than two axes is a batch here, as in numpy",
    r"TestSolve.test_tridiagonal": "batches of solve have no warning for ill-conditioned members",
    r"TestDet.test_incompatible_dtype_input": "the TypeError of other types has another text",
    r"TestFactorized.test_(singular|cannot_factorize_nonsquare|call_with_incorrectly_sized)": "errors have other texts",
    r"(test_call_with_cast_to_complex|TestSplu.test_bad_inputs)": "a real matrix takes complex right-hand sides",
    r"Test(Linsolve.test_singular|Splu.test_singular_matrix)$": "spsolve raises LinAlgError; scipy returns NaN",
    r"TestLinsolve.test_(non_square|ndarray_support)": "a dense A raises TypeError",
    r"TestSplu.test_lu_attr": "L and U stay in the library",
    r"TestSplu.test_natural_permc": "perm_c of the natural order is a postorder of the tree, with the same factors",
    r"Test(Solve|Inv).test_0_size": "numpy: answers are plain arrays, not of a subclass",
    r"TestDet.test_generalized_sq_cases": "numpy: determinants of singular matrices are compared by 1e-6 of rounding",
    r"TestSplu.test_lu_refcount": "perm_r and perm_c are copies, which do not hold the solver",
}
ERRORS = {
    r"unexpected keyword argument 'sym_pos'": "older scipy: the deprecated argument sym_pos is not there",
    r"DID NOT RAISE.*NotImplementedError": "solve with transposed=True takes complex matrices too",
    r"AttributeError: perm_[rc] is not known": "perm_r and perm_c are those of sparse LU; AUTO takes dense LU here",
    r"TypeError: array type (float|complex)(128|256)": "long double is refused",
}


def patch(method):
    import scipy.linalg
    from scipy.sparse.linalg import _dsolve

    import clsolve

    for name in PATCHED if method is None else []:
        setattr(scipy.linalg, name, getattr(clsolve, name))
    for name in SPARSE:
        function = getattr(clsolve, name)
        setattr(_dsolve, name, function if method is None else functools.partial(function, method=method))


def patch_numpy():
    import numpy as np

    import clsolve

    def det(a):
        """In numpy's type; this package's is scipy's."""
        value = clsolve.det(a)
        narrow = np.asarray(a).dtype.char in "fF"
        return value.astype(np.complex64 if np.iscomplexobj(value) else np.float32) if narrow else value

    for function in (clsolve.solve, clsolve.inv, clsolve.slogdet, det):
        setattr(np.linalg, function.__name__, function)
    from numpy.linalg.tests import test_linalg

    if int(np.__version__.partition(".")[0]) < 2:
        reason = "older numpy: b (..., n) is a matrix here, as in numpy 2"
        DIFFERENCES[r"TestSolve.test_generalized_(empty_)?sq_cases"] = reason
    test_linalg.consistent_subclass = lambda out, given: True  # answers are plain arrays
    return test_linalg.__file__


class Suite:
    """The plugin: chooses the tests and marks those that differ."""

    def __init__(self):
        self.seen, self.differ = 0, {}

    def pytest_collection_modifyitems(self, items):
        chosen = []
        for item in items:
            wanted = {**CLASSES, **SPARSE_CLASSES, **NUMPY_CLASSES}.get(Path(str(item.fspath)).name, [])
            if item.cls is None or item.cls.__name__ not in wanted or re.search(NOT_OURS, item.name):
                continue
            if item.cls.__name__ == "TestBatch" and not re.match(BATCHES, item.name):
                continue
            chosen.append(item)
        items[:] = chosen

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        if call.when != "call":
            return
        self.seen += 1
        if not report.failed:
            return
        text = f"{call.excinfo.typename}: {call.excinfo.value}"
        place = f"{item.cls.__name__}.{item.name}"
        for table, subject in ((DIFFERENCES, place), (ERRORS, text)):
            for pattern, reason in table.items():
                if re.search(pattern, subject):
                    report.outcome = "skipped"
                    report.wasxfail = reason
                    self.differ.setdefault(reason, []).append(place)
                    return

    def pytest_terminal_summary(self, terminalreporter):
        for reason, places in self.differ.items():
            terminalreporter.write_line(f"differs, {len(places)}: {reason}")
            for place in sorted({re.sub(r"\[.*", "", place) for place in places}):
                terminalreporter.write_line(f"    {place}")
        terminalreporter.write_line(f"{self.seen} tests of scipy or numpy")


def main():
    import scipy.linalg
    import scipy.sparse.linalg

    arguments = sys.argv[1:]
    if arguments[:1] == ["--numpy"]:
        options = ["-q", "-p", "no:cacheprovider", "--tb=line", *arguments[1:]]
        return pytest.main([*options, patch_numpy()], plugins=[Suite()])
    method = arguments[1] if arguments[:1] == ["--sparse"] else None
    dense = Path(scipy.linalg.__file__).parent / "tests"
    sparse = Path(scipy.sparse.linalg.__file__).parent / "_dsolve" / "tests"
    if not dense.is_dir() or not sparse.is_dir():
        print("this scipy was installed without its tests")
        return 77
    patch(method)
    files = [dense / name for name in CLASSES if method is None] + [sparse / name for name in SPARSE_CLASSES]
    return pytest.main(
        ["-q", "-p", "no:cacheprovider", "--tb=line", "--rootdir", str(dense.parents[1])]
        + (arguments if method is None else arguments[2:])
        + [str(file) for file in files if file.exists()],
        plugins=[Suite()],
    )


if __name__ == "__main__":
    sys.exit(main())
