#!/usr/bin/env python3
"""lapack.py: seconds of numpy.linalg's solve, inv and det, with libclsolve_lapack.so in front of NumPy's LAPACK and without.

    bench/lapack.py                                     build/libclsolve_lapack.so, orders 100 to 16384
    bench/lapack.py --orders 1000,4096 --rounds 5       these alone
    bench/lapack.py --library LIBRARY --python PYTHON   another library, another Python
    bench/lapack.py --calls build/bench_lapack_calls    a C program's calls instead of NumPy's, which copies its arguments
    bench/lapack.py --cupy                              CuPy too, from and to arrays of NumPy

Each side is a process of its own. The first call of an order warms both sides and is not timed; the least of the rounds
counts. An answer is checked before its time is printed: the scaled residual is below 30. Variables CLSOLVE_LAPACK_* reach
the side with the library. "device" is how many of its calls went there.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

ORDERS = [100, 200, 400, 800, 1000, 1500, 2000, 3000, 4096, 6000, 8192, 12000, 16384]


def of_cupy():
    """numpy.linalg's functions by CuPy, from host to host."""
    import types

    import cupy

    def by(name):
        def call(*arrays):
            answer = getattr(cupy.linalg, name)(*[cupy.asarray(x) for x in arrays])
            return tuple(map(cupy.asnumpy, answer)) if isinstance(answer, tuple) else cupy.asnumpy(answer)
        return call
    return types.SimpleNamespace(solve=by("solve"), inv=by("inv"), slogdet=by("slogdet"))


def measure(orders, rounds, type_name, is_cupy):
    import numpy as np

    linalg = of_cupy() if is_cupy else np.linalg

    def residual(a, x, b):
        size = np.linalg.norm(a, 1) * np.linalg.norm(x, 1) * a.shape[0] * np.finfo(a.dtype).eps
        return np.linalg.norm(b - a @ x, 1) / size

    def timed(call):
        call()  # warms
        best = None
        for _ in range(rounds):
            start = time.perf_counter()
            answer = call()
            seconds = time.perf_counter() - start
            best = seconds if best is None else min(best, seconds)
        return best, answer

    rng = np.random.default_rng(1)
    for n in orders:
        a = rng.random((n, n)).astype(type_name) - np.asarray(0.5, type_name)
        b = rng.random((n, 1)).astype(type_name)
        seconds, x = timed(lambda: linalg.solve(a, b))
        bad = [] if residual(a, x, b) < 30 else ["solve"]
        row = {"n": n, "solve": seconds}
        row["inv"], inverse = timed(lambda: linalg.inv(a))
        if not residual(a, inverse, np.eye(n, dtype=type_name)) < 30:
            bad.append("inv")
        row["det"], det = timed(lambda: linalg.slogdet(a))
        row["log_det"] = float(det[1])
        row["bad"] = bad
        print(json.dumps(row), flush=True)


def run_side(arguments, library, counts, is_cupy=False):
    environment = dict(os.environ)
    if library:
        environment["LD_PRELOAD"] = library
        environment["CLSOLVE_LAPACK_STATS"] = counts
    else:
        environment.pop("LD_PRELOAD", None)
    command = [arguments.python, os.path.abspath(__file__), "--measure", "--orders", arguments.orders,
               "--rounds", str(arguments.rounds), "--type", arguments.type]
    if is_cupy:
        command.append("--cupy")
    elif arguments.calls:
        command = [arguments.calls, str(arguments.rounds), *arguments.orders.split(",")]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def on_device(counts):
    total = 0
    with open(counts, encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if "device" in words:
                total += int(words[words.index("device") + 1])
    return total


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default=os.path.join(here, "..", "build", "libclsolve_lapack.so"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--orders", default=",".join(map(str, ORDERS)))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--type", default="float64", choices=["float64", "float32"])
    parser.add_argument("--calls", metavar="PROGRAM")
    parser.add_argument("--cupy", action="store_true")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure([int(n) for n in arguments.orders.split(",")], arguments.rounds, arguments.type, arguments.cupy)
        return 0
    library = os.path.realpath(arguments.library)
    if not os.path.exists(library):
        sys.exit(f"lapack.py: there is no {library}: build it, or name it by --library")

    with tempfile.NamedTemporaryFile() as counts:
        plain = run_side(arguments, None, None)
        there = run_side(arguments, library, counts.name)
        print(f"{arguments.type}, {on_device(counts.name)} calls on the device")
        cupy = run_side(arguments, None, None, True) if arguments.cupy else [None] * len(plain)
    beside = f" {'cupy':>12}" if arguments.cupy else ""
    print(f"{'n':>6} " + " ".join(
        f"{name + ' host':>12} {'library':>12}{beside} {'ratio':>7}" for name in ("solve", "inv", "det")))
    failed = False
    for host, library_row, cupy_row in zip(plain, there, cupy):
        wrong = host["bad"] + library_row["bad"]
        if not abs(host["log_det"] - library_row["log_det"]) <= 1e-3 * abs(host["log_det"]) + 1e-3:
            wrong.append("det")
        if wrong:
            print(f"{host['n']:>6} wrong answers: {' '.join(wrong)}")
            failed = True
            continue
        print(f"{host['n']:>6} " + " ".join(
            f"{host[k]:12.3e} {library_row[k]:12.3e}" + (f" {cupy_row[k]:12.3e}" if cupy_row else "") +
            f" {host[k] / library_row[k]:7.2f}" for k in ("solve", "inv", "det")))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
