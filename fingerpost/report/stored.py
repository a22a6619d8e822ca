"""Answers that other commands have given, as they were stored."""

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from fingerpost.console import SCHEMA

__all__ = ["by_network", "curves"]

KEYS = {
    "sweep": ("curves", "traffic", "packet_length", "arrivals", "cycles"),
    "cost": ("network", "fmax_mhz", "parts", "device"),
    "cosim": ("network", "level", "simulator", "mismatches"),
}
"""What tells the answer of one command from all others."""

CURVE = "network", "routing", "points", "bound", "saturation", "zero_load_latency"


def by_network(
    command: str, files: Sequence[Path], names: Collection[str]
) -> dict[str, list[dict[str, Any]]]:
    """Return the answers of a command about each network of the page.

    Raises
    ------
    ValueError
        If a file holds no such answer, or one about a network that is not on the page.
    """
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for file in files:
        answer = _read(command, file)
        if answer["network"] not in found:
            raise ValueError(
                f"--{command} {file}: needs an answer about {' or '.join(names)}, "
                f"not {answer['network']}"
            )
        found[answer["network"]].append(answer)
    return found


def curves(files: Sequence[Path], names: Collection[str]) -> list[dict[str, Any]]:
    """Return the sweeps, each with the curves of the networks of the page.

    Raises
    ------
    ValueError
        If a file holds no sweep, or none of these networks.
    """
    found = []
    for file in files:
        answer = _read("sweep", file)
        for curve in answer["curves"]:
            if missing := [key for key in CURVE if key not in curve]:
                raise ValueError(f"--sweep {file}: a curve has no {missing[0]}: sweep again")
        some = [curve for curve in answer["curves"] if curve["network"] in names]
        if not some:
            raise ValueError(f"--sweep {file}: needs curves of {' or '.join(names)}")
        found.append({**answer, "curves": some})
    return found


def _read(command: str, file: Path) -> dict[str, Any]:
    remedy = "run `fingerpost sweep -o NAME`" if command == "sweep" else "store its --json"
    needs = f"--{command} {file}: needs an answer of `fingerpost {command}` ({remedy})"
    try:
        content: Any = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        raise ValueError(f"{needs}, not what is no JSON") from None
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        raise ValueError(f"{needs} of schema {SCHEMA}, not {schema!r}")
    answer: dict[str, Any] = content
    for key in KEYS[command]:
        if key not in answer:
            raise ValueError(f"{needs}, not one without {key}")
    return answer
