"""Parameters of a network: what is wrong with one, told by its key."""

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["ParameterError", "section"]


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


@contextmanager
def section(name: str) -> Iterator[None]:
    """Say of errors in here that they are about the parameters of section `name`."""
    try:
        yield
    except ParameterError as error:
        error.section = error.section or name
        raise
