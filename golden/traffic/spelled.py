"""What can be named in a line of text: ``hotspot:share=0.2,nodes=0;5``."""

from dataclasses import MISSING, fields
from typing import Any, ClassVar, Self, get_args, get_origin, get_type_hints

from fingerpost.golden.parameters import Parameter, ParameterError, either


class Spelled:
    """A dataclass whose text is its name and, behind a colon, its parameters.

    Parameters stand in the order of the fields, or as ``key=value``; commas part them, and
    semicolons the members of a list. What has no ``=`` behind a keyed parameter still belongs to
    its value, so that labels of nodes and names of files may have commas. Values are whole
    numbers, numbers or text, as the field says.

    Attributes
    ----------
    what : str
        The word for all of its kind, as in messages.
    name : str
        Its own.
    """

    what: ClassVar[str]
    name: ClassVar[str]

    def __str__(self) -> str:
        given: Any = self
        text = [
            f"{each.name}={_text(getattr(self, each.name))}"
            for each in fields(given)
            if getattr(self, each.name) != each.default
        ]
        return f"{self.name}:{','.join(text)}" if text else self.name

    @classmethod
    def title(cls) -> str:
        """Return what messages call it."""
        return f"{cls.what} {cls.name}"

    @classmethod
    def of(cls, text: str) -> Self:
        """Return what the text behind the colon says.

        Raises
        ------
        ParameterError
            If a parameter is unknown, missing, or none of its values.
        """
        known: Any = cls
        names = [each.name for each in fields(known)]
        hints = get_type_hints(cls)
        values = {name: _value(cls, name, hints[name], x) for name, x in _pairs(cls, names, text)}
        for each in fields(known):
            if each.default is MISSING and each.name not in values:
                sample = next(
                    note.example
                    for note in get_args(get_type_hints(cls, include_extras=True)[each.name])
                    if isinstance(note, Parameter)
                )
                raise ParameterError(
                    each.name,
                    f"{cls.title()} needs {each.name}, as in {cls.name}:{each.name}={sample}",
                )
        return cls(**values)


def _pairs(kind: type[Spelled], names: list[str], text: str) -> list[tuple[str, str]]:
    """Return the parameters and what stands for each."""
    pairs: list[tuple[str, str]] = []
    keyed = False
    for part in text.split(",") if text else []:
        key, equals, value = part.partition("=")
        if equals and key.isidentifier():
            if key not in names:
                raise ParameterError(key, f"{kind.title()} {_needs(names)}, not {key!r}")
            pairs.append((key, value))
            keyed = True
        elif keyed:
            pairs[-1] = pairs[-1][0], f"{pairs[-1][1]},{part}"
        elif len(pairs) == len(names):
            raise ParameterError("", f"{kind.title()} {_needs(names)}, not {part!r} besides")
        else:
            pairs.append((names[len(pairs)], part))
    for i, (key, value) in enumerate(pairs):
        if key in dict(pairs[:i]):
            raise ParameterError(key, f"{kind.title()} needs {key} once, not {value!r} besides")
    return pairs


def _needs(names: list[str]) -> str:
    return f"takes {either(names)}" if names else "takes no parameters"


def _value(kind: type[Spelled], name: str, hint: Any, text: str) -> Any:
    if get_origin(hint) is tuple:
        return tuple(_value(kind, name, get_args(hint)[0], each) for each in text.split(";"))
    if hint is str and text:
        return text
    words = {int: "a whole number", float: "a number", str: "some text"}
    try:
        return {int: int, float: float}[hint](text)
    except (KeyError, ValueError):
        raise ParameterError(
            name, f"{kind.title()} needs {words[hint]} for {name}, not {text!r}"
        ) from None


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ";".join(map(_text, value))
    return str(value)
