# SPDX-License-Identifier: Apache-2.0

import os

from spack.package import *


class Clsolve(CMakePackage):
    """Solves systems of linear equations on GPUs and CPUs, by OpenCL: dense and
    banded LU, mixed precision, Gauss-Jordan, iterations for grids, sparse
    matrices, and LAPACK's names for existing programs. A library and a command."""

    # The clone that this file lies in: spack repo add scripts/recipes/spack
    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), *[".."] * 5))

    license("Apache-2.0")

    version("main", branch="main")

    variant("tool", default=True, description="The command, man pages and completions")
    variant("lapack", default=True, description="LAPACK's names in front of the host's LAPACK")
    variant("cuda", default=False, description="The CUDA backend beside OpenCL")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("opencl@1.2:")
    depends_on("clblast")
    depends_on("openblas threads=pthreads")
    depends_on("jansson")
    depends_on("metis@5:")
    depends_on("suite-sparse")
    depends_on("xxhash")
    depends_on("popt", when="+tool")
    depends_on("cuda@11:", when="+cuda")  # its headers; the libraries are loaded at run time

    conflicts("platform=darwin", when="+lapack")

    def cmake_args(self):
        # Spack's OpenBLAS has LAPACKE's functions inside.
        openblas = self.spec["openblas"]
        args = [
            self.define("CLSOLVE_LAPACKE_HEADERS", openblas.prefix.include),
            self.define("CLSOLVE_LAPACKE_LIBRARY", openblas.libs[0]),
            self.define("CLSOLVE_BUILD_TESTS", False),
            self.define("CLSOLVE_BUILD_BENCH", False),
            self.define("CLSOLVE_PETSC", "OFF"),
            self.define("CLSOLVE_FORTRAN", "OFF"),
            self.define("CLSOLVE_BUILD_EXAMPLES", False),
            self.define_from_variant("CLSOLVE_BUILD_TOOL", "tool"),
            self.define_from_variant("CLSOLVE_BUILD_LAPACK", "lapack"),
            self.define_from_variant("CLSOLVE_CUDA", "cuda"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CLSOLVE_CUDA_ROOT", self.spec["cuda"].prefix))
        return args
