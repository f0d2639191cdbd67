"""`python -m clsolve solve A.mtx b.mtx`: the command of the library, as it is installed with it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ._library import library_path


def command() -> Path | None:
    """The command's file: the package's own, or that beside the library of a build."""
    for place in (Path(__file__).resolve().parent / "bin", library_path().resolve().parent):
        if (place / "clsolve").is_file():
            return place / "clsolve"
    return None


def main() -> None:
    found = command()
    if found is None:
        sys.exit("clsolve: the command is not installed with this package: build it with CLSOLVE_BUILD_TOOL=ON")
    loader = Path(__file__).resolve().parent / "loader"
    if loader.is_dir():  # behind the system's own folders: a loader of OpenCL that the system may lack
        before = os.environ.get("LD_LIBRARY_PATH")
        os.environ["LD_LIBRARY_PATH"] = f"{before}:{loader}" if before else str(loader)
    os.execv(found, ["clsolve", *sys.argv[1:]])


if __name__ == "__main__":
    main()
