"""Contexts, threads, processes and the command."""

import copy
import ctypes
import gc
import os
import pickle
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import clsolve
from clsolve._numpy import readable, solve_by_numpy
from clsolve._library import calls, library_path
from ratios import accept, solve_ratio


def test_devices():
    for device in clsolve.devices():
        assert device.selector and device.type in ("cpu", "gpu", "other") and device.global_memory > 0


def test_contexts_nest(context):
    assert clsolve.default_context() is context
    with clsolve.Context("host") as host:
        assert clsolve.default_context() is host
        with context:
            assert clsolve.default_context() is context
        assert clsolve.default_context() is host
        assert clsolve.lu_factor(np.eye(3)).report.where == "host"
    assert clsolve.default_context() is context
    assert "clsolve.Context" in repr(host) and host.device.backend == "host"


def test_a_context_takes_out_its_own_entry(selector):
    """A generator is closed inside a block that it was not entered in."""

    def steps():
        with clsolve.Context("host"):
            yield

    before = clsolve.default_context()
    generator = steps()
    next(generator)
    with clsolve.Context(selector) as inner:
        generator.close()
        assert clsolve.default_context() is inner
        with inner, inner:
            pass
        assert clsolve.default_context() is inner
    assert clsolve.default_context() is before


def test_blocks_of_threads_are_apart(context):
    inside, outside, wrong = threading.Barrier(2), threading.Barrier(2), []

    def work():
        try:
            with context:
                inside.wait()
                assert clsolve.default_context() is context
                outside.wait()
        except BaseException as error:
            wrong.append(error)
            inside.abort()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert clsolve.default_context() is context


def test_no_such_device():
    with pytest.raises(clsolve.NoDeviceError, match="pocl-opencl-icd"):
        clsolve.Context("no device has this name")


def test_close(selector):
    context = clsolve.Context(selector)
    lu = clsolve.lu_factor(np.eye(3), context=context)
    with lu:
        lu.solve(np.ones(3))
    with pytest.raises(RuntimeError, match="closed"):
        lu.solve(np.ones(3))
    other = clsolve.lu_factor(np.eye(3), context=context)
    context.close()
    for call in (lambda: other.solve(np.ones(3)), lambda: clsolve.solve(np.eye(3), np.ones(3), context=context)):
        with pytest.raises(RuntimeError, match="closed"):
            call()
    context.close()
    assert repr(context) == "<clsolve.Context closed>"


def test_a_handle_outlives_the_name_of_its_context(selector):
    lu = clsolve.lu_factor(np.diag([2.0, 4.0]), context=clsolve.Context(selector))
    gc.collect()
    assert lu.solve([2.0, 4.0]).tolist() == [1, 1]


