#!/bin/sh
# processes.sh N PROGRAM: the program on N processes
. "$(dirname "$0")/common.sh"
plain "$1" "$2"
