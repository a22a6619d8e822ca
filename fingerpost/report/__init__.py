"""The page of `fingerpost report`: one page about one network, or several side by side."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fingerpost.drawing.picture import style
from fingerpost.hdl.emit.files import write_files
from fingerpost.jobs.files import check_names
from fingerpost.report.chip import chip
from fingerpost.report.crossing import waves
from fingerpost.report.evidence import curves, hardware, verification
from fingerpost.report.networks import Subject, chooser, deadlock, identity, loads
from fingerpost.report.page import Pictures, rendered

__all__ = ["NAMED", "place", "text", "write"]

NAMED = 4
"""Networks that the file is called after; of more, the first."""


def place(folder: Path, names: Sequence[str]) -> Path:
    """Return the file of the page about some networks: in a folder, or `.html` itself.

    Raises
    ------
    ValueError
        If two networks have one name.
    """
    check_names("report", names)
    called = "_".join(names) if len(names) <= NAMED else f"{names[0]}_and_{len(names) - 1}_more"
    return folder if folder.suffix == ".html" else folder / f"{called}.html"


def text(
    subjects: Sequence[Subject],
    *,
    sweeps: Sequence[Mapping[str, Any]] = (),
    costs: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    runs: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    formal: Sequence[Mapping[str, Any]] = (),
    mutation: Sequence[Mapping[str, Any]] = (),
    tell: Callable[[str], None] = lambda step: None,
) -> str:
    """Return the page; a section without anything to show is left out.

    Parameters
    ----------
    subjects : sequence of Subject
        What is known of each network.
    sweeps : sequence of mapping
        Answers of `sweep`, with the curves of these networks.
    costs, runs : mapping, optional
        Answers of `cost` and `cosim` for each network, by name.
    formal, mutation : sequence of mapping
        What `python -m fingerpost.formal` and `python -m mutation` have written.
    tell : callable, optional
        Called with each step.
    """
    tell("pictures")
    names = [subject.name for subject in subjects]
    none: dict[str, list[Any]] = {name: [] for name in names}
    pictures = Pictures()
    with style():
        what, places = identity(subjects, pictures)
        sections = {
            "What it is" if len(names) == 1 else "What they are": what,
            "Wires": chip(subjects, pictures),
            "Routes": chooser(subjects),
            "Loads": loads(subjects, pictures),
            "Latency under load": curves(sweeps, pictures),
            "Deadlock": deadlock(subjects),
            "Hardware": hardware(subjects, none | dict(costs or {}), pictures),
            "Verification": verification(subjects, none | dict(runs or {}), formal, mutation),
            "Waves": waves(subjects, pictures, tell),
        }
    packed = [
        subject.routes | {"drawing": places.get(subject.name)}
        for subject in subjects
        if subject.routes["way"] != "none"
    ]
    shown = {title: parts for title, parts in sections.items() if parts}
    return rendered(", ".join(names), shown, packed)


def write(path: Path, content: str) -> None:
    """Write the page, and the folder that it is in if it is not there."""
    write_files({path.name: content}, path.parent)
