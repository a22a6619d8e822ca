"""Pictures as files: complete or not there, and byte for byte the same every time."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fingerpost.files import write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["kind", "save", "style"]


def kind(path: Path) -> str:
    """Return ``svg`` or ``png``, after the name of a file.

    Raises
    ------
    ValueError
        If its name ends otherwise.
    """
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in ("svg", "png"):
        raise ValueError(f"draw needs a file name that ends in .svg or .png, not {str(path)!r}")
    return suffix


@contextmanager
def style() -> Iterator[None]:
    """Draw in the house's font, and without chance: identifiers in an SVG are salted hashes.

    Letters are not moved to whole pixels, so that words are as wide in a PNG as in an SVG.
    """
    from matplotlib import rc_context

    fixed: dict[Any, str] = {"svg.hashsalt": "fingerpost", "font.family": "DejaVu Sans"}
    with rc_context(fixed | {"text.hinting": "no_hinting"}):
        yield


def save(figure: "Figure", path: Path, *, title: str) -> None:
    """Write a figure to an SVG or PNG file."""
    metadata: dict[str, Any] = {"Title": title}
    metadata |= {"Date": None} if kind(path) == "svg" else {}
    with style():
        write(path, lambda scratch: figure.savefig(scratch, metadata=metadata, dpi=160))
