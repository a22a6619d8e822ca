"""The pictures of docs/reference/networks.md, and the words for those who do not see a picture.

`make pictures` draws them, and gives each picture of a page the title of its file as alternative
text: titles say what charts show in numbers. Timing diagrams have their own words on the page.
"""

import re
from contextlib import chdir
from pathlib import Path
from xml.sax.saxutils import unescape

from fingerpost.cli.main import main

ROOT = Path(__file__).resolve().parent.parent

PICTURES: dict[str, tuple[str, ...]] = {
    "../borel-21": ("borel-21", "--route", "0:16"),  # beside the other pictures, in docs
    "borel-1081": ("borel-1081", "--route", "0:500"),
    "metacyclic-84": ("metacyclic-84",),
    "star-4": ("star-4", "--route", "1234:4321"),
    "scc-4": ("scc-4", "--route", "2:1234:4:4321"),
    "kyklos-2-2-4": ("kyklos-2-2-4", "--route", "L0:L13"),
    "rotator-4": ("rotator-4",),
    "super-rotator-23": ("super-rotator-23",),
    "braided-ring-16": ("braided-ring-16", "--route", "0:5"),
    "chordal-ring-16": ("chordal-ring-16",),
    "mesh-8x8": ("mesh-8x8", "--loads"),
    "torus-8x8": (
        "torus-8x8", "--routing", "up-down", "--faults", "link:0,0-1,0,link:3,3-3,4,node:5,5",
        "--route", "0,0:6,5",
    ),
    "hypercube-6": ("hypercube-6", "--route", "0:63"),
    "petersen": ("petersen",),
}  # fmt: skip
"""What `fingerpost draw` is given for each: a file of networks/, and options."""


def pictures(folder: Path) -> int:
    """Draw all of them into a folder, and return 0 if that went well."""
    with chdir(ROOT):  # pictures carry their command line
        folder.mkdir(exist_ok=True)
        for name, (net, *options) in PICTURES.items():
            output = str(folder / f"{name}.svg")
            if status := main(["draw", f"networks/{net}.yaml", "-o", output, *options]):
                return status
    return 0


PAGES = ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))

SHOWN = re.compile(r"!\[([^\]]*)\]\(([^)]+\.svg)\)")
"""A picture on a page: its alternative text, and its file."""


def title(path: Path) -> str:
    """Return the title of an SVG file, as Markdown takes it."""
    found = re.search(r"<title[^>]*>([^<]*)</title>", path.read_text(encoding="utf-8"))
    return unescape(found[1]).replace("|", "") if found else ""


def described(page: Path, text: str) -> str:
    """Return the text of a page whose pictures have the titles of their files."""

    def one(shown: re.Match[str]) -> str:
        if "waves/" in shown[2]:
            return shown[0]
        return f"![{title(page.parent / shown[2])}]({shown[2]})"

    return SHOWN.sub(one, text)


if __name__ == "__main__":
    status = pictures(Path("docs/pictures"))
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        page.write_text(described(page, before), encoding="utf-8")
    raise SystemExit(status)
