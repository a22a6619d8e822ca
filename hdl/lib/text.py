"""Text of users, such as names of nodes, in files and messages: one line that stays one."""


def printable(text: str) -> str:
    r"""Return text in which a blank replaces white space, and U+FFFD what cannot be printed.

    So it is one line, without control characters, and part of any file of UTF-8 or XML.

    Examples
    --------
    >>> printable("a\n\x1bb")
    'a \ufffdb'
    """
    if text.isprintable():
        return text
    # The blank first: line ends are white space that cannot be printed.
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)


def printable_lines(text: str) -> str:
    """Return text of several lines, each as `printable` has it."""
    return "\n".join(map(printable, text.split("\n")))


def comment(text: str) -> str:
    """Return text as a comment of Verilog, up to the end of the line, several words in quotes.

    Without them, ``verilator lint_off`` and ``synthesis translate_off`` would be instructions.

    Examples
    --------
    >>> comment("a*/b"), comment("verilator x")
    ('// a*/b', '// "verilator x"')
    """
    line = printable(text)
    return f'// "{line}"' if " " in line else f"// {line}"
