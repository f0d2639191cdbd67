"""Runs scipy's own tests of solve, lu, inv, det, solve_banded and Cholesky with this package's functions in their place.

    python scipy_suite.py [arguments of pytest]

The tests come from the installed scipy. DIFFERENCES lists the tests that differ and why; docs/python.md explains them.
A test that is listed may fail. Any other failure makes the run fail.
"""

import re
import sys
from pathlib import Path

import pytest

PATCHED = ["solve", "solve_banded", "inv", "det", "lu", "lu_factor", "lu_solve", "cholesky", "cho_factor", "cho_solve"]
CLASSES = {  # by file
    "test_basic.py": ["TestSolve", "TestSolveBanded", "TestInv", "TestDet", "TestOverwrite"],
    "test_decomp_cholesky.py": ["TestCholesky", "TestOverwrite", "TestEmptyArray"],
    "test_decomp_lu.py": ["TestLU", "TestLUFactor", "TestLUSolve"],
    "test_decomp.py": ["TestLUSingle", "TestLU", "TestLUFactor", "TestLUSolve"],  # their place in older versions
}
NOT_OURS = "solve_triangular|solveh_banded|lstsq|pinv|circulant|test_int_overflow"  # the last: of order 47000

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
}
ERRORS = {
    r"unexpected keyword argument 'sym_pos'": "older scipy: the deprecated argument sym_pos is not there",
    r"DID NOT RAISE.*NotImplementedError": "solve with transposed=True takes complex matrices too",
    r"TypeError: array type (float|complex)(128|256)": "long double is refused",
}


def patch():
    import scipy.linalg

    import clsolve

    for name in PATCHED:
        setattr(scipy.linalg, name, getattr(clsolve, name))


class Suite:
    """The plugin: chooses the tests and marks those that differ."""

    def __init__(self):
        self.seen, self.differ = 0, {}

    def pytest_collection_modifyitems(self, items):
        chosen = []
        for item in items:
            wanted = CLASSES.get(Path(str(item.fspath)).name, [])
            if item.cls is None or item.cls.__name__ not in wanted or re.search(NOT_OURS, item.name):
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
        terminalreporter.write_line(f"{self.seen} tests of scipy")


def main():
    import scipy.linalg

    folder = Path(scipy.linalg.__file__).parent / "tests"
    if not folder.is_dir():
        print("this scipy was installed without its tests")
        return 77
    patch()
    files = [str(folder / name) for name in CLASSES if (folder / name).exists()]
    return pytest.main(
        ["-q", "-p", "no:cacheprovider", "--tb=line", "--rootdir", str(folder), *sys.argv[1:], *files],
        plugins=[Suite()],
    )


if __name__ == "__main__":
    sys.exit(main())
