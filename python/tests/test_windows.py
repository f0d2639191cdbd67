"""The package on Windows, by a stand-in: no Python for Windows is here, so its loader and its folders are played."""

import base64
import hashlib
import os
import subprocess
import sys
import types
import zipfile
from pathlib import Path

import pytest

from clsolve import __main__ as command
from clsolve import _library

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def windows(monkeypatch, tmp_path):
    """sys.platform, the package's folder with its DLLs, what the loader was asked for, and a registry."""
    seen = types.SimpleNamespace(folders=[], loaded=[], registered=[], package=tmp_path / "clsolve")
    (seen.package / "bin").mkdir(parents=True)
    for name in ("clsolve.dll", "libscipy_openblas.dll", "clsolve.exe"):
        (seen.package / "bin" / name).touch()
    registry = types.ModuleType("winreg")
    registry.HKEY_LOCAL_MACHINE = 1
    registry.OpenKey = lambda hive, name: __import__("contextlib").nullcontext(name)
    registry.QueryInfoKey = lambda key: (0, len(seen.registered), 0)
    registry.EnumValue = lambda key, index: (seen.registered[index], 0, 4)
    monkeypatch.setitem(sys.modules, "winreg", registry)
    monkeypatch.setattr(_library.sys, "platform", "win32")
    monkeypatch.setattr(_library.sys, "prefix", str(tmp_path / "prefix"))
    monkeypatch.setattr(_library, "_folder", lambda: seen.package)
    monkeypatch.setattr(os, "add_dll_directory", seen.folders.append, raising=False)
    monkeypatch.setattr(_library.ctypes, "CDLL", lambda name: seen.loaded.append(name) or "library")
    for name in ("CLSOLVE_LIBRARY", "OCL_ICD_FILENAMES", "OCL_ICD_VENDORS"):
        monkeypatch.delenv(name, raising=False)
    return seen


def test_the_library_and_its_folder(windows):
    assert _library._load() == "library"
    assert windows.loaded == [str(windows.package / "bin" / "clsolve.dll")]
    assert windows.folders == [str(windows.package / "bin")]
    assert "OCL_ICD_FILENAMES" not in os.environ


def test_without_the_package_the_system_searches(windows):
    (windows.package / "bin" / "clsolve.dll").unlink()
    assert _library.library_path() == Path("clsolve.dll")
    _library._load()
    assert windows.folders == []


def test_drivers_of_pip_and_of_the_registry(windows, monkeypatch, tmp_path):
    driver = tmp_path / "prefix" / "Library" / "bin" / "intelocl64.dll"
    driver.parent.mkdir(parents=True)
    driver.touch()
    windows.registered.append(str(driver).upper())
    _library._load()
    assert "OCL_ICD_FILENAMES" not in os.environ  # the registry names it
    windows.registered.clear()
    monkeypatch.setenv("OCL_ICD_FILENAMES", "")
    _library._load()
    assert os.environ["OCL_ICD_FILENAMES"] == str(driver)
    assert "OCL_ICD_VENDORS" not in os.environ


def test_the_command(windows, monkeypatch):
    monkeypatch.setattr(command, "__file__", str(windows.package / "__main__.py"))
    assert command.command() == windows.package / "bin" / "clsolve.exe"
    called = []
    monkeypatch.setattr(command.subprocess, "call", lambda words: called.append(words) or 3)
    monkeypatch.setattr(command.sys, "argv", ["clsolve", "devices"])
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 3
    assert called == [[str(windows.package / "bin" / "clsolve.exe"), "devices"]]


def test_the_wheel(tmp_path):
    if not (ROOT / "scripts" / "windows_wheel.py").exists():
        pytest.skip("the wheel is made in a clone")
    pytest.importorskip("tomllib")
    tree = tmp_path / "tree"
    for name in ("bin/clsolve.dll", "bin/libscipy_openblas.dll", "bin/clsolve.exe", "licences/openblas.txt"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(name)
    script = ROOT / "scripts" / "windows_wheel.py"
    subprocess.run([sys.executable, str(script), str(ROOT / "python"), str(tree), str(tmp_path / "out")], check=True)
    (wheel,) = (tmp_path / "out").glob("clsolve-*-py3-none-win_amd64.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (record,) = (name for name in names if name.endswith(".dist-info/RECORD"))
        listed = {}
        for line in archive.read(record).decode().split():
            name, digest, _ = line.split(",")
            listed[name] = digest.removeprefix("sha256=")
        assert set(listed) == set(names)
        for name in names:
            found = base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest()).rstrip(b"=").decode()
            assert name == record or listed[name] == found
        assert "clsolve/bin/clsolve.dll" in names and "clsolve/_library.py" in names
        assert any(name.endswith(".dist-info/licenses/openblas.txt") for name in names)
        assert b"py3-none-win_amd64" in archive.read(record.replace("RECORD", "WHEEL"))
        assert b"Name: clsolve" in archive.read(record.replace("RECORD", "METADATA"))
