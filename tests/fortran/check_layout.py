"""check_layout.py ROOT MODULE MODULES CC GFORTRAN: the structures and constants of MODULE, clsolve.f90, as gfortran lays
them out, are those of the headers, as the C compiler does: sizes, offsets, values. MODULES has clsolve.mod."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

root, module, modules, cc, gfortran = Path(sys.argv[1]), *sys.argv[2:]
text = Path(module).read_text()
structures = {}
for name, body in re.findall(r"type, bind\(C\), public :: (\w+)[^\n]*\n(.*?)end type", text, re.S):
    structures[name] = re.findall(r" :: (\w+)", body)
constants = re.findall(r"parameter, public :: (CLSOLVE_\w+) =", text)

c = ["#include <clsolve/clsolve.h>", "#include <stddef.h>", "#include <stdio.h>", "int main(void) {"]
fortran = ["program probe", "use, intrinsic :: iso_c_binding", "use clsolve", "implicit none"]
for name in structures:
    fortran.append(f"call of_{name[8:]}()")
for name in constants:
    c.append(f'printf("{name} %d\\n", (int){name});')
    fortran.append(f'print "(a, i0)", "{name} ", {name}')
fortran += ["contains"]
lines = []
for name, members in structures.items():
    lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
    fortran += [f"subroutine of_{name[8:]}()", f"type({name}), target :: x", "integer(c_intptr_t) :: first"]
    fortran += ["first = transfer(c_loc(x), first)", f'print "(a, i0)", "{name} ", c_sizeof(x)']
    for member in members:
        lines.append(
            f'printf("{name}.{member} %zu %zu\\n", offsetof({name}, {member}), sizeof((({name} *)0)->{member}));'
        )
        fortran.append(f'print "(a, i0, 1x, i0)", "{name}.{member} ", &')
        fortran.append(f"transfer(c_loc(x%{member}), first) - first, c_sizeof(x%{member})")
    fortran.append("end subroutine")
c += [*lines, "return 0; }"]
fortran += ["end program"]


def outcome(command, source, program):
    subprocess.run([*command, str(source), "-o", str(program)], check=True)
    return sorted(subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines())


with tempfile.TemporaryDirectory() as name:
    work = Path(name)
    (work / "probe.c").write_text("\n".join(c) + "\n")
    (work / "probe.f90").write_text("\n".join(fortran) + "\n")
    of_c = outcome([cc, "-std=c11", "-I", str(root / "include")], work / "probe.c", work / "of_c")
    library = str(Path(modules).parent.parent.parent)
    libraries = ["-L", library, f"-Wl,-rpath,{library}"]
    command = [gfortran, "-I", modules, *libraries]
    subprocess.run([*command, "-c", str(work / "probe.f90"), "-o", str(work / "probe.o")], check=True)
    subprocess.run(
        [*command, str(work / "probe.o"), "-lclsolve_fortran", "-lclsolve", "-o", str(work / "of_f")], check=True
    )
    of_fortran = sorted(
        subprocess.run([str(work / "of_f")], check=True, capture_output=True, text=True).stdout.splitlines()
    )
for line in sorted(set(of_c) ^ set(of_fortran)):
    print(f"FAILED: {'C' if line in of_c else 'Fortran'} alone has: {line}")
print(f"{len(structures)} structures, {len(constants)} constants, {len(of_c)} lines")
sys.exit(0 if of_c == of_fortran and len(structures) > 20 and len(constants) > 80 else 1)
