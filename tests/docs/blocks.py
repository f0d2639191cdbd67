"""The blocks of code in the documents: where they are, and which of them do not run as they stand.

A block is fenced and names its language. c, fortran, python and sh are compiled or run, cmake and julia are only looked
at, and text is no code: an output, a formula, a drawing, or what a command takes, whose options are compared with its
--help.
"""

import re
from pathlib import Path

LANGUAGES = ("c", "cmake", "fortran", "julia", "python", "sh", "text")

# Lines that do not run here, by how they begin, and the reason. One that no block has fails the test. The options of
# commands are checked in these lines too.
NOT_RUN = [
    ("README.md", "scripts/quickstart.sh", "installs packages and builds"),
    ("README.md", "scripts/test.sh", "runs this test"),
    (
        "README.md",
        "env/bin/pip install ./python",
        "downloads what builds the package; scripts/wheel.sh --test installs a wheel",
    ),
    ("README.md", "python3 -m venv env", "makes the environment for the line below it"),
    ("README.md", "build/clsolve tune", "takes a minute; tests/tool/tune.sh runs it"),
    ("README.md", "build/clsolve warm", "compiles all kernels; tests/tool/warm.sh runs it"),
    ("README.md", "cmake --preset release", "makes the folder that the tests run in"),
    ("README.md", "cmake --build build", "makes the folder that the tests run in"),
    ("docs/contributing.md", "scripts/test.sh", "runs this test"),
    ("docs/contributing.md", "scripts/test_gpu.sh", "needs an NVIDIA GPU"),
    ("docs/contributing.md", "scripts/portability.sh", "needs the records of another run"),
    ("docs/contributing.md", "scripts/sanitize_cuda.sh", "needs an NVIDIA GPU"),
    ("docs/contributing.md", "scripts/runtimes.sh", "downloads OpenCL implementations"),
    ("docs/contributing.md", "cd python && python3 -m pytest", "ctest -L python runs it"),
    ("docs/contributing.md", "mypy clsolve", "needs mypy and ruff"),
    ("docs/contributing.md", "clsolve_add_test", "registers a test"),
    ("docs/lapack.md", "using LinearAlgebra", "needs Julia"),
    ("docs/lapack.md", "BLAS.lbt_forward", "needs Julia"),
    ("docs/lapack.md", "update-alternatives", "changes the system; debian/tests/smoke runs it"),
    ("docs/lapack.md", "flexiblas add", "changes the system, and needs FlexiBLAS"),
    ("docs/lapack.md", "FLEXIBLAS=clsolve COMMAND", "needs FlexiBLAS"),
    ("docs/packaging.md", "cmake -S . -B build -DCLSOLVE_CUDA=ON", "takes minutes, and needs NVRTC; cuda_shipped tests it"),
    ("docs/packaging.md", "scripts/debian.sh", "needs root, and makes chroots"),
    ("docs/packaging.md", "apt-get install", "needs root"),
    ("docs/packaging.md", "scripts/wheel.sh", "takes minutes, and downloads what builds wheels"),
    ("docs/performance.md", "clsolve-bench", "takes minutes; tests/bench runs it on small matrices"),
    ("docs/tuning.md", "clsolve tune", "takes a minute; tests/tool/tune.sh runs it"),
]

# In lines that run: what stands for something else here.
REPLACED = [
    ("README.md", "/where/it/shall/be", "$PREFIX"),
    ("examples/README.md", "/where/clsolve/is", "$PREFIX"),
    ("docs/fortran.md", "solve.f90", "fortran/solve_dense.f90"),
    ("docs/lapack.md", "8000", "200"),
    ("docs/lapack.md", "4000", "200"),
    ("docs/lapack.md", "16e6", "4e4"),
]

# Modules of Python, and commands, without which a block or a line that names them is left out.
OPTIONAL_MODULES = {"pyopencl": "pyopencl", "torch": "torch_a"}
OPTIONAL_COMMANDS = ("gfortran", "octave-cli", "Rscript")


class Block:
    def __init__(self, page, line, language, text):
        self.page = page
        self.line = line
        self.language = language
        self.text = text

    def __str__(self):
        return f"{self.page}:{self.line}"

    def reason(self, line):
        """Why a line of the block does not run here; None if it does."""
        for page, begin, reason in NOT_RUN:
            if page == self.page and line.startswith(begin):
                return reason
        return None


def pages(root):
    others = [root / "examples/README.md", root / "python/README.md"]
    for path in sorted([*root.glob("*.md"), *root.glob("docs/**/*.md"), *others]):
        if "docs/site" not in str(path):
            yield path


def blocks(root, language=None):
    """All blocks of the documents, or those of one language."""
    root = Path(root)
    for path in pages(root):
        page = str(path.relative_to(root))
        begin = None
        for number, line in enumerate(path.read_text().split("\n"), 1):
            fence = re.match(r"```(.*)", line)
            if fence and begin is None:
                begin, found, lines = number, fence[1], []
            elif fence:
                if language in (None, found):
                    yield Block(page, begin, found, "\n".join(lines))
                begin = None
            elif begin is not None:
                lines.append(line)


def lines_of(text):
    """The commands of a block of sh: continued lines are joined, comments and empty lines left out."""
    text = text.replace("\\\n", " ")
    return [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
