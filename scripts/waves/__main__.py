"""Draw all of them: `make waves`."""

import sys
from pathlib import Path

from fingerpost.drawing.picture import adapting
from fingerpost.drawing.timing import svg
from scripts.waves.diagrams import DIAGRAMS

FOLDER = Path(__file__).resolve().parents[2] / "docs/design/waves"


def main(folder: Path = FOLDER) -> int:
    """Simulate, and write the pictures into a folder."""
    folder.mkdir(exist_ok=True)
    for name, diagram in DIAGRAMS.items():
        drawn = diagram()
        text = adapting(svg(drawn), drawn.title)
        (folder / f"{name}.svg").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
