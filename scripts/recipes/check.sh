#!/bin/sh
# check.sh: checks the recipes beside it, CITATION.cff, the workflows and the Python package by those linters that are
# installed here.
#
#   scripts/recipes/check.sh          with CC and CMake as the build has them; the vcpkg port is built for it
#
# Tools come from PyPI: pip install py-rattler-build black isort flake8 cffconvert check-jsonschema zizmor yamllint ruff
# mypy vermin numpy. actionlint is looked for too; PyPI's package fetches it from GitHub. Exit: 0 what could be checked is
# well, 1 a fault.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$here/../..
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0
check() { # tool, command...
    tool=$1
    shift
    command -v "$tool" >/dev/null || { echo "without $tool"; return; }
    if "$@" >"$work/log" 2>&1; then echo "$tool: well"; else cat "$work/log"; echo "FAILED: $*"; status=1; fi
}
cd "$root" || exit 1
check cffconvert cffconvert --validate -i CITATION.cff
check actionlint actionlint .github/workflows/ci.yml .github/workflows/wheels.yml .github/workflows/compilers.yml
check check-jsonschema check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
check zizmor zizmor --offline --quiet .github
yaml_rules='{extends: default, rules: {line-length: {max: 120}, document-start: disable, truthy: {check-keys: false},
  comments: {min-spaces-from-content: 1}}}'
check yamllint yamllint --strict -d "$yaml_rules" .github scripts/recipes CITATION.cff

check ruff ruff check --config python/pyproject.toml --no-cache python
check ruff ruff format --check --config python/pyproject.toml --no-cache python
check mypy mypy --config-file python/pyproject.toml --cache-dir "$work/mypy" python/clsolve
check vermin vermin -t=3.9- --no-tips python/clsolve python/tests

check black black --check -q -l 99 scripts/recipes/spack
check isort isort --check --profile black -l 99 scripts/recipes/spack
check flake8 flake8 --max-line-length 99 --extend-ignore F403,F405 scripts/recipes/spack

if python3 -c 'import rattler_build' 2>/dev/null; then
    check python3 python3 - <<'END'
import rattler_build as r

recipe = r.Stage0Recipe.from_yaml(open("scripts/recipes/conda/recipe.yaml").read())
variants = r.VariantConfig.from_yaml("c_compiler: [gcc]\nc_stdlib: [sysroot]\npython: ['3.12']\n")
outputs = recipe.render(variants, r.RenderConfig(platform=r.PlatformConfig(target_platform="linux-64")))
assert len(outputs) == 2, outputs
END
else
    echo "without rattler-build"
fi

# vcpkg's functions, as far as the port asks for them: it configures, builds and installs, and takes away what it says.
cat >"$work/port.cmake" <<'END'
set(PORT clsolve)
set(CURRENT_PORT_DIR "${HERE}/vcpkg/clsolve")
set(CURRENT_PACKAGES_DIR "${WORK}/packages")
function(vcpkg_check_linkage)
endfunction()
function(vcpkg_find_acquire_program name)
  set(${name} pkg-config PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(arg "" "SOURCE_PATH" "OPTIONS" ${ARGN})
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${WORK}/build ${arg_OPTIONS} -DCMAKE_INSTALL_LIBDIR=lib
    -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()
function(vcpkg_cmake_install)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/build --target install --parallel 2 COMMAND_ERROR_IS_FATAL ANY
    OUTPUT_QUIET)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(arg "" "CONFIG_PATH" "" ${ARGN})
  file(RENAME ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH} ${CURRENT_PACKAGES_DIR}/share/clsolve)
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_install_copyright)
endfunction()
include(${CURRENT_PORT_DIR}/portfile.cmake)
END
check python3 python3 -m json.tool scripts/recipes/vcpkg/clsolve/vcpkg.json
check cmake cmake "-DHERE=$here" "-DWORK=$work" -P "$work/port.cmake"
for file in lib/libclsolve.so.0 lib/libclsolve_lapack.so share/clsolve/clsolveConfig.cmake include/clsolve/clsolve.h; do
    [ -e "$work/packages/$file" ] || { echo "FAILED: the port installs no $file"; status=1; }
done
for file in lib/libclsolve.a lib/clsolve share/doc share/clsolve/clsolveStaticTargets.cmake; do
    [ ! -e "$work/packages/$file" ] || { echo "FAILED: the port leaves $file"; status=1; }
done
exit $status
