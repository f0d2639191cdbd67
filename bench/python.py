#!/usr/bin/env python3
"""Times of the Python package next to numpy, scipy, CuPy and PyTorch, where these can be imported.

    python3 bench/python.py                     # the overhead of a call, then n = 1000 to 4096 from numpy arrays
    python3 bench/python.py --sizes 1000,16384 --dtype float32 --context cuda

It needs numpy alone: PYTHONPATH names the folder python/, CLSOLVE_LIBRARY the library. Each answer is verified before
its time is printed: ||b - A x||_1 / (||A||_1 ||x||_1 n eps) is below 30, or "wrong" stands there. A time is the median
of several calls; all columns of a row are measured in turn, in one run. `numpy arrays` include the way to a device and
back.
"""

import argparse
import statistics
import time

import numpy as np

import clsolve


def imported(name):
    try:
        return __import__(name)
    except Exception:  # a package may be there and broken: its column is left out
        return None


scipy_linalg = imported("scipy.linalg") and __import__("scipy.linalg").linalg
scipy_sparse = imported("scipy.sparse.linalg") and __import__("scipy.sparse.linalg").sparse
cupy = imported("cupy")
torch = imported("torch")


def has_gpu():
    try:
        return torch is not None and torch.cuda.is_available()
    except Exception:
        return False


def contenders(context):
    """name: a function of numpy arrays (a, b) -> x."""
    found = {
        "clsolve": lambda a, b: clsolve.solve(a, b, context=context),
        "no rcond": lambda a, b: clsolve.solve(a, b, rcond=False, context=context),
        "numpy": np.linalg.solve,
    }
    if scipy_linalg:
        found["scipy"] = lambda a, b: scipy_linalg.solve(a, b, check_finite=False)
    if cupy:
        found["cupy"] = lambda a, b: cupy.asnumpy(cupy.linalg.solve(cupy.asarray(a), cupy.asarray(b)))
    if has_gpu():
        found["torch cuda"] = lambda a, b: (
            torch.linalg.solve(torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda()).cpu().numpy()
        )
    elif torch:
        found["torch cpu"] = lambda a, b: torch.linalg.solve(torch.from_numpy(a), torch.from_numpy(b)).numpy()
    return found


def is_right(a, x, b):
    norm = np.abs(a).sum(axis=0).max() * np.abs(x).sum() * len(a) * np.finfo(a.dtype).eps
    return bool(np.abs(b - a @ x).sum() < 30 * norm)


def measure(function, budget, synchronise=lambda: None):
    """The median of calls that take about `budget` seconds together, at least three; the first is not counted."""
    function()
    synchronise()
    times, began = [], time.perf_counter()
    while len(times) < 3 or (time.perf_counter() - began < budget and len(times) < 20000):
        start = time.perf_counter()
        function()
        synchronise()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def text(seconds):
    if seconds is None:
        return "wrong"
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def table(title, rows, names):
    print(f"\n{title}\n\n| n | " + " | ".join(names) + " |\n|---:|" + "---:|" * len(names))
    for n, times in rows:
        print(f"| {n} | " + " | ".join(times[name] for name in names) + " |", flush=True)


def system(n, dtype, rng):
    return rng.standard_normal((n, n)).astype(dtype), rng.standard_normal(n).astype(dtype)


def solves(sizes, dtype, budget, context):
    rng = np.random.default_rng(1)
    found = contenders(context)
    for n in sizes:
        a, b = system(n, dtype, rng)
        times = {}
        for name, function in found.items():
            try:
                x = function(a, b)
                times[name] = text(measure(lambda: function(a, b), budget) if is_right(a, x, b) else None)
            except Exception as error:  # out of memory, or a library that does not load
                times[name] = type(error).__name__
        yield n, times


def factors(sizes, dtype, budget, context):
    rng = np.random.default_rng(2)
    for n in sizes:
        a, b = system(n, dtype, rng)
        lu = clsolve.lu_factor(a, context=context)
        times = {"clsolve": text(measure(lambda: lu.solve(b), budget) if is_right(a, lu.solve(b), b) else None)}
        if scipy_linalg:
            pair = scipy_linalg.lu_factor(a)
            times["scipy"] = text(measure(lambda: scipy_linalg.lu_solve(pair, b, check_finite=False), budget))
        yield n, times


def batches(sizes, dtype, budget, context):
    rng = np.random.default_rng(3)
    for n, count in sizes:
        a = rng.standard_normal((count, n, n)).astype(dtype) + 2 * n * np.eye(n, dtype=dtype)
        b = rng.standard_normal((count, n, 1)).astype(dtype)
        times = {}
        for name, function in contenders(context).items():
            if name in ("scipy", "no rcond"):
                continue
            try:
                worst = np.abs(a @ function(a, b) - b).max()
                times[name] = text(
                    measure(lambda: function(a, b), budget) if worst < 1e3 * np.finfo(dtype).eps else None
                )
            except Exception as error:
                times[name] = type(error).__name__
        yield f"{count} x {n}", times


def grid(k):
    """The 5-point operator on k x k unknowns."""
    line = scipy_sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(k, k))
    one = scipy_sparse.identity(k)
    return (scipy_sparse.kron(line, one) + scipy_sparse.kron(one, line)).tocsr()


