"""header_filter.py HEADER: Doxygen's INPUT_FILTER. Writes the header with comments in reStructuredText, for Breathe.

The headers are the manual of the library, and their comments are laid out for people who read the files. This filter
knows the layout, so that the site shows the same text with tables and links:

  text at the margin                         paragraphs; up to three words and a full stop at their head are a heading
  two columns in, "- " or "1. "              a list
  two columns in, gaps of two blanks         parameters, if the first column has nothing else; else a table, whose
                                             first line is its head if it begins like "status   when"
  deeper                                     code or a drawing, as it stands
  clsolve_lu_solve, SINGULAR, lu.h           links, and so is docs/lapack.md

A comment behind code belongs to that code, one that a blank line follows belongs to the file, and any other to what
comes next.
"""

import re
import sys
from pathlib import Path

HEADS = ("status", "layout", "call", "the report says")  # what the first cell of a table's head says
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


class Names:
    """The public names of all headers, by which the text of one links to the others."""

    def __init__(self, folder):
        texts = {path.name: path.read_text() for path in sorted(folder.glob("*.h"))}
        code = COMMENT.sub("", "\n".join(texts.values()))
        self.headers = set(texts)
        self.roles = {}
        for role, pattern in (
            ("macro", r"^#define (CLSOLVE_\w+)"),
            ("enumerator", r"\b(CLSOLVE_[A-Z0-9_]+)\s*="),
            ("type", r"^} (clsolve_\w+);|^typedef struct \w+ (clsolve_\w+);|^typedef enum (clsolve_\w+)"),
            ("type", r"\(\*(clsolve_\w+)\)"),
            ("func", r"^(?:CLSOLVE_API|static inline) [^;{(]*?\b(clsolve_\w+)\("),
        ):
            for match in re.finditer(pattern, code, re.MULTILINE):
                self.roles.setdefault(next(filter(None, match.groups())), role)
        self.statuses = re.findall(r'X\((\w+), (-?\d+), "(.*)"\)', texts["status.h"])
        for name, _, _ in self.statuses:
            self.roles["CLSOLVE_" + name] = "enumerator"

    def link(self, word):
        """`word` as a link to what it names; None if it names nothing."""
        bare = word.removesuffix("()").removeprefix("clsolve/")
        if bare in self.headers:
            return f":doc:`{bare} </api/{bare.removesuffix('.h')}>`"
        if bare.startswith("docs/"):
            return f":doc:`{bare} </{bare.removesuffix('.md')}>`"
        if bare in self.roles:
            return f":c:{self.roles[bare]}:`{bare}`"
        if bare != "OK" and any(bare == name for name, _, _ in self.statuses):
            return f":c:enumerator:`{bare} <CLSOLVE_{bare}>`"
        return f"``{word}``" if re.match(r"clsolve_|CLSOLVE_", word) else None

    def inline(self, text):
        """The text of a sentence: links, `code`, and all that reStructuredText would take for markup escaped."""
        pattern = (
            r"`[^`]*`|\bclsolve_<\w+>[\w<>]*|\bdocs/[\w-]+\.md|\b(?:clsolve/)?\w+\.h\b"
            r"|\b[A-Za-z_][A-Za-z_0-9]*(?:\(\))?"
        )
        out = ""
        end = 0
        for match in re.finditer(pattern, text):
            word = match[0]
            link = f"``{word[1:-1]}``" if word[0] == "`" else self.link(word)
            if link is None:
                continue
            before = text[end : match.start()]
            out += escape(before) + (r"\ " if before and not before[-1].isspace() else "") + link
            end = match.end()
            if end < len(text) and not text[end].isspace():
                out += r"\ "
        return re.sub(r"^(?=\w[.)] )", r"\\", out + escape(text[end:]))  # "S. Author" is no list


def escape(text):
    return re.sub(r"_(?=\W|$)", r"\\_", re.sub(r"([\\*`|])", r"\\\1", text))


def indent_of(line):
    return len(line) - len(line.lstrip())


def blocks_of(lines):
    """(indent, lines) of each paragraph, list, table and drawing. A drawing goes on over blank lines."""
    blocks = []
    apart = True
    for line in lines:
        if not line.strip():
            apart = True
            continue
        deep = min(indent_of(line), 4)
        if (
            blocks
            and not apart
            and blocks[-1][1][0].startswith("Example, given")
            and not blocks[-1][1][-1].endswith(":")
        ):
            deep = 0  # the declarations go on
        if blocks and (not apart and (blocks[-1][0] > 0) == (deep > 0) or apart and blocks[-1][0] == deep == 4):
            blocks[-1][1].extend(["", line] if apart else [line])
        else:
            blocks.append((deep, [line]))
        apart = False
    return blocks


def table_of(lines):
    """The rows of a table, each a list of cells; None if the lines are none."""
    starts = [2] + [match.end() for match in re.finditer(r"\S {2,}(?=\S)", lines[0])][:2]
    if lines[0].split("  ")[1].strip() != "status" and not lines[0].strip().startswith(HEADS):
        starts = starts[:2]
    if len(starts) < 2:
        return None
    rows = []
    for line in lines:
        if indent_of(line) <= 2 and not (rows and rows[-1][0][-1].endswith(",")):
            cut = [line[a:b].strip() for a, b in zip(starts, starts[1:] + [None])]
            if any(line[start - 1 : start] not in ("", " ") for start in starts):
                return None
            rows.append([[cell] for cell in cut])
        elif indent_of(line) >= starts[1] or indent_of(line) == 2:
            for cell, a, b in zip(rows[-1], starts, starts[1:] + [None]):
                cell.append(line[a:b].strip())
        else:
            return None
    return [[" ".join(filter(None, cell)) for cell in row] for row in rows]


