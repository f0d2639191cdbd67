#!/bin/sh
# check_versions.sh ROOT: all files that name the version have that of include/clsolve/version.h, and what README.md's badges say
# is so.
cd "$1" || exit 1
status=0
fail() { echo "FAILED: $*"; status=1; }
number() { sed -n "s/^#define CLSOLVE_VERSION_$1 *\([0-9]*\).*/\1/p" include/clsolve/version.h; }
version=$(number MAJOR).$(number MINOR).$(number PATCH)

named() { # file, expression of sed that leaves its version
    found=$(sed -n "$2" "$1" | head -n 1)
    [ "$found" = "$version" ] || fail "$1 has version '$found', and include/clsolve/version.h $version"
}
named python/pyproject.toml 's/^version = "\(.*\)".*/\1/p'
named CITATION.cff 's/^version: //p'
named debian/changelog 's/^clsolve (\([^-]*\)-.*/\1/p'
named scripts/recipes/vcpkg/clsolve/vcpkg.json 's/^  "version": "\(.*\)",$/\1/p'
named scripts/recipes/conda/recipe.yaml 's/^  version: "\(.*\)"$/\1/p'

badge() { # a part of its address, a file, what must stand there
    grep -q "badge/$1-" README.md || return 0
    grep -Eq -e "$3" "$2" || fail "README.md's badge $1 is not what $2 has"
}
badge 'license-Apache--2\.0' LICENSE 'Apache License'
badge 'C-11' CMakeLists.txt 'CMAKE_C_STANDARD 11'
badge 'OpenCL-1\.2' src/CMakeLists.txt 'CL_TARGET_OPENCL_VERSION=120'
badge 'Python-3\.9%2B' python/pyproject.toml 'requires-python = ">=3\.9"'
for link in $(grep -o 'badge/[^)]*' README.md); do
    case $link in
    badge/license-Apache--2.0-* | badge/C-11-* | badge/OpenCL-1.2-* | badge/Python-3.9%2B-*) ;;
    *) fail "README.md has the badge $link, which nothing here checks" ;;
    esac
done
exit $status
