"""How large words are before they are drawn, so that nothing is cut off."""

from collections.abc import Iterable
from functools import lru_cache

__all__ = ["height", "size_for", "width", "wrapped"]


MARKS = "-_./:,"
"""Behind which a long word is rather broken."""


@lru_cache(maxsize=4096)
def width(text: str, size: float, weight: str = "normal") -> float:
    """Return the width of a line in points, in the font of `fingerpost.drawing.picture.style`."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    font = FontProperties(family="DejaVu Sans", weight=weight, size=size)
    found = TextToPath().get_text_width_height_descent(text, font, ismath=False)
    return float(found[0])


def height(lines: int, size: float) -> float:
    """Return the height of some lines in points."""
    return 1.2 * size * lines


def size_for(texts: Iterable[str], room: float, most: float, least: float) -> float:
    """Return the size at which all texts fit into so many points; 0 if that is below `least`."""
    widest = max((width(text, 10.0) for text in texts), default=0.0)
    size = min(most, 10 * room / widest) if widest else most
    return size if size >= least else 0.0


def wrapped(text: str, size: float, room: float, weight: str = "normal") -> list[str]:
    """Break a text into lines that fit, between words or, where a word is too long, within it."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if width(longer, size, weight) <= room:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines.append("")
        for letter in word:
            if lines[-1] and width(lines[-1] + letter, size, weight) > room:
                rest = min(
                    (lines[-1][::-1].find(mark) for mark in MARKS if mark in lines[-1]), default=0
                )
                keep = len(lines[-1]) - (rest if rest < len(lines[-1]) // 2 else 0)
                lines[-1:] = lines[-1][:keep], lines[-1][keep:]
            lines[-1] += letter
    return lines
