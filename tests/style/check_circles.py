"""check_circles.py ROOT: no modules of src, cl and include need each other in a circle, and no folders do.

So each can be read after those that it stands on. A module is x.c and x.h of a folder, with the x_element.h that x.c is
made of; or x.cl and x.clh. It needs another one whose header it includes, whose function or table it names, or whose
type, macro or inline function it uses. A type of which a file knows the name alone, behind a pointer, is no need. The
project's names in a macro of C, and its macros, are needs without an include too: whoever uses the macro sees both.
A folder needs those of the modules that its own modules need.
"""

import re
import sys
from pathlib import Path

FOLDERS = ("src", "cl", "include")
SUFFIXES = {".c", ".h", ".cl", ".clh", ".inc"}
# Modules whose needs are none of their folders.
ABOVE_FOLDERS = {"src/device/backends"}  # the list of the backends, which stand on the folder's other files

NOISE = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*")
# What a header promises of others: prototypes and tables.
PROMISE = re.compile(
    r"^(?!static |typedef |struct |enum )[A-Za-z][\w *]*\([^;{]*\)[^;{]*;|^extern [^;{]*;", re.MULTILINE
)
NAMED = re.compile(r"([A-Za-z_]\w*)(?:\(|(?:\[[^\]]*\])* =)")
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
MACRO_TEXT = re.compile(r"^[ \t]*#[ \t]*define[ \t]+\w+((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
OF_PROJECT = re.compile(r"(cls|CLS|clsolve|CLSOLVE)_")
TYPE = re.compile(
    r"^(?:typedef )?(struct|union|enum)(?: (\w+))? \{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}[ \t]*(\w*)", re.MULTILINE
)
ALIAS = re.compile(r"^typedef [^;{]*?(?:\(\*(\w+)\)\([^;]*\)|\b(\w+));", re.MULTILINE)


def defined(text):
    """The functions and tables that a file without comments defines in the first column: those for others, its own."""
    others, own = set(), set()
    # A name that starts its own line comes behind the type on the line above.
    for line in re.sub(r"^([A-Za-z][\w *]*)\n(?=\w+\([^;{}]*\)\s*\{)", r"\1 ", text, flags=re.MULTILINE).splitlines():
        if not re.match(r"[A-Za-z]\w* ", line) or re.match(r"typedef|extern|return|enum|(struct|union) \w+ \{", line):
            continue
        if line.rstrip().endswith(";") and "=" not in line:
            continue
        if name := NAMED.search(line):
            (own if line.startswith("static ") else others).add(name[1])
    return others, own


def typed(text):
    """The types, constants and macros of a file without comments."""
    names = set(MACRO.findall(text))
    for kind, tag, body, name in TYPE.findall(text):
        names |= {tag, name}
        if kind == "enum":
            names |= set(re.findall(r"(?:^|,)\s*([A-Z]\w*)", body))
    names |= {pointer or name for pointer, name in ALIAS.findall(text)}
    return names - {""}


def read(root):
    """Text without comments, by path from the root; what each file includes."""
    texts, includes = {}, {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                texts[path.relative_to(root).as_posix()] = path.read_text()
    for name, text in texts.items():
        near = name.rpartition("/")[0]
        places = [[f"src/{to}", f"include/{to}", f"{near}/{to}"] for to in INCLUDE.findall(text)]
        includes[name] = {place for trial in places for place in trial if place in texts}
        texts[name] = NOISE.sub(" ", text)
    return texts, includes


def reached(edges, start):
    """All that `start` reaches by one edge or more."""
    found, left = set(), [start]
    while left:
        new = edges.get(left.pop(), set()) - found
        found |= new
        left += new
    return found


def needs(texts, includes):
    """The needs of modules: by module, the modules that it needs, and why."""
    module = {name: name.rpartition(".")[0] for name in texts}
    for name, stem in module.items():  # a template of the .c beside it alone
        if name.endswith("_element.h") and name in includes.get(stem.removesuffix("_element") + ".c", ()):
            module[name] = stem.removesuffix("_element")
    called, types, own, macros = {}, {}, {}, set()
    for name, text in texts.items():
        others, own[name] = defined(text)
        if name.endswith(".c"):
            called |= dict.fromkeys(others, name)
        elif not name.endswith(".cl"):
            for word in typed(text) | own[name]:
                types.setdefault(word, set()).add(name)
            if not name.endswith(".clh"):  # kernels have macros by options too
                macros |= set(MACRO.findall(text))
    edges, why = {}, {}
    for name, text in texts.items():
        seen = reached(includes, name)
        in_macros = set() if name.startswith("cl/") else set(WORD.findall(" ".join(MACRO_TEXT.findall(text))))
        for to in includes[name]:
            why.setdefault((module[name], module[to]), set()).add("by include")
        for word in set(WORD.findall(text)) - own[name]:
            unseen = OF_PROJECT.match(word) and (word in macros or word in in_macros)
            at = types.get(word, set())
            for to in at if unseen else at & seen:
                why.setdefault((module[name], module[to]), set()).add(word)
        for word in set(WORD.findall(text if name.endswith(".c") else PROMISE.sub(" ", text))) - own[name]:
            if word in called:
                why.setdefault((module[name], module[called[word]]), set()).add(word)
    for at, to in why:
        if at != to:
            edges.setdefault(at, set()).add(to)
    return edges, why


def circles(edges):
    """The sets of modules that reach each other."""
    reach = {at: reached(edges, at) for at in edges}
    return {frozenset(to for to in reach[at] if at in reach.get(to, ())) for at in edges if at in reach[at]}


def needs_of_folders(edges):
    """The same of folders; why: the modules."""
    folders, why = {}, {}
    for at in edges.keys() - ABOVE_FOLDERS:
        for to in edges[at]:
            pair = at.rpartition("/")[0], to.rpartition("/")[0]
            if pair[0] != pair[1]:
                folders.setdefault(pair[0], set()).add(pair[1])
                why.setdefault(pair, set()).add(f"{at.rpartition('/')[2]} {to.rpartition('/')[2]}")
    return folders, why


def report(kind, edges, why):
    """Prints the circles; are there any?"""
    found = circles(edges)
    for circle in found:
        print(f"FAILED: these {kind} need each other in a circle:", *sorted(circle))
        for at in sorted(circle):
            for to in sorted(edges[at] & circle):
                print(f"    {at} needs {to}:", ", ".join(sorted(why[at, to])[:3]))
    return bool(found)


def main(root):
    texts, includes = read(Path(root))
    assert len(texts) > 500
    edges, why = needs(texts, includes)
    return report("modules", edges, why) | report("folders", *needs_of_folders(edges))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
