#!/bin/sh
# site.sh [--no-install]: builds the documentation site in build/site. Its front page is build/site/index.html.
#
#   scripts/site.sh                installs what is missing (Debian, Ubuntu), and builds
#   scripts/site.sh --no-install   builds with what is there
#
# The pages come from README.md, CHANGELOG.md, docs/, examples/, the comments of include/clsolve and the docstrings of
# python/; docs/contributing.md says how. A warning of Doxygen or Sphinx is an error, and so is a link within the site
# that leads nowhere. The Python package loads the library, so a library that is missing is built before, in build/.
#
# PYTHON names a Python that has Sphinx, Breathe, MyST, Furo and numpy, CLSOLVE_LIBRARY another library, SITE_FOLDER
# another folder.
# Exit: 0 built, 1 a failure, 2 wrong usage, 77 not possible here.
set -eu
install=1
case ${1-} in
--help | -h) sed -n '2,/^set -eu/{s/^# \{0,1\}//;/^set -eu/!p;}' "$0"; exit 0 ;;
--no-install) install= ;;
?*) echo "site: there is no option $1; see --help" >&2; exit 2 ;;
esac
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/scripts/packages.sh"
cd "$root"
[ -z "$install" ] || packages_install site

# The first Python that suits: one of pyenv or of an environment hides the system's.
modules="sphinx, breathe, myst_parser, furo, numpy"
for SITE_PYTHON in "${PYTHON-}" python3 /usr/bin/python3; do
    [ -z "$SITE_PYTHON" ] || ! "$SITE_PYTHON" -c "import $modules" 2>/dev/null || break
    SITE_PYTHON=
done
[ -n "$SITE_PYTHON" ] || { echo "site: no Python has all of: $modules" >&2; exit 77; }
command -v doxygen >/dev/null || { echo "site: no doxygen here" >&2; exit 77; }

CLSOLVE_LIBRARY=${CLSOLVE_LIBRARY:-$root/build/libclsolve.so}
if [ ! -e "$CLSOLVE_LIBRARY" ]; then
    cmake --preset release -DCLSOLVE_BUILD_BENCH=OFF
    cmake --build build --target clsolve --parallel "$(packages_cores)"
fi

site=${SITE_FOLDER:-$root/build/site}
work=$site.work # what is made on the way
SITE_XML=$work/xml
export CLSOLVE_LIBRARY SITE_PYTHON SITE_XML PYTHONDONTWRITEBYTECODE=1
rm -rf "$site" "$work"
mkdir -p "$SITE_XML"
doxygen docs/site/Doxyfile
"$SITE_PYTHON" docs/site/stage.py . "$work/source"
"$SITE_PYTHON" -m sphinx -q -W --keep-going -j "$(packages_cores)" -c docs/site -d "$work/doctrees" \
    "$work/source" "$site"
"$SITE_PYTHON" docs/site/check_links.py "$site"
echo "site: $site/index.html"
