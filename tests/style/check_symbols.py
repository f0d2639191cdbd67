"""check_symbols.py ROOT LIST: what compiled objects say of the sources. LIST is a file of paths of objects, one a line.

No object has anything that is written at run time, initialised or not, but for ALLOWED. And no modules or folders need
each other in a circle, by the functions that they really call: also by those that a macro has named (`##`), which
check_circles.py cannot read. Its needs count here too.
"""

import re
import subprocess
import sys
from pathlib import Path

from check_circles import needs, needs_of_folders, read, report

# Names that one object alone may write, and why.
ALLOWED = {
    # what a process, and a thread, has once
    "src/base/process": {"process", "calls_inside", "gate_is_closed", "nobody_registers", "registers_here"},
    "src/method/analysis/order": {"one_at_a_time"},  # METIS takes the process's random numbers
    "src/blas/clblast": {"clblast_mutex", "devices_alive", "devices_dead"},  # CLBlast's cache is the process's
    "src/base/guard": {"guards"},  # calls that the thread is within
    "src/lapack/state": {"cls_lapack", "cls_lapack_is_inside"},  # LAPACK's calls carry no handle
}
SYMBOL = re.compile(r"^[0-9a-f]{8,} (.{7}) (\S+)\t[0-9a-f]+ +(?:\.hidden |\.internal )?(\S+)$")
WRITABLE = re.compile(r"\.(data|bss|tdata|tbss)(?!\.rel\.ro)\b|\*COM\*")


def module_of(path):
    """The module of build/src/FOLDER/CMakeFiles/TARGET.dir/FILE.c.o."""
    folder, _, name = path.partition("CMakeFiles/")
    folder = folder.rpartition("/src/")[2].strip("/")
    name = name.partition(".dir/")[2].removesuffix(".o").removesuffix(".c")
    return "/".join(part for part in ["src", *folder.split("/"), *name.split("/")] if part not in ("", "."))


def symbols(paths):
    """By module: what it defines for others, what it wants of others, and what it writes."""
    defines, wants, writes = {}, {}, {}
    module = None
    for line in subprocess.run(["objdump", "-t", *paths], check=True, capture_output=True, text=True).stdout.splitlines():
        if ":     file format" in line:
            module = module_of(line.partition(":     ")[0])
        elif found := SYMBOL.match(line):
            flags, section, name = found.groups()
            if section == "*UND*":
                wants.setdefault(module, set()).add(name)
            elif flags[0] in "gu" or flags[1] == "w":
                defines[name] = module
            if WRITABLE.match(section) and "d" not in flags and not name.startswith((".", "__")):
                writes.setdefault(module, set()).add(name.partition(".")[0])
    return defines, wants, writes


def main(root, listed):
    defines, wants, writes = symbols([path for path in Path(listed).read_text().splitlines() if path.endswith(".o")])
    if len(defines) < 500:
        print("skipped: objects without symbols")
        return 77
    failed = False
    for module, names in sorted(writes.items()):
        if more := names - ALLOWED.get(module, set()):
            failed = True
            print(f"FAILED: {module} has state that belongs to no context:", *sorted(more))
    if not writes.get("src/base/process", set()) >= ALLOWED["src/base/process"]:
        failed = True
        print("FAILED: the state of base/process.c was not found: this test sees nothing")
    edges, why = needs(*read(Path(root)))
    for module, names in wants.items():
        for name in names & defines.keys():
            if defines[name] != module:
                edges.setdefault(module, set()).add(defines[name])
                why.setdefault((module, defines[name]), set()).add(name)
    failed |= report("modules", edges, why)
    failed |= report("folders", *needs_of_folders(edges))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
