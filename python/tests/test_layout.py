"""The structures, enumerations and version of the package are those of the library's headers."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import clsolve
from clsolve import _library as lib

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
needs_headers = pytest.mark.skipif(not (INCLUDE / "clsolve" / "clsolve.h").exists(), reason="no headers here")


def run_c(tmp_path, body):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler here")
    source = tmp_path / "probe.c"
    source.write_text(
        "#include <clsolve/clsolve.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n"
        + body
        + "return 0; }\n"
    )
    subprocess.run([compiler, "-I", str(INCLUDE), str(source), "-o", str(tmp_path / "probe")], check=True)
    return subprocess.run([str(tmp_path / "probe")], check=True, capture_output=True, text=True).stdout


@needs_headers
def test_structures(tmp_path):
    body, expected = "", []
    for name, structure in lib.STRUCTURES.items():
        body += f'printf("{name} %zu\\n", sizeof({name}));\n'
        expected.append(f"{name} {ctypes.sizeof(structure)}")
        for field, *_ in structure._fields_:
            body += f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));\n'
            place = getattr(structure, field)
            expected.append(f"{name}.{field} {place.offset} {place.size}")
    assert run_c(tmp_path, body).splitlines() == expected


@needs_headers
def test_enumerations(tmp_path):
    names = {f"CLSOLVE_{status}": value for value, status in lib.STATUS.items()}
    for kind, words in lib.WORDS.items():
        for word, value in words.items():
            names[f"CLSOLVE_{kind}_{word.upper()}"] = value
    for name in (
        "F32",
        "F64",
        "C32",
        "C64",
        "COLUMN_MAJOR",
        "ROW_MAJOR",
        "NO_TRANS",
        "TRANS",
        "CONJ_TRANS",
        "ON_HOST",
        "ON_DEVICE",
        "I32",
        "I64",
        "NORM_ONE",
        "NORM_INF",
        "SCALED_UNIFORMLY",
        "ORDER_GIVEN",
    ):
        names[f"CLSOLVE_{name}"] = getattr(lib, name)
    names["CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST"] = lib.BATCH_LARGEST
    names["CLSOLVE_RCOND_IF_ILL"] = lib.RCOND_IF_ILL
    names["CLSOLVE_LU_BATCH_LARGEST"] = lib.LU_BATCH_LARGEST
    names["CLSOLVE_CHOLESKY_BATCH_LARGEST"] = lib.CHOLESKY_BATCH_LARGEST
    names["CLSOLVE_LDL_BATCH_LARGEST"] = lib.LDL_BATCH_LARGEST
    names.update({f"CLSOLVE_DEVICE_{text.upper()}": value for value, text in lib.DEVICE_TYPES.items()})
    body = "".join(f'printf("{name} %d\\n", (int){name});\n' for name in names)
    assert run_c(tmp_path, body).splitlines() == [f"{name} {value}" for name, value in names.items()]


@needs_headers
def test_every_status_and_word_is_there():
    text = (INCLUDE / "clsolve" / "status.h").read_text()
    assert set(re.findall(r"X\((\w+), -?\d+,", text)) == set(lib.STATUS.values())


@needs_headers
def test_version():
    text = (INCLUDE / "clsolve" / "version.h").read_text()
    version = ".".join(re.search(rf"VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))
    project = (ROOT / "python" / "pyproject.toml").read_text()
    assert clsolve.__version__ == version == re.search(r'^version = "(.*?)"', project, re.M).group(1)
