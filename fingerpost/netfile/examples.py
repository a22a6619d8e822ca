"""The network files that are shipped: where they are, and copies of them."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from fingerpost.jobs import files

EXAMPLES = Path(__file__).parents[1] / "networks"
"""The folder of the files: inside the installed package, in a checkout a link to networks/."""

NAMES = sorted(file.stem for file in EXAMPLES.glob("*.yaml"))
"""The names of the network files."""


def choose(names: Iterable[str] = ()) -> list[Path]:
    """Return the network files of these names; all of them without a name.

    Raises
    ------
    ValueError
        If there is none of a name.
    """
    chosen = [Path(name).name.removesuffix(".yaml") for name in names] or NAMES
    for name in chosen:
        if name not in NAMES:
            raise ValueError(
                f"examples needs a name that `fingerpost examples` lists, not {name!r}"
            )
    return [EXAMPLES / f"{name}.yaml" for name in chosen]


def copy(chosen: Iterable[Path], folder: Path) -> list[Path]:
    """Copy network files, and the files that they name; return where they are.

    Raises
    ------
    ValueError
        If another file has the name of one: it may be the user's work.
    """
    needed = list(dict.fromkeys(each for file in chosen for each in (file, *_named(file))))
    contents = {folder / file.name: file.read_text(encoding="utf-8") for file in needed}
    for path, text in contents.items():
        if path.exists() and (not path.is_file() or path.read_text(encoding="utf-8") != text):
            raise ValueError(f"{path}: is there already, and differs; name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in contents.items():
        files.write_text(path, text)
    return list(contents)


def _named(file: Path) -> Iterator[Path]:
    """Find the file that an edge list is in."""
    name = yaml.safe_load(file.read_text(encoding="utf-8"))["topology"].get("file")
    if name is not None:
        yield file.parent / name
