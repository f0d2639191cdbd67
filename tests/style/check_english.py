"""check_english.py ROOT: the English of comments, docstrings and documents, as far as a program can read it.

- No headless sentence: one that begins with What, Where, Of, That, Those or Such and has no main clause of its own.
- No word of the table below, which the project replaces by the field's own terms; in the messages of src too. Names of
  the code may have it: in backquotes, or in capitals.
- No line beyond column 120, of what builds and documents the sources too. Markdown's tables, code and targets of links
  may be longer.
- No sentence of more than 30 words in the public headers and in README.md.
"""

import io
import re
import sys
import tokenize
from pathlib import Path

FOLDERS = ("src", "cl", "include", "python", "petsc", "docs")
C_SOURCES = (".c", ".h", ".cl", ".clh", ".inc")
LAID_OUT = (".txt", ".f90", ".awk", ".sh", ".map", ".wrap", ".toml")  # their lines alone are looked at
DOCUMENTS = ("README.md", "CHANGELOG.md", "SECURITY.md", "examples/README.md")
LONGEST_SENTENCE = 30

HEADLESS = re.compile(
    r"""Of\ (?!course)                                    # Of a pivot, ...
    |   What\b(?![^.]*\?)                                 # What is no number is ...
    |   Where\b(?![^.]*(,|\?))                            # Where it lies. With a comma a main clause follows.
    |   That\ (a|an|the|it|its|no|this|these|all|each|any|they|their|which|what|of|one|nothing|only)\b
    |   Those\ (of|that|with|in|for|from|which|whose|who|on|at|by|behind|before|after|to|not|two|are|is|have|go|come|lie)\b
    |   Such\ (is|are|was|were|as|that|go|come|have|has)\b""",
    re.VERBOSE,
)

# A word, and the words to write instead.
WORDS = [
    (r"beside", "concurrently, overlapped, next to, with"),
    (r"offer(s|ed|ing)?", "candidate"),
    (r"crew(s)?", "thread pool"),
    (r"verdict(s)?", "outcome"),
    (r"judge(s|d)?", "growth and determinant"),
    (r"lift(s|ed|ing)?", "scale"),
    (r"mend(s|ed|ing)?", "perturb, replace, correct"),
    (r"kept matrix", "copy of A"),
    (r"trust(s|ed)?", "accuracy"),
    (r"own product(s)?", "built-in product"),
]
FORBIDDEN = [
    (re.compile(rf"(?<![\w./-])(?![A-Z]{{2}})(?i:{word})(?![\w(/]|\.[a-z]|-)"), other) for word, other in WORDS
]


def c_comments(text):
    """The comments of C: (number of the first line, text without marks), lines of // joined."""
    for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*', text, re.S):
        found = match[0]
        if found[0] in "\"'":
            continue
        lines = re.sub(r"^/\*+ ?|\*/$", "", found, flags=re.S).split("\n")
        yield text.count("\n", 0, match.start()) + 1, [re.sub(r"^\s*(\*|//) ?", "", line) for line in lines]


def c_messages(text):
    """The strings of C that have a space: (number of the line, text)."""
    for match in re.finditer(r'"((?:[^"\\\n]|\\.)*)"|/\*.*?\*/|//[^\n]*', text, re.S):
        if match[1] and " " in match[1]:
            yield text.count("\n", 0, match.start()) + 1, match[1]


def python_comments(text):
    """Comments and docstrings of Python, in the same form."""
    block, begin, last = [], 0, -1
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return
    for token in tokens:
        if token.type == tokenize.COMMENT:
            if token.start[0] != last + 1:
                if block:
                    yield begin, block
                block, begin = [], token.start[0]
            block.append(token.string.lstrip("# "))
            last = token.start[0]
        elif token.type == tokenize.STRING and re.match(r'[rR]?"""', token.string):
            yield token.start[0], token.string.strip('rR"').split("\n")
    if block:
        yield begin, block


def prose(text):
    """The paragraphs of a Markdown page, without code, tables and the targets of links."""
    fenced, number = False, 0
    block, begin = [], 0
    for number, line in enumerate(text.split("\n"), 1):
        stop = line.startswith(("```", "|", "#", "<", "![")) or not line.strip()
        if line.startswith("```"):
            fenced = not fenced
        if re.match(r"\s*([-*]|\d+\.) ", line) or stop or fenced:
            if block:
                yield begin, block
            block = []
        if not stop and not fenced:
            if not block:
                begin = number
            block.append(re.sub(r"\]\([^)]*\)", "]", re.sub(r"^\s*([-*]|\d+\.) ", "", line)))
        elif line.startswith("|") and not fenced:
            for cell in line.strip("|").split("|"):
                yield number, [re.sub(r"\]\([^)]*\)", "]", cell.strip())]
    if block:
        yield begin, block


def sentences(begin, lines):
    """(line, sentence) of a block: an empty line, an indented one and a full stop end a sentence."""
    sentence, start = "", begin
    for number, line in enumerate(lines, begin):
        if not line.strip() or re.match(r"\s{2,}|\s*[-*@\\] |\s*\d+\. ", line):
            if sentence.strip():
                yield start, sentence.strip()
            sentence, start = "", number
        for part in re.split(r"(?<=[.!?])(?<!\.\.\.)\s+|(?<=:)\s+(?=[A-Z])", re.sub(r"\s+", " ", line.strip())):
            if re.search(r"[.!?]$", sentence) or (sentence.endswith(":") and part[:1].isupper()):
                yield start, sentence.strip()
                sentence = ""
            if not sentence:
                start = number
            sentence = f"{sentence} {part}".strip()
    if sentence.strip():
        yield start, sentence.strip()


def faults(root, path):
    name = str(path.relative_to(root))
    text = path.read_text(encoding="utf-8")
    markdown = path.suffix == ".md"
    if not markdown:
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > 120:
                yield number, f"beyond column 120 ({len(line)})"
    if path.suffix in LAID_OUT:
        return
    if name.startswith("src/") and path.suffix in C_SOURCES:
        for number, message in c_messages(text):
            for pattern, other in FORBIDDEN:
                if match := pattern.search(message):
                    yield number, f"write {other} for {match[0]!r} in a message: {message[:70]}"
    blocks = prose if markdown else python_comments if path.suffix == ".py" else c_comments
    for begin, lines in blocks(text):
        for number, sentence in sentences(begin, lines):
            if HEADLESS.match(re.sub(r"\([^()]*\)", "", sentence).lstrip("\"`(")):
                yield number, f"headless: {sentence[:90]}"
            for pattern, other in FORBIDDEN:
                if match := pattern.search(re.sub(r"`[^`]*`", "name", sentence)):
                    yield number, f"write {other} for {match[0]!r}: {sentence[:70]}"
            if name == "README.md" or name.startswith("include/"):
                words = len(re.findall(r"[A-Za-z][A-Za-z'-]+|\ba\b", sentence))
                if words > LONGEST_SENTENCE:
                    yield number, f"{words} words: {sentence[:80]}"


def main():
    root = Path(sys.argv[1])
    files = [root / document for document in DOCUMENTS]
    for folder in FOLDERS:
        files += [path for path in (root / folder).rglob("*") if path.suffix in (*C_SOURCES, *LAID_OUT, ".py", ".md")]
    count = 0
    for path in sorted(files):
        for number, fault in faults(root, path):
            print(f"{path.relative_to(root)}:{number}: {fault}")
            count += 1
    sys.exit(1 if count else 0)


main()