def circuit(n):
    """Conductances of a ladder with some long wires, and as many amplifiers, which are not symmetric."""
    rng = np.random.default_rng(4)
    count = n // 10
    near, far = np.arange(n - 1), rng.integers(0, n, (2, count))
    begin, end = np.concatenate([near, far[0]]), np.concatenate([near + 1, far[1]])
    conductance = 10 ** rng.uniform(-3, 0, len(begin))
    wires = scipy_sparse.coo_matrix((conductance, (begin, end)), shape=(n, n))
    wires = wires + wires.T
    gains = scipy_sparse.coo_matrix((rng.uniform(0, 1e-2, count), rng.integers(0, n, (2, count))), shape=(n, n))
    ground = scipy_sparse.diags(np.asarray(wires.sum(axis=1)).ravel() + 1e-3)
    return (ground - wires + gains).tocsr()


def sparse_systems(systems, dtype, budget, context):
    """clsolve's spsolve and splu beside SuperLU's, which wants compressed columns."""
    if not scipy_sparse:
        return
    for name, a in systems:
        a = a.astype(dtype)
        columns, b = a.tocsc(), (a @ np.ones(a.shape[0])).astype(dtype)
        solvers = {
            "clsolve spsolve": lambda: clsolve.spsolve(a, b, context=context),
            "scipy spsolve": lambda: scipy_sparse.linalg.spsolve(columns, b),
        }
        times = {}
        for solver, function in solvers.items():
            x = function()
            norm = abs(a).sum(axis=0).max() * np.abs(x).sum() * a.shape[0] * np.finfo(dtype).eps
            right = bool(np.abs(b - a @ x).sum() < 30 * norm)
            times[solver] = text(measure(function, budget) if right else None)
        mine, theirs = clsolve.splu(a, context=context), scipy_sparse.linalg.splu(columns)
        times["clsolve splu"] = text(measure(lambda: clsolve.splu(a, context=context), budget))
        times["scipy splu"] = text(measure(lambda: scipy_sparse.linalg.splu(columns), budget))
        times["clsolve solve"] = text(measure(lambda: mine.solve(b), budget))
        times["scipy solve"] = text(measure(lambda: theirs.solve(b), budget))
        yield f"{name}, {a.shape[0]}", times


def on_device(sizes, dtype, budget):
    """Tensors that lie on the GPU already: the whole solve, and the factorization alone."""
    for n in sizes:
        torch.manual_seed(1)
        kind = torch.float64 if dtype == np.float64 else torch.float32
        a, b = torch.randn(n, n, dtype=kind, device="cuda"), torch.randn(n, 1, dtype=kind, device="cuda")
        functions = {
            "clsolve solve": lambda: clsolve.solve(a, b, rcond=False),
            "torch solve": lambda: torch.linalg.solve(a, b),
            "clsolve lu_factor": lambda: clsolve.lu_factor(a, precision="working"),
            "torch lu_factor": lambda: torch.linalg.lu_factor(a),
        }
        lu = clsolve.lu_factor(a, precision="working")
        functions["clsolve factor again"] = lambda: lu.factor(a)
        if cupy:
            a2, b2 = cupy.from_dlpack(a), cupy.from_dlpack(b)
            functions["cupy solve"] = lambda: cupy.linalg.solve(a2, b2)
        times = {}
        for name, function in functions.items():
            try:
                right = True
                if name.endswith("solve"):
                    x = function()
                    x = x.cpu().numpy() if hasattr(x, "cpu") else cupy.asnumpy(x)
                    right = is_right(a.cpu().numpy(), x, b.cpu().numpy())
                times[name] = text(measure(function, budget, torch.cuda.synchronize) if right else None)
            except Exception as error:
                times[name] = type(error).__name__
        yield n, times


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", default="1000,2000,4096", help="orders of the large systems")
    parser.add_argument("--dtype", default="float64", choices=["float32", "float64"])
    parser.add_argument("--context", default=None, help="selector of the device; default: the best one")
    parser.add_argument("--budget", type=float, default=1.0, help="seconds for each figure")
    options = parser.parse_args()
    dtype = np.dtype(options.dtype)
    context = clsolve.Context(options.context) if options.context else clsolve.default_context()
    versions = [f"clsolve {clsolve.__version__}", f"numpy {np.__version__}"]
    versions += [f"{module.__name__} {module.__version__}" for module in (cupy, torch) if module]
    print(f"{context}, {dtype}; {', '.join(versions)}")
    small, large = [2, 16, 100], [int(n) for n in options.sizes.split(",")]
    most = max(large) if options.budget > 0 else 400
    systems = [("circuit", circuit(most)), ("2-D grid", grid(int(most**0.5)))] if scipy_sparse else []
    for title, rows in (
        ("solve, small: the overhead of a call", solves(small, dtype, options.budget, context)),
        ("lu.solve, small", factors(small, dtype, options.budget, context)),
        ("batches of solve", batches([(8, 1000), (32, 1000), (100, 20)], dtype, options.budget, context)),
        ("solve, numpy arrays", solves(large, dtype, options.budget, context)),
        ("sparse systems", sparse_systems(systems, dtype, options.budget, context)),
        ("tensors on the GPU", on_device(small + large, dtype, options.budget) if has_gpu() else []),
    ):
        rows = list(rows)
        if not rows:
            continue
        table(title, rows, list(rows[0][1]))


if __name__ == "__main__":
    main()
