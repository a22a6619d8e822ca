"""Pictures as files: complete or not there, and byte for byte the same every time."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fingerpost.jobs.files import write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["adapting", "kind", "save", "style"]

DARK = "@media (prefers-color-scheme: dark) { svg { filter: invert(0.92) hue-rotate(180deg); } }"
"""Dark and light change places and hues stay, as in `fingerpost/report/page.css`."""


def adapting(svg: str) -> str:
    """Return the text of an SVG file that is dark where its reader has a dark colour scheme."""
    return re.sub("<svg[^>]*>", rf"\g<0><style>{DARK}</style>", svg, count=1)


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
    """Write a figure to an SVG file that follows the colour scheme, or to a PNG file."""
    metadata: dict[str, Any] = {"Title": title}
    svg = kind(path) == "svg"
    metadata |= {"Date": None} if svg else {}

    def fill(scratch: Path) -> None:
        figure.savefig(scratch, metadata=metadata, dpi=160)
        if svg:
            text = adapting(scratch.read_text(encoding="utf-8"))
            scratch.write_text(text, encoding="utf-8", newline="\n")

    with style():
        write(path, fill)
