"""The pictures of the docs: all there, and shown."""

import re
from pathlib import Path

from fingerpost.drawing.picture import DARK
from scripts.pictures import PICTURES

ROOT = Path(__file__).parents[1]


def test_the_pictures_of_the_page_are_those_that_are_drawn() -> None:
    page = (ROOT / "docs/reference/networks.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\]\(([^)]*\.svg)\)", page))
    assert {f"../pictures/{name}.svg" for name in PICTURES} >= shown - {"../borel-21.svg"}
    for file in shown:
        assert "</svg>" in (ROOT / "docs/reference" / file).read_text(encoding="utf-8")
    assert len(shown) == len(PICTURES)


def test_pictures_of_the_docs_follow_the_colour_scheme() -> None:
    pictures = sorted((ROOT / "docs").rglob("*.svg"))
    assert len(pictures) > 40
    for path in pictures:
        text = path.read_text(encoding="utf-8")
        assert f"<style>{DARK}</style>" in text[: text.index(">", text.index("<svg")) + 200], path
        # Their paper is in them, so that they are read wherever they are shown.
        assert re.search(r"(?i)fill(: |=\")#fff", text), path
