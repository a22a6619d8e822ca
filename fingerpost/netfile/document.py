"""YAML as plain data with its line numbers, in which no value is silently another than it seems."""

import re
from dataclasses import dataclass
from typing import Any

import yaml

KeyPath = tuple[str | int, ...]
"""Where a value stands: the keys, and indices of lists, that lead to it."""

TAG = "tag:yaml.org,2002:"
TEXT, MERGE, NUMBERS = f"{TAG}str", f"{TAG}merge", (f"{TAG}int", f"{TAG}float")

OCTAL = re.compile(r"[-+]?0[0-7_]+")


class YamlError(ValueError):
    """Text that is not YAML as it is wanted here.

    Attributes
    ----------
    line : int or None
        Counted from 1.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(message)


@dataclass(frozen=True)
class Lines:
    """The line numbers of a YAML text; all are 0 if there is no text."""

    root: yaml.Node | None

    def find(self, path: KeyPath) -> int | None:
        """Return the line of the key (or list item) at `path`, None if there is none."""
        if self.root is None:
            return 0
        node, line = self.root, self.root.start_mark.line
        for step in path:
            if isinstance(node, yaml.MappingNode):
                pairs = [(key, value) for key, value in node.value if key.value == str(step)]
                if not pairs:
                    return None
                key, node = pairs[0]
                line = key.start_mark.line
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
                if not 0 <= step < len(node.value):
                    return None
                node = node.value[step]
                line = node.start_mark.line
            else:
                return None
        return int(line) + 1

    def nearest(self, path: KeyPath) -> int:
        """Return the line of `path`, or of the innermost part around it that is there."""
        parts = (path[:length] for length in range(len(path), -1, -1))
        return next(line for part in parts if (line := self.find(part)) is not None)


def _check(root: yaml.Node) -> None:
    """Take keys as they are written, not as numbers, null or true; refuse what is not as it seems.

    That are keys given twice, of which YAML would take the last; numbers such as 010 and 1:30,
    which it would take for 8 and 90; and merged lists, which may grow without bound.
    """
    waiting: list[tuple[yaml.Node, str]] = [(root, "")]
    seen = set()  # an alias leads to a node more than once, or to itself
    while waiting:
        node, where = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            _check_number(node, where)
            continue
        if isinstance(node, yaml.SequenceNode):
            waiting += [(item, where) for item in node.value]
            continue
        first: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise YamlError("a key needs to be a word, not a list or a mapping", line)
            if key.value in first:
                raise YamlError(
                    f"{where}{key.value}: the key is given twice, first in line "
                    f"{first[key.value]}; remove one",
                    line,
                )
            first[key.value] = line
            if key.tag != MERGE:
                key.tag = TEXT
            elif not isinstance(value, yaml.MappingNode):
                raise YamlError(f"{where}<<: needs one mapping, not a list", line)
            waiting.append((value, f"{where}{key.value}."))


def _check_number(node: yaml.ScalarNode, where: str) -> None:
    if node.tag in NUMBERS and (":" in node.value or OCTAL.fullmatch(node.value)):
        taken = yaml.safe_load(node.value)
        raise YamlError(
            (f"{where.removesuffix('.')}: " if where else "")
            + f"needs a decimal number, not {node.value}, which is {taken} in YAML",
            node.start_mark.line + 1,
        )


def parse(text: str) -> tuple[Any, Lines]:
    """Return the plain data of a YAML document, None if it is empty, and its line numbers.

    Raises
    ------
    YamlError
        If the text is not YAML, has a key twice, or contains anything but plain data.
    """
    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        if root is None:
            start = yaml.Mark("", 0, 0, 0, "", 0)
            return None, Lines(yaml.MappingNode("", [], start, start))
        _check(root)
        return loader.construct_document(root), Lines(root)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = ", ".join(part for part in (error.context, error.problem) if part)
        raise YamlError(f"not YAML: {what}", mark.line + 1 if mark else None) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, int(error.position)) + 1
        raise YamlError("not YAML: a character that text files do not have", line) from None
    except RecursionError:
        raise YamlError("not YAML for a network: nested too deeply") from None
    except YamlError:
        raise
    except (ValueError, LookupError, AttributeError, OverflowError, TypeError) as error:
        # Values such as !!bool maybe or the date 2020-13-45: PyYAML lets these through as they
        # come.
        raise YamlError(f"not YAML: a value that cannot be read ({error})") from None
