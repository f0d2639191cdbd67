"""The public headers as data: constants, structures, handles and calls, read from what the C preprocessor leaves.

read(root) returns an Interface. A declaration that it does not understand is an error that names it.
"""

import re
import shlex
import subprocess
from dataclasses import dataclass, field

HEADERS = ("clsolve.h", "opencl.h", "cuda.h")


class Unknown(Exception):
    """A declaration of the headers that has no translation yet."""


@dataclass
class Value:
    """A field of a structure, an argument or a result: `base` is its C type without const and stars."""

    name: str
    base: str
    stars: int = 0
    const: bool = False  # what the pointer leads to is only read
    length: int = 0  # of an array in a structure; 0: no array


@dataclass
class Struct:
    name: str
    header: str
    fields: list


@dataclass
class Call:
    name: str
    header: str
    result: Value
    arguments: list


@dataclass
class Interface:
    constants: list = field(default_factory=list)  # (header, name, value)
    enumerations: set = field(default_factory=set)
    structs: dict = field(default_factory=dict)
    handles: list = field(default_factory=list)  # names of the opaque types
    calls: list = field(default_factory=list)
    inline: list = field(default_factory=list)  # names of the functions that the headers define


def value(text, constants):
    """`const char *name[4]` as a Value; None for the rest of a declarator list."""
    text = text.strip()
    length = 0
    array = re.search(r"\[(\w+)\]$", text)
    if array:
        length = constants[array[1]] if array[1] in constants else int(array[1])
        text = text[: array.start()]
    found = re.fullmatch(r"(const )?(?:struct |enum )?(\w+) ?((?:\*|const|\s)*)(\w+)", text)
    if not found:
        raise Unknown(f"cannot read the declaration `{text}`")
    return Value(found[4], found[2], found[3].count("*"), bool(found[1]), length)


def fields(body, constants):
    """The members of a structure: `int64_t rows, cols;` are two."""
    for declaration in body.split(";"):
        declaration = " ".join(declaration.split())
        if not declaration:
            continue
        first, *others = declaration.split(",")
        member = value(first, constants)
        yield member
        kind = re.match(r"(const )?(?:struct |enum )?\w+ ", first)[0]
        for other in others:
            yield value(kind + other.strip(), constants)


def statements(text):
    """Declarations at the outermost level, each without its final semicolon; bodies of functions are cut off."""
    depth, begin = 0, 0
    for place, letter in enumerate(text):
        if letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth == 0 and re.search(r"\)\s*\{", text[begin : place + 1]) and "(*" not in text[begin:place]:
                yield " ".join(text[begin : text.index("{", begin)].split())
                begin = place + 1
        elif letter == ";" and depth == 0:
            yield " ".join(text[begin:place].split())
            begin = place + 1


def preprocess(root, compiler, option, source):
    command = [*shlex.split(compiler), "-std=c11", "-E", *option, "-I", str(root / "include"), "-x", "c", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    if done.returncode:
        raise Unknown(f"the preprocessor failed:\n{done.stderr}")
    return done.stdout


def enumerate_constants(header, body, constants, out):
    last = -1
    for entry in filter(None, (entry.strip() for entry in body.split(","))):
        name, _, expression = entry.partition("=")
        last = eval(expression, {"__builtins__": {}}, dict(constants)) if expression else last + 1  # numbers, names
        constants[name.strip()] = last
        out.constants.append((header, name.strip(), last))


def take(header, text, constants, out):
    """One declaration."""
    enumeration = re.match(r"(typedef )?enum (\w+)? ?\{(.*)\}", text)
    structure = re.match(r"typedef struct (\w+) \{(.*)\} \w+$", text)
    opaque = re.fullmatch(r"typedef struct (clsolve_\w+) \1", text)
    call = re.fullmatch(r"((?:const )?\w+ \*?)\s*(clsolve_\w+) ?\((.*)\)", text)
    if text.startswith("static inline "):
        out.inline.append(re.search(r"(\w+)\(", text)[1])
    elif enumeration:
        enumerate_constants(header, enumeration[3], constants, out)
        out.enumerations.add(enumeration[2])
    elif structure:
        out.structs[structure[1]] = Struct(structure[1], header, list(fields(structure[2], constants)))
    elif opaque:
        out.handles.append(opaque[1])
    elif call:
        arguments = [] if call[3] == "void" else [value(argument, constants) for argument in call[3].split(",")]
        if any(argument.name.lower() == arguments[0].name.lower() for argument in arguments[1:]):
            arguments[0].name = "handle"  # lu and LU are one name to Fortran
        out.calls.append(Call(call[2], header, value(call[1] + "result", constants), arguments))
    elif not re.match(r"(typedef void \(\*clsolve_progress\)|struct \w+$|typedef struct \w+ \*?\w+$)", text):
        raise Unknown(f"cannot read `{text[:100]}`")


def read(root, compiler="cc"):
    includes = "".join(f"#include <clsolve/{header}>\n" for header in HEADERS)
    out, constants = Interface(), {}
    defined = preprocess(root, compiler, ["-dM"], "#include <clsolve/version.h>\n")
    for name, number in sorted(re.findall(r"^#define (CLSOLVE_\w+) (\d+)$", defined, re.M)):
        out.constants.append(("version.h", name, int(number)))
    parts, header = [], None  # text by header, in the order of inclusion
    for line in preprocess(root, compiler, [], includes).split("\n"):
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            inside = re.search(r"/clsolve/(\w+\.h)$", marker[1])
            header = inside[1] if inside else None
        elif header and not line.startswith("#"):
            if not parts or parts[-1][0] != header:
                parts.append([header, ""])
            parts[-1][1] += line + "\n"
    for header, text in parts:
        text = re.sub(r"__attribute__\(\(.*?\)\)\)?", "", text)
        for statement in statements(text):
            if statement:
                try:
                    take(header, statement, constants, out)
                except Unknown as problem:
                    raise Unknown(f"{header}: {problem}") from None
    return out