def test_close_waits_for_calls_of_other_threads(selector, rng):
    """A handle, or its context, is closed while threads solve: they get the error, and never memory that is gone."""
    a = rng.uniform(-1, 1, (50, 50)) + 8 * np.eye(50)
    said = set()

    def work(lu):
        try:
            while True:
                lu.solve(np.ones(50))
        except RuntimeError as error:
            said.add(str(error))

    for k in range(20):
        if k % 5 == 0:
            context = clsolve.Context(selector)
        lu = clsolve.lu_factor(a, context=context)
        threads = [threading.Thread(target=work, args=(lu,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        (context if k % 5 == 4 else lu).close()
        for thread in threads:
            thread.join()
    assert said <= {"this clsolve.LU was closed", "this clsolve.Context was closed"} and said


GARBAGE = """
import gc, threading, numpy as np, clsolve
a = np.eye(50) + 0.001
def solve(lu):
    try:
        while True:
            lu.solve(np.ones(50))
    except RuntimeError:
        pass
def drop(handles):
    while handles:
        handles.pop()
def make(context):
    try:
        while True:
            clsolve.lu_factor(np.eye(3), context=context)
    except RuntimeError:
        pass
def look(context):
    try:
        while True:
            assert context.device.name == context.devices[0].name and repr(context)
    except RuntimeError:
        pass
for k in range(20):
    context = clsolve.Context({selector!r})
    lu, handles = clsolve.lu_factor(a, context=context), [clsolve.lu_factor(a, context=context) for _ in range(20)]
    threads = [threading.Thread(target=work, args=(what,)) for work, what in
               ((solve, lu), (drop, handles), (make, context), (look, context))]
    for thread in threads:
        thread.start()
    context.close()
    for thread in threads:
        thread.join()
    del lu, handles
    gc.collect()
    assert not context._open, context._open
print("end")
"""


def test_garbage_while_a_context_is_closed(selector):
    """Handles lose their last name, others are made, and the context is asked for its device, while it is closed."""
    done = run("-c", GARBAGE.format(selector=selector))
    assert done.returncode == 0 and done.stdout == "end\n", done.stderr


END = """
import threading, time, numpy as np, clsolve
a, b = np.eye(300) + 0.001, np.ones(300)
clsolve.kept = [clsolve.lu_factor(a, context=clsolve.Context({selector!r})) for _ in range(3)]
def work():
    while True:
        clsolve.kept[0].factor(a)
        clsolve.kept[1].solve(b)
started = time.monotonic()
for _ in range({threads}):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3 * bool({threads}))
print("end")
"""


@pytest.mark.parametrize("threads", [0, 2])
def test_the_interpreter_ends(selector, threads):
    """With handles that are alive, and with daemon threads that are using them."""
    done = run("-c", END.format(selector=selector, threads=threads))
    assert done.returncode == 0 and done.stdout == "end\n", done.stderr


def test_handles_are_not_copied(context):
    for made in (clsolve.lu_factor(np.eye(3)), context):
        for call in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be copied or pickled"):
                call(made)
    report = clsolve.lu_factor(np.eye(3)).report
    assert "direct" in report and not {"band", "block_gs", "refinement", "members"} & set(report.to_dict())
    assert not {"inertia", "seed", "det_phase", "rcond"} & set(report.direct.to_dict()) and "lines" not in report
    assert "band" not in repr(report) + str(report) and report.band.lower == report["band"]["lower"] == 0
    assert pickle.loads(pickle.dumps(report)) == copy.deepcopy(report) == report
    assert pickle.loads(pickle.dumps(context.device)) == context.device
    lu = clsolve.lu_factor(np.eye(3))
    lu.close()
    with pytest.raises(RuntimeError, match="closed"):
        with lu:
            pass
    for wrong in (5, "a\0b"):
        with pytest.raises(TypeError, match="selector"):
            clsolve.Context(wrong)


def test_garbage_in_a_progress_function_waits(rng):
    """A handle that is collected while the library works on its context must not call the library."""
    a = rng.uniform(-1, 1, (300, 300))
    ring = [clsolve.lu_factor(np.eye(4))]

    def collect(phase, fraction):
        ring.clear()
        gc.collect()

    lu = clsolve.lu_factor(a, progress=collect, where="device")
    accept(solve_ratio(a, lu.solve(np.ones(300)), np.ones(300)))
    assert not ring and not lu.context._later


def test_threads_share_a_context(context, rng):
    systems = [(rng.uniform(-1, 1, (n, n)) + 3 * np.eye(n), rng.uniform(-1, 1, n)) for n in (3, 20, 50, 90)]
    wrong = []

    def work(a, b):
        try:
            for _ in range(5):
                accept(solve_ratio(a, clsolve.solve(a, b, context=context), b))
                singular = np.diag(np.arange(len(b)) != len(b) - 1).astype(float)
                with pytest.raises(clsolve.LinAlgError, match=rf"singular.*\({len(b)},{len(b)}\)"):  # its own message
                    clsolve.solve(singular, b, context=context)
                with pytest.raises(ValueError, match="infs or NaNs"):
                    clsolve.solve(a * np.nan, b, context=context)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=system) for system in systems]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_gil_is_released(context, rng):
    """While one thread is in the library, another runs Python. No switch is forced: the call itself must give way."""
    a = rng.uniform(-1, 1, (900, 900))
    counted, stop, seen = [0], threading.Event(), []

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)  # gives the GIL back

    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)
    counter = threading.Thread(target=count)
    try:
        counter.start()
        lu = clsolve.lu_factor(a, context=context)
        _, view = readable(a, a.dtype)
        for _ in range(50):
            before = counted[0]
            calls.lu_factor(lu._handle, ctypes.byref(view))
            seen.append(counted[0] - before)
            if seen[-1]:
                break
    finally:
        stop.set()
        sys.setswitchinterval(interval)
        counter.join()
    assert seen[-1] > 0


def run(*arguments, cwd=None, **environment):
    """A Python of its own, with the package of these tests."""
    package = str(Path(clsolve.__file__).parents[1])
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "PYTHONPATH": package, **environment},
    )


