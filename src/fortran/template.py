"""The sections of friendly.f90, with its blocks repeated for types, indices and ranks."""

import re

# Types by the letter and digits in the names of procedures, and the kinds of indices.
TYPES = {
    "f32": ("real(c_float)", "CLSOLVE_F32", "c_float", "4"),
    "f64": ("real(c_double)", "CLSOLVE_F64", "c_double", "8"),
    "c32": ("complex(c_float_complex)", "CLSOLVE_C32", "c_float", "8"),
    "c64": ("complex(c_double_complex)", "CLSOLVE_C64", "c_double", "16"),
}
INDICES = {"i32": ("integer(c_int32_t)", "CLSOLVE_I32", "4"), "i64": ("integer(c_int64_t)", "CLSOLVE_I64", "8")}


def expand(text):
    """Blocks between `!each kind ...` and `!end each` once for each type, index or rank."""
    words = {
        "type": [{"K": key, "T": v[0], "E": v[1], "R": v[2], "B": v[3]} for key, v in TYPES.items()],
        "index": [{"I": key, "J": v[0], "X": v[1], "W": v[2]} for key, v in INDICES.items()],
        "rank": [
            {"N": "1", "S": "(:)", "Z": "(size(b))"},
            {"N": "2", "S": "(:, :)", "Z": "(size(b, 1), size(b, 2))"},
        ],
    }
    while True:
        block = re.search(r"^ *!each (\w+(?: \w+)*)\n(.*?)^ *!end each\n", text, re.S | re.M)
        if not block:
            return text
        copies = [block[2]]
        for kind in block[1].split():
            copies = [copy for one in copies for copy in substituted(one, words[kind])]
        text = text[: block.start()] + "".join(copies) + text[block.end() :]


def substituted(text, choices):
    for choice in choices:
        yield re.sub(r"@(\w)@", lambda found: choice.get(found[1], found[0]), text)


def parts(text):
    """The sections of friendly.f90, each after a line `!section NAME`."""
    pieces = re.split(r"^!section (.*)\n", text, flags=re.M)
    return dict(zip(pieces[1::2], (expand(piece) for piece in pieces[2::2])))