def shifted(text, by):
    return ["" if not line else " " * by + line for line in text]


def rst_of(lines, names, of_file, declaration=""):
    """A comment's lines, without its stars, as reStructuredText. `declaration` is what the comment describes."""
    words_after = set(re.findall(r"\w+", declaration))
    out = []
    for number, (deep, block) in enumerate(blocks_of(lines)):
        out.append("")
        if deep == 0:
            text = " ".join(line.strip() for line in block)
            head = re.match(r"([A-Z]\w+(?: \w+){0,2})\. (?=\S)", text)
            if head and (of_file or number > 0):
                out.append(f"**{head[1]}.** " + names.inline(text[head.end() :]))
            else:
                out.append(names.inline(text))
        elif deep < 4 and re.match(r"\s*(-|\d+\.) ", block[0]):
            out.extend(
                re.sub(r"^(\s*(?:-|\d+\.)? *)(.*)", lambda m: m[1] + names.inline(m[2]), line)[2:] for line in block
            )
        elif deep < 4 and (rows := table_of(block)):
            parameters = [set(re.split(", *", row[0])) for row in rows]
            strangers = [row[0] for row, of_row in zip(rows, parameters) if not of_row <= words_after]
            if strangers and 2 * len(strangers) <= len(rows):
                sys.exit(f"header_filter: {strangers} among the parameters of{declaration}")
            if not strangers:
                for name, meaning in rows:
                    out += [
                        ", ".join(f"``{word}``" for word in re.split(", *", name)),
                        f"   {names.inline(meaning)}",
                        "",
                    ]
            else:
                head = ["   :header-rows: 1"] if rows[0][0] in HEADS else []
                out += [".. list-table::", *head, "   :class: outcomes", ""]
                for row in rows:
                    out.append(f"   * - {names.inline(row[0])}")
                    out += [f"     - {names.inline(cell)}" for cell in row[1:]]
        elif deep < 4 and all(indent_of(line) == 2 for line in block):
            out += [f"| {names.inline(line.strip())}" for line in block]
        else:
            margin = min(indent_of(line) for line in block if line)
            code = any(re.search(r";\s*($|//)", line) for line in block) and not block[0].lstrip().startswith("|")
            out += [f".. code-block:: {'c' if code else 'none'}", ""]
            out += shifted([line[margin:] for line in block], 3)
    return out[1:]


def verbatim(rst, command=""):
    return "\n".join([f"/** {command}", r"\verbatim embed:rst", *rst, r"\endverbatim", "*/"])


def stripped(comment):
    """The lines of a comment without the stars at their head."""
    return [re.sub(r"^\s*\* ?|^ ", "", line).rstrip() for line in comment[2:-2].rstrip().split("\n")]


def filtered(path):
    names = Names(path.parent)
    text = path.read_text()
    # The statuses are a list for the preprocessor; Doxygen gets what comes of it.
    statuses = "\n".join(f"CLSOLVE_{name} = {value}, /* {meaning} */" for name, value, meaning in names.statuses)
    text = re.sub(
        r"#define CLSOLVE_STATUS_ENUM.*?#undef CLSOLVE_STATUS_ENUM", lambda _: statuses, text, flags=re.DOTALL
    )
    text = re.sub(r"#define CLSOLVE_STATUS_LIST\(X\)(?:.*\\\n)+.*\n", "#define CLSOLVE_STATUS_LIST(X)\n", text)
    text = re.sub(r"#ifndef (CLSOLVE_\w+_H)\n#define \1\n", "#if 1\n", text)

    of_file = []
    out = ""
    end = 0
    for match in COMMENT.finditer(text):
        before = text[end : match.start()]
        out += before
        end = match.end()
        lines = stripped(match[0])
        if not of_file:
            while lines and not lines[0].strip():
                lines.pop(0)
            lines[0] = re.sub(r"^[\w.]+\.h: *", "", lines[0])
            lines[0] = lines[0][:1].upper() + lines[0][1:]
            of_file = rst_of(lines, names, True)
        elif before.rsplit("\n", 1)[-1].strip():
            out += (
                r"/**< \verbatim embed:rst:inline "
                + names.inline(" ".join(line.strip() for line in lines))
                + r" \endverbatim */"
            )
        elif text[end : end + 2] == "\n\n":
            of_file += ["", *rst_of(lines, names, True)]
        else:
            out += verbatim(rst_of(lines, names, False, text[end:].partition("\n\n")[0]))
    out += text[end:]

    # A declaration without a comment of its own is described with the one before.
    described = None
    result = []
    previous = ""
    for line in out.split("\n"):
        declaration = re.match(r"(?:CLSOLVE_API|static inline) [^;{(]*?\b(clsolve_\w+)\(", line)
        if declaration and not previous.endswith("*/"):
            result.append(verbatim([f"See :c:func:`{described}`."]))
        elif declaration:
            described = declaration[1]
        result.append(line)
        previous = line
    return verbatim(of_file, command=rf"\file {path.name}") + "\n" + "\n".join(result)


if __name__ == "__main__":
    sys.stdout.write(filtered(Path(sys.argv[1])))
