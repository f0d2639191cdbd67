"""python_metadata.py PYPROJECT FOLDER: writes FOLDER/clsolve-VERSION.dist-info, so that pip knows the package."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path(sys.argv[1]).read_text())["project"]
folder = Path(sys.argv[2]) / f"{project['name']}-{project['version']}.dist-info"
lines = [
    "Metadata-Version: 2.1",
    f"Name: {project['name']}",
    f"Version: {project['version']}",
    f"Summary: {project['description']}",
    f"License: {project['license']['text']}",
    f"Requires-Python: {project['requires-python']}",
    *(f"Requires-Dist: {requirement}" for requirement in project["dependencies"]),
]
folder.mkdir(exist_ok=True)
(folder / "METADATA").write_text("\n".join(lines) + "\n")
