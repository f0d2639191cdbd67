"""interface.py: the binary interface as text, a line for each call, structure, field, enumeration and value.

  interface.py --write ABI           prints what abidw (libabigail) wrote into the file ABI
  interface.py --compare OLD NEW     fails on a difference between two such texts, unless all of it is new: a call, a
                                     structure or an enumeration that OLD has not

Sizes and offsets are in bits. A typedef counts as the type that it stands for; names of arguments do not count.
"""

import sys
from pathlib import Path
from xml.etree import ElementTree


class Types:
    def __init__(self, elements):
        self.by_id = {element.get("id"): element for element in elements if element.get("id")}

    def name(self, identifier):
        element = self.by_id[identifier]
        tag, name, of = element.tag, element.get("name"), element.get("type-id")
        if tag == "typedef-decl":
            return name if name.endswith("_t") and not name.startswith("clsolve_") else self.name(of)
        if tag == "qualified-type-def":
            return self.name(of) + " const"
        if tag == "pointer-type-def":
            return self.name(of) + " *"
        if tag == "array-type-def":
            return self.name(of) + "".join(f"[{part.get('length')}]" for part in element.iter("subrange"))
        if tag == "function-type":
            return self.call(element)
        return name

    def call(self, element):
        arguments = ", ".join(self.name(part.get("type-id")) for part in element.iter("parameter"))
        return f"({arguments}) {self.name(element.find('return').get('type-id'))}"


def write(path):
    elements = list(ElementTree.parse(path).iter())
    types = Types(elements)
    lines = []
    for element in elements:
        tag, name, size = element.tag, element.get("name"), element.get("size-in-bits")
        if tag == "function-decl":
            lines.append(f"call {name}{types.call(element)}")
        elif tag == "class-decl" and size:  # a handle is a structure without a size
            lines.append(f"struct {name} {size}")
            for member in element.iter("data-member"):
                field = member.find("var-decl")
                place = member.get("layout-offset-in-bits")
                lines.append(f"struct {name} {place} {field.get('name')} {types.name(field.get('type-id'))}")
        elif tag == "enum-decl":
            base = types.by_id[element.find("underlying-type").get("type-id")]
            lines.append(f"enum {name} {base.get('size-in-bits')}")
            for value in element.iter("enumerator"):
                lines.append(f"enum {name} {value.get('name')} {value.get('value')}")
    return lines


def whole(line):
    """The call, the structure or the enumeration that a line is of."""
    return " ".join(line.split("(")[0].split(" ")[:2])


def compare(old, new):
    known = {whole(line) for line in old}
    gone = [f"- {line}" for line in old if line not in set(new)]
    come = [f"+ {line}" for line in new if line not in set(old) and whole(line) in known]
    return gone + come


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 2 and arguments[0] == "--write":
        print("\n".join(write(arguments[1])))
        return 0
    if len(arguments) == 3 and arguments[0] == "--compare":
        old, new = (Path(name).read_text().splitlines() for name in arguments[1:])
        differences = compare(old, new)
        print("\n".join(differences), end="\n" if differences else "")
        return 1 if differences else 0
    print(__doc__)
    return 2


sys.exit(main())
