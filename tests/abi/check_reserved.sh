#!/bin/sh
# check_reserved.sh INCLUDE: every public struct of options, and every report, has reserved words: it can grow without
# breaking programs (docs/interface.md).
set -eu
awk '
    /^typedef struct clsolve_[a-z_]*(_options|_report|_report_[a-z_]*|_info) \{/ { name = $3; found = 0; count++ }
    name != "" && /^ *int64_t reserved\[[0-9]+\];/ { found = 1 }
    name != "" && /^} clsolve_/ {
        if (!found) { print "FAILED: " FILENAME ": " name " has no reserved words"; bad = 1 }
        name = ""
    }
    END { print count " structs"; exit bad || count < 12 }
' "$1"/*.h