FORK = """
import os, sys, numpy as np, clsolve
{before}
sys.stdout.flush()
child = os.fork()
if child == 0:
    try:
        {inside}
    except clsolve.ForkError as error:
        print("refused:", error)
    sys.stdout.flush()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
{after}
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize(
    "before, inside, words",
    [
        ("clsolve.solve(np.eye(2), np.ones(2))", "clsolve.solve(np.eye(2), np.ones(2))", "refused"),
        ("lu = clsolve.lu_factor(np.eye(2))", "lu.solve(np.ones(2))", "refused"),
        ("clsolve.devices()", "clsolve.Context()", "refused"),
        ("", "print('solved:', clsolve.solve(np.eye(2), np.ones(2)))", "solved: [1. 1.]"),
    ],
)
def test_fork(before, inside, words):
    after = "clsolve.solve(np.eye(2), np.ones(2)); print('parent goes on')" if before else ""
    done = run("-c", FORK.format(before=before, inside=inside, after=after))
    assert done.returncode == 0, done.stderr
    assert words in done.stdout
    if before:
        assert "spawn" in done.stdout and "parent goes on" in done.stdout


FORK_AT_ONCE = """
import os, signal, threading, time, numpy as np, clsolve
maker = threading.Thread(target=clsolve.default_context)
maker.start()
while not clsolve._context._default_lock.locked():
    time.sleep(0)
child = os.fork()
if child == 0:
    signal.alarm(60)
    try:
        clsolve.solve(np.eye(2), np.ones(2))
    except clsolve.ForkError:
        os._exit(7)
    os._exit(8)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
maker.join()
print(clsolve.solve(np.eye(2), np.ones(2)))
"""


OPENING = """
import threading, numpy as np, clsolve
from clsolve import _context
held, opening = threading.Event(), threading.Event()
real, status, at_work = _context.Context.__init__, _context.Context.status, []
def init(self, selector=None, **options):
    if selector is None:
        opening.set()
        held.wait()
    real(self, selector, **options)
def first_status(self, *arguments):
    at_work.append(opening.is_set())
    return status(self, *arguments)
_context.Context.__init__, _context.Context.status = init, first_status
a, b = np.eye(3) * 2, np.ones(3)
first = clsolve.solve(a, b)
assert at_work == [False]  # the driver starts behind the first call
assert opening.wait(60) and _context._default is None
second = clsolve.solve(a, b)
held.set()
there = clsolve.default_context()
third = clsolve.solve(a, b)
assert (first == 0.5).all() and (second == 0.5).all() and (third == 0.5).all()
assert _context.quick_context() is there and clsolve.default_context() is there
print("done")
"""


BY_NUMPY = """
import threading, warnings, numpy as np, clsolve
from clsolve import _context, _solve
calls, held = _context.calls, threading.Event()
real, status, library = _context.Context.__init__, _context.Context.status, []
def init(self, selector=None, **options):
    if selector is None:
        held.wait(60)
    real(self, selector, **options)
def asked(self, function, *arguments):
    if function is calls.solve:
        library.append(1)
    return status(self, function, *arguments)
_context.Context.__init__, _context.Context.status = init, asked
rng = np.random.default_rng(1)
n = 230
def matrix(dtype):
    a = rng.standard_normal((n, n))
    return (a + 1j * rng.standard_normal((n, n)) if np.dtype(dtype).kind == "c" else a).astype(dtype)
for dtype in "fdFD":
    for order in "CF":
        for shape in (n,), (n, 1), (n, 3):
            for transposed in False, True:
                a, b = np.asarray(matrix(dtype), order=order), rng.standard_normal(shape).astype(dtype)
                before = a.copy(), b.copy()
                x = clsolve.solve(a, b, transposed=transposed)
                r = (a.T if transposed else a) @ x - b
                ratio = np.abs(r).max() / (np.abs(a).sum(1).max() * np.abs(x).max() * np.finfo(dtype).eps)
                assert x.dtype == b.dtype and x.shape == shape and x.flags.c_contiguous and ratio < 30
                assert (before[0] == a).all() and (before[1] == b).all()
assert not library
a, b = matrix("d"), np.ones(n)
for wrong in np.nan, np.inf:
    for place in "matrix", "sides":
        c, d = a.copy(), b.copy()
        (c if place == "matrix" else d)[3] = wrong
        try:
            clsolve.solve(c, d)
            raise SystemExit(f"{wrong} in the {place}")
        except ValueError as error:
            assert "NaN" in str(error)
singular = a.copy()
singular[:, 7] = 0
try:
    clsolve.solve(singular, b)
    raise SystemExit("singular")
except clsolve.LinAlgError as error:
    assert "singular" in str(error)
