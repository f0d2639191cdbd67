"""check_arguments.py MODULE INTERFACE: the arguments of the calls in MODULE, clsolve.f90, compared with the stored binary
interface, tests/abi/interface.txt. libabigail read that from debug information, so it shares no reader with generate.py.

Each argument and result counts as a pointer, an integer of so many bits, a double, or a structure by name."""

import re
import sys
from pathlib import Path

functions, bits = {}, {"int": "32", "int32_t": "32", "int64_t": "64", "uint64_t": "64", "size_t": "64"}
for line in Path(sys.argv[2]).read_text().splitlines():
    call = re.fullmatch(r"call (\w+)\((.*)\) (.*)", line)
    enumeration = re.fullmatch(r"enum (\w+) (\d+)", line)
    if call:
        functions[call[1]] = [*filter(None, re.sub(r"\(.*?\) \w+ \*", "*", call[2]).split(", ")), call[3]]
    elif enumeration:
        bits[enumeration[1]] = enumeration[2]


def kind_of_c(name):
    return "pointer" if name.endswith("*") else bits.get(name, name)


KINDS = {"c_int": "32", "c_int32_t": "32", "c_int64_t": "64", "c_size_t": "64", "c_double": "double"}


def kind_of_fortran(declaration):
    kind = re.match(r"(\w+)\((?:kind=)?(\w+)\)", declaration)
    if kind[2] in ("c_ptr", "c_funptr"):
        return "pointer"
    return KINDS.get(kind[2], kind[2])


text = Path(sys.argv[1]).read_text().replace("&\n", " ")
binding = re.compile(
    r"^        (function|subroutine) (\w+)\(([^)]*)\) bind\(C(?:, name=\"(\w+)\")?\)[^\n]*\n(.*?)^        end \1 \2$",
    re.S | re.M,
)
wrong, compared = 0, 0
for _, name, arguments, c_name, body in binding.findall(text):
    name = c_name or name
    if not name.startswith("clsolve_") or name == "clsolve_progress":
        continue
    declarations = {}
    for line in body.split("\n"):
        found = re.match(r" +(.*) :: (\w+)(\(\*\))?$", line)
        if found:
            declarations[found[2]] = found[1]
    ours = []
    for argument in filter(None, (argument.strip() for argument in arguments.split(","))):
        by_value = ", value" in declarations[argument]
        ours.append(kind_of_fortran(declarations[argument]) if by_value else "pointer")
    ours.append(kind_of_fortran(declarations["outcome"]) if "outcome" in declarations else "void")
    if name not in functions:  # newer than what is stored
        print(f"{name}: tests/abi does not have it yet")
        continue
    theirs = [kind_of_c(kind) for kind in functions.pop(name)]
    compared += 1
    if ours != theirs:
        wrong += 1
        print(f"FAILED: {name}: clsolve.f90 has {ours}, C has {theirs}")
for name in functions:
    if name.startswith("clsolve_"):
        wrong += 1
        print(f"FAILED: clsolve.f90 has no {name}")
print(f"{compared} calls compared")
sys.exit(1 if wrong or compared < 100 else 0)
