"""Parameters of a network: their descriptions, and errors that name the key."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, get_args, get_type_hints


@dataclass(frozen=True)
class Parameter:
    """What a network file says by a parameter: its annotation in the signature of a class.

    The type and the default stand beside it, as in
    ``n: Annotated[int, Parameter("Symbols.", minimum=3, maximum=9)]``. The class checks the value;
    this describes it for users.
    """

    meaning: str
    """One sentence."""
    needs: str = ""
    """What a value must be, in the words of an error message; follows from the type and the limits
    if those say it all."""
    minimum: int | None = None
    maximum: int | None = None
    """The limits of a number, where they are known beforehand."""
    example: object = None
    """A value; those of all parameters together make a small network."""
    in_file: bool = False
    """Whether a network file names a file that has the value."""

    @property
    def limits(self) -> str:
        """Return the limits in words, as in ``a whole number in 3..9``; nothing without any."""
        if self.minimum is None:
            return ""
        if self.maximum is None:
            return f"of at least {self.minimum}"
        return f"in {self.minimum}..{self.maximum}"


class ParameterError(ValueError):
    """A parameter that is impossible; the message states the requirement and the value.

    Attributes
    ----------
    key : str
        The parameter; empty if it takes several of them to go wrong.
    section : str
        The part of a network's description that contains it, such as ``topology``; `section`
        fills it in, and `index`.
    index : int or None
        The item of that part which contains it, if the part is a list.
    """

    def __init__(self, key: str, message: str, *, section: str = "") -> None:
        super().__init__(message)
        self.key, self.section = key, section
        self.index: int | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Let a worker raise it in the process that it works for."""
        return _again, (type(self), *self.args), self.__dict__


def _again(kind: type[ParameterError], *arguments: object) -> ParameterError:
    """Return an error with these arguments; its attributes are set next."""
    return kind.__new__(kind, *arguments)


def either(choices: Iterable[object]) -> str:
    """Return choices in words: ``a, b or c``."""
    *most, last = map(str, choices)
    return f"{', '.join(most)} or {last}" if most else last


def check_choices(kind: type, title: str, **given: object) -> None:
    """Check keyword parameters against the literals in the signature of a class.

    Raises
    ------
    ParameterError
        If one is none of its choices.
    """
    hints = get_type_hints(kind.__init__)  # type: ignore[misc]
    for key, value in given.items():
        choices = get_args(hints[key])
        if value not in choices:
            raise ParameterError(key, f"{title} needs {key} {either(choices)}, not {value!r}")


def check_limits(kind: type, title: str, **given: object) -> None:
    """Check keyword parameters that are numbers against the limits in the signature of a class.

    Raises
    ------
    ParameterError
        If one is beyond them.
    """
    notes = dict(_notes(kind))
    for key, value in given.items():
        note = notes.get(key)
        if note and note.minimum is not None and isinstance(value, int):
            maximum = value if note.maximum is None else note.maximum
            if not note.minimum <= value <= maximum:
                needs = note.needs or note.limits
                raise ParameterError(key, f"{title} needs {key} {needs}, not {value}")


def example(kind: type) -> dict[str, object]:
    """Return the examples of a class' parameters by key; what serves it is tried on them."""
    return {key: note.example for key, note in _notes(kind) if note.example is not None}


def _notes(kind: type) -> Iterator[tuple[str, Parameter]]:
    """Yield what the signature of a class says of its parameters."""
    hints = get_type_hints(kind.__init__, include_extras=True)  # type: ignore[misc]
    for key, hint in hints.items():
        for note in get_args(hint)[1:]:
            if isinstance(note, Parameter):
                yield key, note


@contextmanager
def section(name: str, index: int | None = None) -> Iterator[None]:
    """Say of errors in here that they are about section `name`, or an item of that list."""
    try:
        yield
    except ParameterError as error:
        if not error.section:
            error.section, error.index = name, index
        raise
