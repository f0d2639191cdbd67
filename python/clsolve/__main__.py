"""`python -m clsolve solve A.mtx b.mtx`: the command of the library, as it is installed with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from ._library import library_path


def command() -> Path | None:
    """The command's file: the package's own, the one next to the library of a build, or the system's."""
    places = [Path(__file__).resolve().parent / "bin"]
    library = library_path()
    if library.name != str(library):  # a name alone is for the loader to find, and is no file of the current folder
        places.append(library.resolve().parent)
    name = "clsolve.exe" if sys.platform == "win32" else "clsolve"
    for place in places:
        if (place / name).is_file():
            return place / name
    installed = shutil.which("clsolve")
    return Path(installed) if installed else None


def main() -> None:
    found = command()
    if found is None:
        sys.exit(
            "clsolve: no command clsolve is installed: build it with CLSOLVE_BUILD_TOOL=ON, or install its package"
        )
    if sys.platform == "win32":  # a process cannot become another there
        sys.exit(subprocess.call([str(found), *sys.argv[1:]]))
    loader = Path(__file__).resolve().parent / "loader"
    if loader.is_dir():  # behind the system's own folders: a loader of OpenCL that the system may lack
        before = os.environ.get("LD_LIBRARY_PATH")
        os.environ["LD_LIBRARY_PATH"] = f"{before}:{loader}" if before else str(loader)
    os.execv(found, ["clsolve", *sys.argv[1:]])


if __name__ == "__main__":
    main()