ill = (a * np.logspace(0, -17, n)) @ matrix("d")
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    clsolve.solve(ill, b)
assert [w.category for w in said] == [clsolve.LinAlgWarning], said
assert len(library) == 6
questions, compiling, known = [], 1, np.linalg.solve(a, b)
def is_compiling(handle, n, its_type):
    questions.append((n, its_type))
    return compiling
calls.lu_is_compiling = is_compiling
held.set()
there = clsolve.default_context()
def solves(by_library, questions_more, *arguments, **options):
    before = len(library), len(questions)
    x = clsolve.solve(*arguments, **options)
    assert (len(library) - before[0], len(questions) - before[1]) == (by_library, questions_more), options
    return x
assert np.allclose(solves(0, 1, a, b), known)  # the device is open, and a thread compiles
assert questions == [(n, _context.lib.F32), (n, _context.lib.F64)]  # of the call that opened, and of this one
solves(1, 0, a, b, context=there)
solves(1, 0, a, b, where="host")
solves(1, 0, a[:150, :150], b[:150])
with clsolve.Context("host"):
    solves(1, 0, a, b)
_solve._QUICK = n - 1
solves(0, 1, a, b)  # more rows than are solved before a device is open
compiling = 0
solves(1, 1, a, b)
print("done")
"""


def test_numpy_solves_until_a_device_has_kernels():
    """Singular, ill-conditioned and infinite matrices go to the library."""
    done = run("-c", BY_NUMPY, CLSOLVE_HOST="")
    assert done.returncode == 0 and done.stdout == "done\n", done.stderr


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_numpy_leaves_what_is_ill_conditioned(dtype, rng):
    n = 210
    b, random = np.ones(n, dtype), (rng.standard_normal((n, n)) + n * np.eye(n)).astype(dtype)
    scales = np.logspace(0, -20, n).astype(dtype)
    for matrix in (np.diag(scales), random * scales, (random.T * scales).T, np.diag(scales)[::-1]):
        assert solve_by_numpy(np.ascontiguousarray(matrix), b, False) is None
    assert solve_by_numpy(random * dtype(1e12), b, False) is not None
    assert solve_by_numpy(random * np.logspace(0, -3, n).astype(dtype), b, True) is not None


def test_a_call_does_not_wait_until_a_device_is_open():
    environment = {**os.environ, "CLSOLVE_HOST": ""}
    done = subprocess.run([sys.executable, "-c", OPENING], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "done" in done.stdout, done.stderr


# A driver whose loading takes until the file `go` is there.
SLOW_DRIVER = """
#include <stdio.h>
#include <unistd.h>
__thread int of_each_thread = 1;
__attribute__((constructor)) static void load(void) {
    FILE *file = fopen(FOLDER "/inside", "w");
    if (file) (void)fclose(file);
    of_each_thread++;
    for (int turn = 0; turn < 12000 && access(FOLDER "/go", F_OK) != 0; turn++) (void)usleep(10000);
}
"""
OPENING_IN_THE_DRIVER = """
import pathlib, sys, time, numpy as np, clsolve
from clsolve import _context
folder = pathlib.Path(sys.argv[1])
a, b = np.eye(150) * 2, np.ones(150)
clsolve.solve(a, b)
while not (folder / "inside").exists():
    time.sleep(0.01)
for call in range(20):
    assert np.allclose(clsolve.solve(a, b), 0.5)
assert _context._default is None and _context._opener.is_alive()
(folder / "go").touch()
print("done")
"""


def test_a_call_does_not_wait_for_a_driver_that_loads(tmp_path):
    compiler = shutil.which("cc")
    if compiler is None or os.name == "nt":
        pytest.skip("no compiler for a driver")
    (tmp_path / "slow.c").write_text(SLOW_DRIVER)
    driver = tmp_path / "libslow.so"
    define = f'-DFOLDER="{tmp_path}"'
    subprocess.run([compiler, "-shared", "-fPIC", define, "-o", str(driver), str(tmp_path / "slow.c")], check=True)
    (tmp_path / "slow.icd").write_text(f"{driver}\n")
    environment = {**os.environ, "CLSOLVE_HOST": "", "OCL_ICD_VENDORS": str(tmp_path), "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [sys.executable, "-c", OPENING_IN_THE_DRIVER, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0 and "done" in done.stdout, done.stderr


OPENING_FAILS = """
import time, numpy as np, clsolve
from clsolve import _context
real, looks, error = _context.Context.__init__, [], clsolve.DeviceError("taken")
def init(self, selector=None, **options):
    if selector is None:
        looks.append(1)
        if error is not None:
            raise error
    real(self, selector, **options)
