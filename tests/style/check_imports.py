"""check_imports.py ROOT: the modules of the Python package import each other one way, inside functions too.

So each module can be read after those that it stands on.
"""

import ast
import sys
from pathlib import Path


def imported(path, names):
    """The modules of the package that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            yield node.module
        elif isinstance(node, ast.ImportFrom) and node.level == 1:
            yield from (part.name if part.name in names else "__init__" for part in node.names)
        elif isinstance(node, ast.Import) and any(part.name.partition(".")[0] == "clsolve" for part in node.names):
            yield "__init__"
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("import_module", "__import__"):
            yield from named(node, names)


def named(call, names):
    """The module of the package that a call of importlib imports, by a name written out or else any."""
    if not isinstance(call.args[0], ast.Constant):
        raise SystemExit(f"FAILED: line {call.lineno} imports a module whose name is computed")
    first, _, rest = call.args[0].value.partition(".")
    if first in ("", "clsolve"):
        yield rest if rest in names else "__init__"


def cycles(edges):
    """The sets of modules that reach each other."""
    reach = {name: set(to) for name, to in edges.items()}
    for middle in edges:
        for name in edges:
            if middle in reach[name]:
                reach[name] |= reach[middle]
    return {frozenset(to for to in reach[name] if name in reach[to]) for name in edges if name in reach[name]}


def main(root):
    paths = {path.stem: path for path in (Path(root) / "python" / "clsolve").glob("*.py")}
    edges = {name: set(imported(path, paths)) for name, path in paths.items()}
    assert len(edges["__init__"]) > 10
    found = cycles(edges)
    for cycle in found:
        print("FAILED: these modules of python/clsolve import each other in a cycle:", *sorted(cycle))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
