"""Parameters of a network: what they are, and what is wrong with one, told by its key."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import get_args, get_type_hints

__all__ = ["Parameter", "ParameterError", "check_choices", "either", "example", "section"]


@dataclass(frozen=True)
class Parameter:
    """What a network file says by a parameter: its annotation in the signature of a class.

    The type and the default stand beside it, as in
    ``n: Annotated[int, Parameter("Symbols.", least=3, most=9)]``. The class checks the value; this
    is for those who write one.

    Attributes
    ----------
    meaning : str
        One sentence.
    needs : str
        What a value must be, in the words of an error message; follows from the type and the
        limits if those say it all.
    least, most : int, optional
        The limits of a number, where they are known beforehand.
    example : object, optional
        A value; those of all parameters together make a small network.
    """

    meaning: str
    needs: str = ""
    least: int | None = None
    most: int | None = None
    example: object = None


class ParameterError(ValueError):
    """A parameter that is impossible; the message says what is needed, and what came.

    Attributes
    ----------
    key : str
        The parameter; empty if it takes several of them to go wrong.
    section : str
        The part of a network's description in which it stands, such as ``topology``. Who raises
        the error need not know: `section` fills it in.
    """

    def __init__(self, key: str, message: str, *, section: str = "") -> None:
        super().__init__(message)
        self.key, self.section = key, section


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


def example(kind: type) -> dict[str, object]:
    """Return the examples of a class' parameters by key; what serves it is tried on them."""
    hints = get_type_hints(kind.__init__, include_extras=True)  # type: ignore[misc]
    notes = ((key, get_args(hint)[1:]) for key, hint in hints.items())
    return {
        key: note.example
        for key, some in notes
        for note in some
        if isinstance(note, Parameter) and note.example is not None
    }


@contextmanager
def section(name: str) -> Iterator[None]:
    """Say of errors in here that they are about the parameters of section `name`."""
    try:
        yield
    except ParameterError as error:
        error.section = error.section or name
        raise
