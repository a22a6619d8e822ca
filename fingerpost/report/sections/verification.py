"""What was compared between hardware and model, as stored."""

from collections.abc import Mapping, Sequence
from typing import Any

from fingerpost.report.markup import Element, element, table
from fingerpost.report.subject import Subject

__all__ = ["verification"]

COUNTS = "decisions", "routes", "cycles", "delivered", "flits", "frames", "bit_times"


def verification(
    subjects: Sequence[Subject], runs: Mapping[str, Sequence[Mapping[str, Any]]]
) -> list[Element]:
    """Return the section."""
    rows = [
        [
            run["network"],
            run["level"],
            run["simulator"],
            ", ".join(f"{run[key]:,} {key.replace('_', ' ')}" for key in COUNTS if run.get(key)),
            f"{run['mismatches']:,}",
            run.get("message") or "none",
        ]
        for subject in subjects
        for run in runs[subject.name]
    ]
    if not rows:
        return [
            element("p", "No co-simulation was given. ",
                    element("code", "fingerpost cosim NET --json > FILE"), " runs one, and ",
                    element("code", "--cosim FILE"), " puts it here.")
        ]  # fmt: skip
    columns = "network", "level", "simulator", "compared", "mismatches", "first difference"
    return [table("Hardware beside model", columns, rows)]
