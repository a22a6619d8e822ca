"""Pictures: their colours, and files that are complete or not there, the same byte for byte."""

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from fingerpost.hdl.lib.text import printable
from fingerpost.jobs.files import write
from fingerpost.jobs.provenance import line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, LINK, PAPER, GRID = "#22303c", "#7f8e99", "#ffffff", "#dde2e6"

SHADE = "#f1f4f6"
"""Behind nodes that belong together."""

CLASSES = (  # light, so that the numbers stand out
    *("#8ecae6", "#ffd166", "#a8d5a2", "#f4acb7", "#cdb4db", "#f8ad6d"),
    *("#80cfc4", "#d9c9a3", "#b5c7f2", "#e6e07a", "#d0a99a", "#bfc8cc"),
)

COLOURS = BLUE, OCHRE, RUST, TEAL, VIOLET, NIGHT = (
    *("#1440d2", "#b8901a", "#a03000", "#46a08c", "#a078f0", "#0f1a24"),
)
"""Of series, see `fingerpost.drawing.charts`."""

PHASES = RUST, BLUE, TEAL, VIOLET

KINDS = ("#8796a1", "#c9a352", "#6fa58a", "#a78bbd", "#c08a76", "#7fa6c9", "#9aa15b", "#b9b2ab")
"""Of links: quieter than a route on top of them."""

FAILED = "#e36414"

LOADS = "#6a97c2", "#8161b4", "#b01a55", "#5f0a2b"
"""Between which the colours of loads are, from none to the greatest: ever darker, and the first is
still seen on paper."""


DARK = "@media (prefers-color-scheme: dark) { svg { filter: invert(0.92) hue-rotate(180deg); } }"
"""Dark and light change places and hues stay, as in `fingerpost/report/templates/page.css`."""


def adapting(svg: str, title: str = "") -> str:
    """Return the text of an SVG file that is dark where its reader has a dark colour scheme.

    Parameters
    ----------
    title : str
        What a screen reader says, of a file without a title.
    """
    said = f"<title>{escape(title)}</title>" if title else ""
    return re.sub("<svg[^>]*>", lambda svg: f"{svg[0]}<style>{DARK}</style>{said}", svg, count=1)


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

    Letters are not moved to whole pixels, so that words are as wide in a PNG as in an SVG, and no
    text is taken for a formula: names, titles and paths may have any characters. Those that the
    font has not are boxes.
    """
    from matplotlib import rc_context

    fixed: dict[Any, Any] = {"svg.hashsalt": "fingerpost", "font.family": "DejaVu Sans"}
    fixed |= {"text.hinting": "no_hinting", "text.parse_math": False}
    with rc_context(fixed), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield


def draw(path: Path, make: Callable[[], "Figure"], title: str) -> None:
    """Make a figure in the house's style, and write it."""
    with style():
        figure = make()
    save(figure, path, title=title)


def save(figure: "Figure", path: Path, *, title: str) -> None:
    """Write a figure to an SVG file that follows the colour scheme, or to a PNG file."""
    metadata: dict[str, Any] = {"Title": printable(title), "Description": line()}
    svg = kind(path) == "svg"
    metadata |= {"Date": None} if svg else {}

    def fill(scratch: Path) -> None:
        figure.savefig(scratch, metadata=metadata, dpi=160)
        if svg:
            text = adapting(scratch.read_text(encoding="utf-8"))
            scratch.write_text(text, encoding="utf-8", newline="\n")

    with style():
        write(path, fill)