_context.Context.__init__ = init
a, b = np.eye(3) * 2, np.ones(3)
def solves(until):
    end = time.monotonic() + 60
    while not until() and time.monotonic() < end:
        assert (clsolve.solve(a, b) == 0.5).all()
    assert until()
solves(lambda: len(looks) == 2)  # the host works, and the device is looked for again
error = None
solves(lambda: _context._default is not None)
assert len(looks) == 3 and _context.quick_context() is _context._default
_context._default = _context._opener = None
_context._looks, error = 0, ValueError("wrong")  # this does not pass: the next call says so
clsolve.solve(a, b)
_context._opener.join()
try:
    clsolve.solve(a, b)
except ValueError as said:
    print(said)
"""


def test_a_device_that_is_taken_for_a_moment_is_opened_later():
    environment = {**os.environ, "CLSOLVE_HOST": ""}
    done = subprocess.run(
        [sys.executable, "-c", OPENING_FAILS], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0 and done.stdout == "wrong\n", done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork_while_the_default_context_is_made():
    done = run("-c", FORK_AT_ONCE)
    assert done.returncode == 0 and done.stdout == "[1. 1.]\n", done.stderr


def test_no_driver_is_no_error(tmp_path):
    done = run(
        "-c",
        "import clsolve\nx = clsolve.solve([[2.0]], [4.0])\n"
        "print(clsolve.devices(), x, clsolve.default_context().device.backend)",
        OCL_ICD_VENDORS=str(tmp_path),
        OCL_ICD_FILENAMES="",
        CUDA_VISIBLE_DEVICES="",
    )
    assert done.returncode == 0, done.stderr
    if done.stdout.startswith("[]"):
        assert "[2.] host" in done.stdout and "pocl-opencl-icd" in done.stderr and "NoDeviceWarning" in done.stderr


def test_no_library_is_told_of(tmp_path):
    done = run("-c", "import clsolve", CLSOLVE_LIBRARY="/no/such/libclsolve.so")
    assert "ImportError" in done.stderr and "CLSOLVE_LIBRARY" in done.stderr
    (tmp_path / "libOpenCL.so.1").write_text("no library")
    done = run("-c", "import clsolve", CLSOLVE_LIBRARY=str(tmp_path / "libOpenCL.so.1"))
    assert "ImportError" in done.stderr and "ocl-icd-libopencl1" in done.stderr


def test_command(tmp_path):
    from clsolve.__main__ import command

    if command() is None:
        pytest.skip("built without the command")
    (tmp_path / "A.mtx").write_text("%%MatrixMarket matrix array real general\n2 2\n2\n0\n0\n4\n")
    (tmp_path / "b.mtx").write_text("%%MatrixMarket matrix array real general\n2 1\n2\n8\n")
    for arguments, status in ((["solve", "A.mtx", "b.mtx", "-o", "x.mtx"], 0), (["no-such-command"], None)):
        done = run("-m", "clsolve", *arguments, cwd=tmp_path)
        assert (done.returncode == 0) == (status == 0), done.stderr
    assert [float(line) for line in (tmp_path / "x.mtx").read_text().split()[-2:]] == [1, 2]
    if next(Path(library_path()).parent.glob("libclsolve_lapack.so*"), None):
        done = run("-m", "clsolve", "run", "--", sys.executable, "-c", "raise SystemExit(5)", cwd=tmp_path)
        assert done.returncode == 5, done.stderr


def test_command_of_the_system(tmp_path, monkeypatch):
    """A library that only the loader finds: the command is that of PATH, and never a file of the current folder."""
    import clsolve.__main__ as main

    if (Path(main.__file__).parent / "bin").is_dir():
        pytest.skip("the package has its own command")
    (tmp_path / "here").mkdir()
    (tmp_path / "installed").mkdir()
    for folder in ("here", "installed"):
        (tmp_path / folder / "clsolve").write_text("#!/bin/sh\n")
        (tmp_path / folder / "clsolve").chmod(0o755)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(main, "library_path", lambda: Path("libclsolve.so.0"))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert main.command() is None
    monkeypatch.setenv("PATH", str(tmp_path / "installed"))
    assert main.command() == tmp_path / "installed" / "clsolve"


def test_several_devices():
    with clsolve.Context("host") as one:
        assert [device.selector for device in one.devices] == ["host"]
    with pytest.raises(ValueError, match="twice"):
        clsolve.Context(["host", "host"])
    with pytest.raises(TypeError, match="a list"):
        clsolve.Context(["host", 1])
