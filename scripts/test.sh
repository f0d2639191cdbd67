#!/bin/sh
# test.sh [--sanitize|--threads|--all] [arguments of ctest]: installs what is missing, builds and runs all tests.
#
#   scripts/test.sh               in build/, warnings are errors; with CUDA where its toolkit is found
#   scripts/test.sh -L io         only the tests of one room
#   scripts/test.sh --sanitize    in build-asan/, with AddressSanitizer and UndefinedBehaviorSanitizer
#   scripts/test.sh --threads     in build-tsan/, with ThreadSanitizer
#   scripts/test.sh --all         in build/, also the tests that say little more than shorter ones, or take long
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/scripts/packages.sh"

preset=release
all=OFF
case ${1-} in
--sanitize) preset=asan; shift ;;
--threads) preset=tsan; shift ;;
--all) all=ON; shift ;;
esac

packages_install test
cores=$(packages_cores)
cd "$root"
# shellcheck disable=SC2046 # an option and its value, or nothing
cmake --preset "$preset" $(packages_generator "build${preset#release}") -DCLSOLVE_BUILD_TESTS=ON -DCLSOLVE_WERROR=ON -DCLSOLVE_CUDA=AUTO -DCLSOLVE_TEST_ALL=$all
cmake --build --preset "$preset" --parallel "$cores"
exec ctest --preset "$preset" --parallel "$cores" "$@"
