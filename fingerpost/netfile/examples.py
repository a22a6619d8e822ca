"""`fingerpost examples`: the network files that are shipped, listed and copied."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

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


def facts(chosen: Iterable[Path]) -> dict[str, Any]:
    """Return what each file is.

    Keys
    ----
    examples, files
        Example files: `name`, `what`. With `--output`, instead: paths of the copies.
    """
    texts = {file.stem: file.read_text(encoding="utf-8") for file in chosen}
    return {"examples": [{"name": name, "what": _what(text)} for name, text in texts.items()]}


def render(facts: Mapping[str, Any]) -> str:
    """Return the list as people read it."""
    width = max(len(example["name"]) for example in facts["examples"])
    return "\n".join(f"{each['name']:{width}}  {each['what']}" for each in facts["examples"])


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


def _what(text: str) -> str:
    """Return the first sentence of the comment on top of a file."""
    comment = re.match(r"(?:#.*\n)*", text)
    words = " ".join(re.findall(r"[^\s#]+", comment[0] if comment else ""))
    return re.split(r"(?<=\.) (?=[A-Z])", words, maxsplit=1)[0].rstrip(".")


def _named(file: Path) -> Iterator[Path]:
    """Find the file that an edge list is in."""
    name = yaml.safe_load(file.read_text(encoding="utf-8"))["topology"].get("file")
    if name is not None:
        yield file.parent / name
