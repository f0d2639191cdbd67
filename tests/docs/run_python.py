"""run_python.py ROOT: the blocks of Python run on the device under test. Each finds what a reader has before: matrices
and right-hand sides, and the packages that the text speaks of. A block that needs a package which is not here is left
out, and named."""

import contextlib
import importlib
import importlib.util
import io
import sys
import types
import warnings

import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

import clsolve
from blocks import OPTIONAL_MODULES, blocks

root = sys.argv[1]


class Bar:
    """What the library uses of tqdm's bars, where tqdm is not installed."""

    def __init__(self, total):
        self.total, self.n = total, 0

    def update(self, n):
        self.n += n

    def refresh(self):
        pass

    def set_description(self, *arguments, **options):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


def selector():
    found = clsolve.devices()
    pocl = [device.selector for device in found if "Portable Computing Language" in device.platform]
    return (pocl or [device.selector for device in found] or ["host"])[0]


class Context(clsolve.Context):
    """The device under test takes the place of the GPU that a block asks for."""

    def __init__(self, name, *arguments, **options):
        super().__init__(selector() if name == "gpu" else name, *arguments, **options)


def prologue(text):
    """The names that a block finds."""
    rng = np.random.default_rng(1)
    n = 20
    a = rng.standard_normal((n, n)) + n * np.eye(n)
    names = {"np": np, "scipy": scipy, "clsolve": clsolve, "A": a, "a": a, "b": rng.standard_normal(n)}
    if "tqdm" in text:
        tqdm = importlib.util.find_spec("tqdm")
        names["tqdm"] = importlib.import_module("tqdm") if tqdm else types.SimpleNamespace(tqdm=Bar)
    if "splu" in text or "spsolve" in text:
        names["A"] = scipy.sparse.csr_matrix(scipy.sparse.diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(n, n)))
        names["values"] = 2 * names["A"].data
    if "pyopencl" in text or "Context.of" in text:
        cl = importlib.import_module("pyopencl")
        array = importlib.import_module("pyopencl.array")
        platforms = sorted(cl.get_platforms(), key=lambda platform: "Portable" not in platform.name)
        queue = cl.CommandQueue(cl.Context(platforms[0].get_devices()[:1]))
        on_device = array.to_device(queue, np.array(names["b"]))
        names.update(pyopencl=cl, queue=queue, B=on_device)
        names.update(c=array.to_device(queue, np.full((8, 8), 4.0)), f=array.to_device(queue, np.ones((8, 8))))
        if "Context.of" in text:
            names["b"] = on_device
    if "torch_a" in text:
        torch = importlib.import_module("torch")
        names["torch_a"] = torch.tensor(a, requires_grad=True)
        names["torch_b"] = torch.tensor(names["b"])
    return names


warnings.simplefilter("error", clsolve.LinAlgWarning)
real_context = clsolve.Context
failed = ran = 0
for block in blocks(root, "python"):
    needs = [module for module, word in OPTIONAL_MODULES.items() if word in block.text]
    if "Context.of" in block.text:
        needs.append("pyopencl")
    missing = [module for module in needs if importlib.util.find_spec(module) is None]
    if missing:
        print(f"{block}: left out, no {', '.join(missing)} here")
        continue
    clsolve.Context = Context if '"gpu"' in block.text else real_context
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile("\n" * block.line + block.text, block.page, "exec"), prologue(block.text))
        ran += 1
    except Exception as error:  # of any kind: a reader would meet it too
        failed += 1
        print(f"FAILED: {block}: {type(error).__name__}: {error}")
print(f"{ran} blocks ran, {failed} failed")
sys.exit(1 if failed or not ran else 0)
