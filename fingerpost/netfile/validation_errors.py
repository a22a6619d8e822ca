"""What is wrong with a network file: where it is, and one line instead of pydantic's many."""

from difflib import get_close_matches
from typing import Any, get_args, get_origin

from fingerpost.formats.graph import shown
from fingerpost.netfile.document import KeyPath
from fingerpost.netfile.schema import Needs, NetworkFile, OneOf, Part

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
    "axi4-lite": "axi4, with lite: all",
    "axi": "axi4",
}
"""What others call families, algorithms and terminals, and how a network file says it."""

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
