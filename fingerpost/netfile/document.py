"""YAML as plain data with its line numbers, in which no value is silently another than it seems."""

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, get_args, get_origin

import yaml

from fingerpost.formats.graph import shown
from fingerpost.netfile.schema import Needs, NetworkFile, OneOf, Part

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


UNKNOWN = "unknown key"

CALLED = {
    "mesh": "grid, with sizes: [4, 4]",
    "torus": "grid, with sizes: [4, 4] and wrap: true",
    "ring": "grid, with sizes: [8] and wrap: true",
    "hypercube": "grid, with sizes: [2, 2, 2]",
    "xy": "dimension-order",
    "dor": "dimension-order",
    "e-cube": "dimension-order",
    "shortest": "table",
    "shortest-path": "table",
    "dijkstra": "table",
}
"""What other tools call families and algorithms, and how a network file says it."""

KEY_CALLED = {
    **dict.fromkeys(("vnets", "virtual_networks", "message_classes"), "classes"),
    **dict.fromkeys(("vc", "vcs", "num_vcs", "channels"), "virtual_channels"),
    **dict.fromkeys(("buffer", "buffers", "vc_buf_size", "buffer_size", "depth"), "buffer_depth"),
    **dict.fromkeys(("width", "data_width", "channel_width"), "flit_width"),
    "courtesy": "bypass_limit",
    "turn_courtesy": "turn_bypass_limit",
}
"""The same of keys, and of keys that had another name here."""


def explain(details: Any, data: Any) -> tuple[KeyPath, str]:
    """Return where one of pydantic's errors is, and the key's need or the right key.

    Parameters
    ----------
    details : mapping
        One of `ValidationError.errors()`.
    data : mapping
        What was validated.
    """
    kind, value = details["type"], data
    path: KeyPath = ()
    needs = Needs("")
    model: type[Part] | None = NetworkFile
    choice: OneOf | None = None
    item: type[Part] | None = None
    for step in details["loc"]:
        if choice:  # pydantic names the chosen model
            model, choice = choice.choices[step], None
        elif item and isinstance(step, int):  # a list of parts
            path, needs = (*path, step), Needs(needs.item)
            model, value, item = item, value[step], None
        elif model is None:  # below a key: an index, or pydantic's name of an alternative
            if isinstance(step, int) and kind != "missing":
                return (*path, step), f"needs {needs.item}, not {shown(details['input'])}"
            kind = "value"
            break
        else:
            path = (*path, str(step))
            field = model.model_fields.get(step)
            if field is None:
                return path, f"{UNKNOWN}; {_suggestion(path, list(model.model_fields))}"
            value = value.get(step) if isinstance(value, dict) else None
            needs = next((x for x in field.metadata if isinstance(x, Needs)), needs)
            choice = next((x for x in field.metadata if isinstance(x, OneOf)), None)
            model, item = None, _item(field.annotation)
    if choice and kind.startswith("union_tag") and isinstance(value, dict):
        return _wrong_choice(path, choice, value)
    if kind == "missing":
        return path, f"the key is missing; it needs {needs.text}"
    return path, f"needs {needs.text}, not {shown(value)}"


def _item(kind: Any) -> type[Part] | None:
    """Return the model of the items of a list of parts, or of one that may be left out."""
    for each in (kind, *get_args(kind)):
        items = get_args(each) if get_origin(each) is list else ()
        if items and isinstance(items[0], type) and issubclass(items[0], Part):
            return items[0]
    return None


def _suggestion(path: KeyPath, known: list[str]) -> str:
    key = str(path[-1])
    near = get_close_matches(key.lower(), known, n=1)
    if (same := KEY_CALLED.get(key.lower())) in known:
        near = [same]
    if near:
        return f"did you mean {near[0]}?"
    key = KEY_CALLED.get(key.lower(), key)
    places: dict[tuple[str, str], float] = {}
    for section, field in NetworkFile.model_fields.items():
        choice = next((x for x in field.metadata if isinstance(x, OneOf)), None)
        having = [key in model.model_fields for model in choice.models] if choice else []
        if any(having):
            places[section, key] = sum(having) / len(having)
    # A key of another kind of the same part is no slip, and what others call so is no remedy.
    if places and (*path[:-1], key) not in places:
        most = max(places, key=lambda place: places[place])
        return f"did you mean {'.'.join(most)}?"
    return f"the keys here are {', '.join(known)}"


def _wrong_choice(path: KeyPath, choice: OneOf, given: Any) -> tuple[KeyPath, str]:
    """Return the error of the key that chooses the model of a part."""
    names = list(choice.choices)
    if choice.key in given:
        value = given[choice.key]
        near = get_close_matches(value, names, n=1) if isinstance(value, str) else []
        if isinstance(value, str) and (same := CALLED.get(value.lower())):
            near = [same] if same.partition(",")[0] in names else []
        hint = f"; did you mean {near[0]}?" if near else ""
        return (*path, choice.key), f"needs {_one_of(names)}, not {shown(value)}{hint}"
    misspelt = get_close_matches(choice.key, [str(key) for key in given], n=1)
    if misspelt:
        return (*path, misspelt[0]), f"{UNKNOWN}; did you mean {choice.key}?"
    return (*path, choice.key), f"the key is missing; it needs {_one_of(names)}"


def _one_of(names: list[str]) -> str:
    return f"one of {', '.join(names)}" if len(names) > 2 else " or ".join(names)
