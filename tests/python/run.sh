#!/bin/sh
# run.sh PYTHON ARGUMENT...: the tests by pytest, or a skip where this PYTHON does not have it: the build may have been made on another
# machine.
"$1" -c 'import numpy, scipy, pytest' 2>/dev/null || { echo "skipped: $1 has no numpy, scipy and pytest"; exit 77; }
exec "$@"
