"""windows_wheel.py PACKAGE TREE FOLDER: the wheel for win_amd64 of a tree that scripts/windows.sh has made.

PACKAGE is the folder with pyproject.toml and the package, TREE has bin/ with the DLLs and the command, and licences/.
FOLDER gets clsolve-VERSION-py3-none-win_amd64.whl. The DLLs and the command lie together in clsolve/bin, because
Windows looks for a program's libraries next to it.
"""

import base64
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

WHEEL = "Wheel-Version: 1.0\nGenerator: clsolve\nRoot-Is-Purelib: false\nTag: py3-none-win_amd64\n"


def metadata(package: Path, folder: Path) -> Path:
    """The folder dist-info with METADATA, as Debian's package has it."""
    script = Path(__file__).resolve().parent.parent / "debian" / "python_metadata.py"
    subprocess.run([sys.executable, str(script), str(package / "pyproject.toml"), str(folder)], check=True)
    return next(folder.glob("*.dist-info"))


def members(package: Path, tree: Path, info: Path) -> dict[str, bytes]:
    """The bytes of each file by its name in the wheel."""
    files = {}
    for path in sorted((package / "clsolve").rglob("*")):
        if path.is_file() and path.suffix in (".py", ".typed"):
            files[f"clsolve/{path.relative_to(package / 'clsolve').as_posix()}"] = path.read_bytes()
    for path in sorted((tree / "bin").iterdir()):
        files[f"clsolve/bin/{path.name}"] = path.read_bytes()
    for path in sorted((tree / "licences").iterdir()):
        files[f"{info.name}/licenses/{path.name}"] = path.read_bytes()
    files[f"{info.name}/METADATA"] = (info / "METADATA").read_bytes()
    files[f"{info.name}/WHEEL"] = WHEEL.encode()
    return files


def record(files: dict[str, bytes], info: str) -> bytes:
    """Each file's SHA-256 in the form of PEP 376, and its length."""
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}")
    return ("\n".join([*lines, f"{info}/RECORD,,"]) + "\n").encode()


def main() -> None:
    package, tree, target = (Path(argument) for argument in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as folder:
        info = metadata(package, Path(folder))
        files = members(package, tree, info)
    files[f"{info.name}/RECORD"] = record(files, info.name)
    target.mkdir(parents=True, exist_ok=True)
    wheel = target / f"{info.name.removesuffix('.dist-info')}-py3-none-win_amd64.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    print(wheel)


if __name__ == "__main__":
    main()
