"""check_blocks.py ROOT BUILD: each block of code in the documents has a language, no line of the lists in blocks.py is
without its block, and the commands in blocks of sh and text have the options and files that the blocks name."""

import re
import shlex
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from blocks import LANGUAGES, NOT_RUN, REPLACED, blocks, lines_of, pages

root, build = Path(sys.argv[1]), Path(sys.argv[2])
failures = []


def fail(text):
    failures.append(text)
    print(f"FAILED: {text}")


def indented(path):
    """The first lines of blocks that are indented instead of fenced: those after an empty line, outside of lists."""
    fenced = listed = False
    before = ""
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and re.match(r"\s*([-*]|\d+\.) ", line):
            listed = True
        elif not fenced and line and not line.startswith(" "):
            listed = False
        elif not fenced and not listed and not before.strip() and re.match(r" {4}\S", line):
            yield number
        before = line


@lru_cache(None)
def help_of(*command):
    run = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=60)
    return run.stdout + run.stderr


def options_of(words):
    """The options among words, without their values: --json, -o."""
    for word in words:
        if word == "--":
            return
        if match := re.match(r"--[a-z][a-z-]*|-[A-Za-z]\b", word):
            yield match[0]


def known(option, text):
    return re.search(re.escape(option) + r"(?![a-z-])", text)


def check_command(block, words):
    """The options of clsolve, of its bench and of the scripts exist, and so do files of the repository."""
    words = [word for word in words if word]
    while words and re.match(r"[A-Z_]+=", words[0]):
        words = words[1:]
    if not words:
        return
    name = words[0].removeprefix("build/")
    if name in ("clsolve", "clsolve-bench") and (build / name).exists():
        command = words[1:2] if len(words) > 1 and re.match(r"[a-z]", words[1]) else []
        text = help_of(str(build / name), *command)
        if "Usage" not in text:
            fail(f"{block}: {name} {' '.join(command)} is no command")
        for option in options_of(words[1:]):
            if not known(option, text):
                fail(f"{block}: {name} {' '.join(command)} has no option {option}")
    elif words[0].startswith(("scripts/", "tests/", "bench/")):
        script = root / words[0]
        if not script.is_file():
            fail(f"{block}: there is no {words[0]}")
            return
        for option in options_of(words[1:]):
            if not known(option, script.read_text()) and script.name != "test.sh":
                fail(f"{block}: {words[0]} has no option {option}")
    elif words[0] == "cmake" and "--preset" in words:
        preset = words[words.index("--preset") + 1]
        if f'"name": "{preset}"' not in (root / "CMakePresets.json").read_text():
            fail(f"{block}: there is no preset {preset}")


def commands_in(line):
    """The words of each command in a line of the shell."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    command = []
    for word in lexer:
        if re.fullmatch(r"[;&|]+", word):
            yield command
            command = []
        else:
            command.append(word)
    yield command


used = set()
counts = {}
for path in pages(root):
    for number in indented(path):
        fail(f"{path.relative_to(root)}:{number}: a block without a fence and a language")
for block in blocks(root):
    counts[block.language] = counts.get(block.language, 0) + 1
    if block.language not in LANGUAGES:
        fail(f"{block}: {block.language!r} is none of the languages {', '.join(LANGUAGES)}")
    used.update((page, begin) for page, begin, _ in NOT_RUN if page == block.page and f"\n{begin}" in f"\n{block.text}")
    used.update((page, old) for page, old, _ in REPLACED if page == block.page and old in block.text)
    if block.language == "sh":
        for line in lines_of(block.text):
            for words in commands_in(line):
                check_command(block, words)
    elif block.language == "text":
        # What a command takes: continued lines are indented, optional parts stand in brackets.
        for line in re.sub(r"\n {4,}", " ", block.text).split("\n"):
            if re.match(r"(clsolve|clsolve-bench) +([a-z]+|--)|scripts/", line):
                for alternative in line.split(", clsolve "):
                    check_command(block, re.sub(r"[][|]", " ", alternative).split())
    elif block.language in ("cmake", "julia"):
        for line in lines_of(block.text):
            if block.reason(line) is None:
                fail(f"{block}: nothing runs {block.language}: list the line in blocks.py, with the reason: {line}")
            name = line.partition("(")[0]
            if block.language == "cmake" and f"function({name} " not in (root / "tests/CMakeLists.txt").read_text():
                fail(f"{block}: tests/CMakeLists.txt has no {name}")
for page, begin, _ in [*NOT_RUN, *REPLACED]:
    if (page, begin) not in used:
        fail(f"blocks.py lists {begin!r}, which no block of {page} has")

print(", ".join(f"{count} of {language}" for language, count in sorted(counts.items())))
sys.exit(1 if failures or not counts else 0)
