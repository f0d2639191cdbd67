"""run_fortran.py ROOT BUILD GFORTRAN: the blocks of Fortran compile. A whole program is linked with the library and run,
and must end well. A fragment stands in a program over the declarations below, behind declarations of its own."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from blocks import blocks

root, build, gfortran = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
DECLARATIONS = """use clsolve
implicit none
integer, parameter :: n = 3
real(8), target :: a(n, n) = 1, b(n) = 1, c(n, 2) = 1, x(n), large(20, 20) = 1
integer :: status = 0
"""
flags = ["-std=f2018", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable", "-I", str(build / "src/fortran/modules")]
failed = programs = fragments = 0
with tempfile.TemporaryDirectory() as folder:
    for block in blocks(root, "fortran"):
        source, program = Path(folder) / "block.f90", Path(folder) / "block"
        whole = re.match(r"program ", block.text)
        source.write_text((block.text if whole else f"program block\n{DECLARATIONS}{block.text}\nend program") + "\n")
        libraries = [f"-L{build}", f"-Wl,-rpath,{build}", "-lclsolve_fortran", "-lclsolve"]
        command = [gfortran, *flags, "-J", folder, str(source), "-o", str(program), *libraries]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if ran.returncode == 0 and whole:
            ran = subprocess.run([str(program)], capture_output=True, text=True, timeout=120)
        programs, fragments = programs + bool(whole), fragments + (not whole)
        if ran.returncode != 0:
            failed += 1
            print(f"FAILED: {block}\n{ran.stdout}{ran.stderr}")
print(f"{programs} programs ran, {fragments} fragments compiled, {failed} failed")
sys.exit(1 if failed or not fragments else 0)
