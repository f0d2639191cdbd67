"""stage.py ROOT FOLDER: arranges what Sphinx reads, in a fresh FOLDER, as it lies in the repository.

The documents are copied; README.md becomes the front page. Links lead to pages of the site: to the reference of a
header, to the page about a folder, and for any other file of the repository to a page that shows it. The pages of the C
reference come from include/clsolve, those of the Python reference from what the package exports.
"""

import os
import re
import shutil
import sys
from pathlib import Path

import header_filter

# Where pages of the repository lie on the site, as far as they do not keep their place.
MOVED = {
    "README.md": "index.md",
    ".github/CODE_OF_CONDUCT.md": "CODE_OF_CONDUCT.md",
    "include/clsolve": "api/index.rst",
    "examples": "examples/README.md",
    "petsc": "petsc/README.md",
    "docs/findings": "docs/findings/README.md",
}
PAGES = ["README.md", "CHANGELOG.md", "SECURITY.md", ".github/CODE_OF_CONDUCT.md", "examples/README.md"]
PAGES += ["petsc/README.md", "tests/vendors/README.md"]

# The pages of the Python reference: the modules whose public names each has.
PYTHON = {
    "dense": (
        "Dense systems",
        ["_solve", "_factor", "_lu", "_lu_batch", "_cholesky", "_cholesky_batch", "_ldl", "_inverse"],
    ),
    "banded": ("Bands and tridiagonal systems", ["_banded", "_banded_cholesky", "_tridiagonal"]),
    "sparse": ("Sparse matrices and grids", ["sparse", "_sparse_batch", "_grid", "_operators"]),
    "devices": ("Devices and contexts", ["_context", "_devices"]),
    "reports": ("Reports, errors and warnings", ["_report", "_errors"]),
}
LANGUAGES = {".c": "c", ".h": "c", ".cl": "c", ".clh": "c", ".inc": "c"}
LANGUAGES |= {".cff": "yaml", ".f90": "fortran", ".py": "python", ".sh": "sh"}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def heading(text, line="="):
    return f"{text}\n{line * len(text)}\n\n"


