"""check_arguments.py ROOT: the arguments of the calls in clsolve.f90, compared with the binary interface that
tests/abi/libclsolve.abi stores. libabigail wrote it from debug information, so it shares no reader with generate.py.

Each argument and result counts as a pointer, an integer of so many bits, a double, or a structure by name."""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

root = Path(sys.argv[1])
types = {}
functions = {}
for element in ElementTree.parse(root / "tests/abi/libclsolve.abi").iter():
    if element.tag == "function-decl":
        functions[element.get("name")] = element
    elif element.get("id"):
        types[element.get("id")] = element


def kind_of_c(identifier):
    element = types[identifier]
    if element.tag in ("typedef-decl", "qualified-type-def"):
        return kind_of_c(element.get("type-id"))
    if element.tag in ("pointer-type-def", "reference-type-def"):
        return "pointer"
    if element.tag == "class-decl":
        return element.get("name")
    if element.tag == "enum-decl":
        return "32"
    name = element.get("name")
    return name if name in ("double", "float", "void") else element.get("size-in-bits")


KINDS = {"c_int": "32", "c_int32_t": "32", "c_int64_t": "64", "c_size_t": "64", "c_double": "double"}


def kind_of_fortran(declaration):
    kind = re.match(r"(\w+)\((?:kind=)?(\w+)\)", declaration)
    if kind[2] in ("c_ptr", "c_funptr"):
        return "pointer"
    return KINDS.get(kind[2], kind[2])


text = (root / "src/fortran/clsolve.f90").read_text().replace("&\n", " ")
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
    function = functions.pop(name)
    theirs = [kind_of_c(parameter.get("type-id")) for parameter in function.iter("parameter")]
    theirs.append(kind_of_c(function.find("return").get("type-id")))
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
