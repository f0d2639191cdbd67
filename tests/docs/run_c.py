"""run_c.py ROOT BUILD COMPILER: the blocks of C compile, those of the documents and those in the comments of public
headers, as the site shows them. A whole program is linked with the library and run, and must end well. A fragment
becomes a function over what prologue.h declares; tests/style/check_header_examples.sh has the example at the head of a
header."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from blocks import Block, blocks

root, build, compiler = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
sys.dont_write_bytecode = True
sys.path.insert(0, str(root / "docs/site"))
import header_filter  # noqa: E402

flags = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{root / 'include'}", f"-I{root / 'tests/docs'}"]
lenient = ["-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Wno-shadow", "-Wno-unused-label"]


def of_headers():
    for header in sorted((root / "include/clsolve").glob("*.h")):
        text = header_filter.filtered(header)
        for number, match in enumerate(re.finditer(r"\.\. code-block:: c\n\n((?:   .*\n|\n)+)", text)):
            head = text[: match.start()].rstrip().rsplit("\n\n", 1)[-1]
            if not head.startswith("Example"):
                yield Block(f"{header.name}, block", number + 1, "c", re.sub(r"^   ", "", match[1], flags=re.MULTILINE))


failed = programs = fragments = 0
with tempfile.TemporaryDirectory() as folder:
    for block in [*blocks(root, "c"), *of_headers()]:
        source = Path(folder) / "block.c"
        program = Path(folder) / "block"
        whole = re.search(r"^int main\(", block.text, re.MULTILINE)
        if whole:
            programs += 1
            source.write_text(block.text + "\n")
            libraries = [f"-L{build}", f"-Wl,-rpath,{build}", "-lclsolve", "-lm"]
            command = [compiler, *flags, str(source), "-o", str(program), *libraries]
        else:
            fragments += 1
            begin = f'#include "prologue.h"\nvoid block(void);\nvoid block(void) {{\n#line {block.line + 1}\n'
            source.write_text(f"{begin}{block.text}\n}}\n")
            type_of_a = "clsolve_csr" if "_csr(" in block.text else "clsolve_matrix"
            command = [compiler, *flags, *lenient, f"-DTYPE_OF_A={type_of_a}", "-fsyntax-only", str(source)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if ran.returncode == 0 and whole:
            ran = subprocess.run([str(program)], capture_output=True, text=True, timeout=120)
        if ran.returncode != 0:
            failed += 1
            print(f"FAILED: {block}\n{ran.stdout}{ran.stderr}")
print(f"{programs} programs ran, {fragments} fragments compiled, {failed} failed")
sys.exit(1 if failed or not fragments else 0)