class Stage:
    def __init__(self, root, folder):
        self.root = root
        self.folder = folder
        self.shown = set()

    def show(self, path):
        """The page that shows a file, or all files of a folder."""
        target = f"files/{path}.rst"
        if target not in self.shown:
            self.shown.add(target)
            whole = self.root / path
            files = sorted(file for file in whole.iterdir() if file.is_file()) if whole.is_dir() else [whole]
            text = ":orphan:\n\n" + heading(path)
            for file in files:
                if whole.is_dir():
                    text += heading(file.name, "-")
                language = LANGUAGES.get(file.suffix, "none")
                from_page = os.path.relpath(file, (self.folder / target).parent)
                text += f".. literalinclude:: {from_page}\n   :language: {language}\n\n"
            write(self.folder / target, text)
        return target

    def place(self, path):
        """The place on the site where the reader finds a file of the repository."""
        if path in MOVED:
            return MOVED[path]
        if re.fullmatch(r"include/clsolve/\w+\.h", path):
            return f"api/{Path(path).stem}.rst"
        if (self.root / path).suffix in (".md", ".svg"):
            return path
        return self.show(path)

    def page(self, path, more=""):
        source = self.root / path
        here = MOVED.get(path, path)

        def link(match):
            target, hash_mark, heading_of = match[1].partition("#")
            if re.match(r"[a-z]+:", target) or not target:
                return match[0]
            if not (source.parent / target).exists():
                sys.exit(f"stage: {path} has a link to {target}, which does not exist")
            repository = os.path.relpath((source.parent / target).resolve(), self.root)
            site = os.path.relpath(self.place(repository), os.path.dirname(here) or ".")
            return f"]({site}{hash_mark}{heading_of})"

        text = source.read_text()
        text = re.sub(r"^\[?!\[[^]]*\]\(https://img\.shields\.io/.*\n", "", text, flags=re.MULTILINE)  # badges
        parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
        parts[::2] = [re.sub(r"\]\(([^)\s]+)\)", link, part) for part in parts[::2]]
        write(self.folder / here, "".join(parts) + more)

    def documents(self):
        for path in PAGES:
            self.page(path, (self.root / "docs/site/contents.md").read_text() if path == "README.md" else "")
        for source in sorted((self.root / "docs").rglob("*")):
            path = str(source.relative_to(self.root))
            if path == "docs/findings/README.md":
                names = sorted(file.stem for file in source.parent.glob("*.md") if file.name != "README.md")
                self.page(path, "\n```{toctree}\n:hidden:\n" + "\n".join(names) + "\n```\n")
            elif source.suffix == ".md" and "site" not in source.parts[len(self.root.parts) :]:
                self.page(path)
            elif source.suffix == ".svg":
                target = self.folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)

    def c_reference(self):
        folder = self.root / "include/clsolve"
        order = re.findall(r"#include <clsolve/(\w+)\.h>", (folder / "clsolve.h").read_text())
        others = sorted(path.stem for path in folder.glob("*.h"))
        order = ["clsolve", *order, *(name for name in others if name not in ["clsolve", "export", *order])]
        text = heading("C reference") + "The headers in ``include/clsolve``, in reading order. "
        text += ":doc:`/docs/interface` has the rules that all calls follow.\n\n"
        for name in order:
            header = (folder / f"{name}.h").read_text()
            purpose = re.match(r"/\*\s*(?:\* )?[\w.]+\.h: *(.*?)(?:\.\s|:\s| \*/)", header, re.DOTALL)[1]
            text += f":doc:`{name}.h <{name}>`\n   " + re.sub(r"\s*\n \* *", " ", purpose).replace("*", r"\*") + "\n\n"
            calls = re.findall(r"^(?:CLSOLVE_API|static inline) [^;{(]*?\b(clsolve_\w+)\(", header, re.MULTILINE)
            page = heading(f"{name}.h")
            if calls:
                page += ".. rst-class:: calls\n\n" + "".join(f"* :c:func:`{call}`\n" for call in calls) + "\n"
            header_filter.filtered(folder / f"{name}.h")  # Doxygen would go on where it fails
            write(self.folder / f"api/{name}.rst", page + f".. doxygenfile:: {name}.h\n")
        text += ".. toctree::\n   :hidden:\n\n" + "".join(f"   {name}\n" for name in order)
        write(self.folder / "api/index.rst", text)

    def python_reference(self):
        sys.path.insert(0, str(self.root / "python"))
        import clsolve

        pages = {module: page for page, (_, modules) in PYTHON.items() for module in modules}
        entries = {page: [] for page in PYTHON}
        for name in clsolve.__all__:
            if name == "sparse":
                continue
            thing = getattr(clsolve, name)
            module = thing.__module__.rpartition("clsolve.")[2]
            if isinstance(thing, type) and issubclass(thing, Exception):
                module = "_errors"
            if module not in pages:
                sys.exit(f"stage: no page of the Python reference has clsolve.{name}, of the module {module}")
            entries[pages[module]].append((name, isinstance(thing, type)))
        text = heading("Python reference")
        text += "The functions and classes of the package ``clsolve``. :doc:`/docs/python` is its manual.\n\n"
        text += ".. toctree::\n   :maxdepth: 2\n\n" + "".join(f"   {page}\n" for page in PYTHON) + "   array_api\n"
        write(self.folder / "python/index.rst", text)
        for page, (title, _) in PYTHON.items():
            text = heading(title) + ".. py:currentmodule:: clsolve\n\n"
            for name, is_class in sorted(entries[page], key=lambda entry: (entry[1], entry[0])):
                text += heading(name, "-")
                text += f".. autoclass:: clsolve.{name}\n   :members:\n\n" if is_class else ""
                text += f".. autofunction:: clsolve.{name}\n\n" if not is_class else ""
            write(self.folder / f"python/{page}.rst", text)
        text = heading("Array API") + ".. automodule:: clsolve.array_api\n\n"
        for name in ("solve", "inv", "det", "slogdet"):
            text += f".. autofunction:: clsolve.array_api.linalg.{name}\n\n"
        write(self.folder / "python/array_api.rst", text)


def main():
    root, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    stage = Stage(root, folder)
    stage.documents()
    stage.c_reference()
    stage.python_reference()


if __name__ == "__main__":
    main()
