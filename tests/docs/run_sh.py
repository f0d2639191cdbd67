"""run_sh.py ROOT BUILD COMPILER: the blocks of sh run, page by page, in a folder of their own, but for the lines that
blocks.py lists. The folder has what the text speaks of: a system in files, programs, the build, and an installed
libclsolve ($PREFIX)."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from blocks import OPTIONAL_COMMANDS, REPLACED, blocks, lines_of

root, build, compiler = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]

SCRIPT = """import numpy as np
a = np.random.rand(200, 200) + 200 * np.eye(200)
b = np.ones(200)
assert np.abs(a @ np.linalg.solve(a, b) - b).max() < 1e-8
"""
PROGRAM = """#include <lapacke.h>
int main(void) {
    double a[] = {2, 1, 1, 3}, b[] = {3, 5};
    lapack_int ipiv[2];
    return (int)LAPACKE_dgesv(LAPACK_COL_MAJOR, 2, 1, a, 2, ipiv, b, 2);
}
"""
PROGRAM_F90 = """program solve
  double precision :: a(2, 2) = reshape([2d0, 1d0, 1d0, 3d0], [2, 2]), b(2) = [3d0, 5d0]
  integer :: ipiv(2), info
  call dgesv(2, 1, a, 2, ipiv, b, 2, info)
  if (info /= 0) stop 1
end program
"""


def prepare(folder):
    for name in ("CMakeLists.txt", "scripts", "examples", "python", "docs"):
        (folder / name).symlink_to(root / name)
    (folder / "build").symlink_to(build)
    (folder / "fortran").symlink_to(root / "examples/fortran")
    for name in root.glob("examples/*.[ch]"):
        shutil.copy(name, folder)
    (folder / "script.py").write_text(SCRIPT)
    (folder / "solve.c").write_text(PROGRAM)
    (folder / "solve.f90").write_text(PROGRAM_F90)
    tools = folder / "bin"
    tools.mkdir()
    for name in ("cc", "gcc"):
        (tools / name).symlink_to(shutil.which(compiler))
    python = tools / "python3"  # no link: a Python of an environment finds its packages by its own path
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)


def runs(block, line):
    reason = block.reason(line)
    missing = [word for word in OPTIONAL_COMMANDS if re.search(rf"\b{word}\b", line) and not shutil.which(word)]
    if reason or missing:
        print(f"{block}: not run: {line.split('#')[0].strip()}: {reason or 'no ' + missing[0] + ' here'}")
    return not reason and not missing


failed = ran = 0
with tempfile.TemporaryDirectory() as name:
    work = Path(name)
    prefix = work / "prefix"
    subprocess.run(["cmake", "--install", str(build), "--prefix", str(prefix)], check=True, stdout=subprocess.DEVNULL)
    libraries = next(prefix.glob("lib*/**/libclsolve.so")).parent
    environment = {
        **os.environ,
        "HOME": name,
        "XDG_CACHE_HOME": f"{name}/cache",
        "PREFIX": str(prefix),
        "PKG_CONFIG_PATH": str(libraries / "pkgconfig"),
        "LD_LIBRARY_PATH": str(libraries),
    }
    folders = {}
    for block in blocks(root, "sh"):
        lines = [line for line in lines_of(block.text) if runs(block, line)]
        for page, old, new in REPLACED:
            if page == block.page:
                lines = [line.replace(old, new) for line in lines]
        if not lines:
            continue
        folder = folders.get(block.page)
        if folder is None:
            folder = folders[block.page] = work / str(len(folders))
            folder.mkdir()
            prepare(folder)
            environment["PATH"] = f"{folder}/bin:{build}:{os.environ['PATH']}"
            subprocess.run(
                ["clsolve", "generate", "random", "--n", "20", "-o", "A.mtx", "--rhs", "b.mtx"],
                cwd=folder,
                env=environment,
                check=True,
                stdout=subprocess.DEVNULL,
            )
        environment["PATH"] = f"{folder}/bin:{build}:{os.environ['PATH']}"
        for line in lines:
            done = subprocess.run(
                ["bash", "-ec", line],
                cwd=folder,
                env=environment,
                text=True,
                timeout=300,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            ran += 1
            if done.returncode != 0:
                failed += 1
                print(f"FAILED: {block}: {line}: exit status {done.returncode}\n{done.stdout}")
print(f"{ran} commands ran, {failed} failed")
sys.exit(1 if failed or not ran else 0)
