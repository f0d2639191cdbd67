"""check_generator.py ROOT CC: new declarations, put into a copy of the headers. A call, a structure and a constant
appear in the module by themselves, and a declaration without a translation is named."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

root, cc = Path(sys.argv[1]), sys.argv[2]
API = "CLSOLVE_API clsolve_status "
CASES = [  # a declaration in tune.h, and what must stand in the module or in the error
    (API + "clsolve_lu_new(clsolve_lu *lu, float *values, int64_t n);", True, "procedure, private :: lu_new_i"),
    (API + "clsolve_new(const clsolve_new_options *o, cl_mem a);", True, "type(c_ptr), value :: a"),
    ("typedef struct clsolve_new_view { double a[CLSOLVE_TUNE_BEST]; } clsolve_new_view;", True, ":: a(5) = 0"),
    ("enum { CLSOLVE_NEW = 3, CLSOLVE_NEWER };", True, "parameter, public :: CLSOLVE_NEWER = 4"),
    (API + "clsolve_new(long double x);", False, "tune.h: cannot read the declaration `long double x`"),
    (API + "clsolve_new(clsolve_matrix A);", False, "clsolve_new's A is of the type clsolve_matrix by value"),
    ("static inline int clsolve_new(int a) { return a; }", False, "the inline function clsolve_new has no counterpart"),
    ("enum { CLSOLVE_LU_SOLVE = 3 };", False, "clsolve_lu_solve and CLSOLVE_LU_SOLVE are one name to Fortran"),
]
OPTIONS = "typedef struct clsolve_new_options { int32_t x; } clsolve_new_options;\ntypedef struct _cl_mem *cl_mem;\n"

failed = 0
with tempfile.TemporaryDirectory() as name:
    copy = Path(name)
    shutil.copytree(root / "include", copy / "include")
    shutil.copytree(root / "src/fortran", copy / "src/fortran")
    header = copy / "include/clsolve/tune.h"
    before, end, after = header.read_text().rpartition("CLSOLVE_END_DECLS")
    for declaration, good, expected in CASES:
        new = OPTIONS + declaration if "_options" in declaration else declaration
        header.write_text(f"{before}{new}\n{end}{after}")
        command = [sys.executable, str(copy / "src/fortran/generate.py"), str(copy / "out.f90"), "--cc", cc]
        ran = subprocess.run(command, capture_output=True, text=True)
        found = (copy / "out.f90").read_text() if good else ran.stderr
        if (ran.returncode == 0) != good or expected not in found:
            failed += 1
            print(f"FAILED: {declaration}\n  exit status {ran.returncode}, without: {expected}\n{ran.stderr}")
print(f"{len(CASES)} declarations, {failed} failed")
sys.exit(1 if failed else 0)
