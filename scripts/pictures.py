"""The pictures of docs/reference/networks.md: `make pictures` draws them."""

from pathlib import Path

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
    folder.mkdir(exist_ok=True)
    for name, (net, *options) in PICTURES.items():
        output = str(folder / f"{name}.svg")
        if status := main(["draw", str(ROOT / f"networks/{net}.yaml"), "-o", output, *options]):
            return status
    return 0


if __name__ == "__main__":
    raise SystemExit(pictures(ROOT / "docs/pictures"))
