"""The form of the text: literals, parentheses, long lines."""

import re
from pathlib import Path
from textwrap import wrap

WIDE = 100
"""Characters of a line, if it can be broken."""

KEYWORDS = frozenset(Path(__file__).with_name("keywords.txt").read_text().split())
"""Of Verilog and SystemVerilog."""


def identifier(wanted: str) -> str:
    """Return a name that Verilog and SystemVerilog allow."""
    name = re.sub(r"\W|\$", "_", wanted).strip("_") or "unnamed"
    return f"{name}_" if name in KEYWORDS or name[0].isdigit() else name


def literal(value: int, width: int) -> str:
    """Return a constant: short ones in decimal, others in hexadecimal."""
    return f"{width}'d{value}" if value < 10 else f"{width}'h{value:x}"


def noted(line: str, note: str) -> str:
    """Return a line with a comment at its end, if there is one."""
    return f"{line} // {note}" if note else line


def span(start: int, stop: int) -> str:
    """Return the selection of some bits."""
    return f"[{start}]" if stop == start + 1 else f"[{stop - 1}:{start}]"


def vector(width: int) -> str:
    """Return the range of a declaration."""
    return f"[{width - 1}:0] " if width > 1 else ""


def folded(text: str) -> list[str]:
    """Return a paragraph in lines that are not too long; one that is indented stays as it is."""
    kept = text.startswith(" ") or not text
    return [text] if kept else wrap(text, WIDE - 4, break_long_words=False, break_on_hyphens=False)


BREAKS = ",:?|^&=+-"
"""Where a line may end, the best first."""


def wrapped(head: str, text: str, *, end: str = ";") -> list[str]:
    """Return a line, or several if it is too long: broken where few parentheses are open."""
    indent = " " * (len(head) - len(head.lstrip()) + 4 if len(head) > 32 else max(len(head), 4))
    lines, rest, start = [], text, head
    while len(start) + len(rest) + len(end) > WIDE:
        best, depth = (10**6, 0, 0), 0
        for at, letter in enumerate(rest[: max(WIDE - len(start), 40)]):
            depth += (letter in "({[") - (letter in ")}]")
            if letter == " " and at > 8 and rest[at - 1] in BREAKS:
                best = min(best, (depth, BREAKS.index(rest[at - 1]), -at))
        cut = -best[2]
        if not cut:
            break
        lines.append(start + rest[:cut])
        start, rest = indent, rest[cut + 1 :]
    return [*lines, start + rest + end]


def aligned(lines: list[str]) -> list[str]:
    """Return declarations with their names in a column, those of one kind in one line."""
    found = [re.match(r"  (wire|reg) (\[.*?\] )?(\w+);( //.*)?$", line) for line in lines]
    size = max((len(each[2] or "") for each in found if each), default=0)
    result: list[str] = []
    for line, each in zip(lines, found, strict=True):
        if each is None:
            result.append(line)
            continue
        head, note = f"  {each[1]:4} {each[2] or '':{size}}", each[4] or ""
        last = result[-1] if result else ""
        alike = last.startswith(head) and last[len(head)] not in " [" and last.endswith(";")
        if alike and not note and len(last) + len(each[3]) + 2 <= WIDE:
            result[-1] = f"{last[:-1]}, {each[3]};"
        else:
            result.append(f"{head}{each[3]};{note}")
    return result
