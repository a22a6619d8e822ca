"""Answers that other commands have given, as they were stored or as they are on a page."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fingerpost.jobs.console import SCHEMA
from fingerpost.jobs.provenance import KEY

Answers = dict[str, list[dict[str, Any]]]
"""Of a command, by the name of the network."""

KEYS = {
    "sweep": ("curves", "traffic", "packet_length", "arrivals", "cycles"),
    "cost": ("network", "fmax_mhz", "parts", "device"),
    "cosim": ("network", "level", "simulator", "mismatches"),
}
"""Keys that identify the answer of one command."""

ROWS = {
    "formal": ("proofs", ("component", "parameters", "properties", "verdict", "seconds")),
    "mutation": ("mutants", ("network", "component", "verdict")),
}
"""What `python -m` of this name writes: a list, and what each of its rows has at least."""

ELSEWHERE = {"schema", KEY, "stored", "network", "description_sha256", "directory"}
"""What of a cost is not about the network, or stands elsewhere in a manifest."""

CURVE = "network", "routing", "points", "bound", "saturation", "zero_load_latency"


@dataclass(frozen=True)
class Given:
    """Answers of `sweep`, `cost` and `cosim`."""

    sweeps: list[dict[str, Any]]
    costs: Answers
    runs: Answers

    def lacking(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return by command which networks it has no answer for."""
        swept = {curve["network"] for each in self.sweeps for curve in each["curves"]}
        return {
            "sweep": [name for name in names if name not in swept],
            "cost": [name for name in names if not self.costs[name]],
            "cosim": [name for name in names if not self.runs[name]],
        }


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
        for answer in _read(command, file):
            if answer["network"] not in found:
                raise ValueError(
                    f"--{command} {file}: needs an answer about {' or '.join(names)}, "
                    f"not {answer['network']}"
                )
            found[answer["network"]].append(answer)
    return found


def costs(files: Sequence[Path], name: str, digest: str) -> list[dict[str, Any]]:
    """Return what was measured of one network, without what is of the machine or known already.

    Parameters
    ----------
    name : str
        Of the network, for people.
    digest : str
        The SHA-256 of its description. Rows of other widths or depths are left out.

    Raises
    ------
    ValueError
        If a file holds no answer of `cost`, or none about this very network.
    """
    found = []
    for file in files:
        rows = _read("cost", file)
        own = [row for row in rows if row.get("description_sha256") == digest]
        if not own:
            other = rows[0]
            raise ValueError(
                f"--cost {file}: needs what `fingerpost cost` found of {name} as it is here, with "
                f"the SHA-256 {digest[:16]}..., not of {other['network']} with "
                f"{str(other.get('description_sha256'))[:16]}..."
            )
        found += [{key: row[key] for key in row if key not in ELSEWHERE} for row in own]
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
        (answer,) = _read("sweep", file)
        for curve in answer["curves"]:
            if missing := [key for key in CURVE if key not in curve]:
                raise ValueError(f"--sweep {file}: a curve has no {missing[0]}: sweep again")
        some = [curve for curve in answer["curves"] if curve["network"] in names]
        if not some:
            raise ValueError(f"--sweep {file}: needs curves of {' or '.join(names)}")
        found.append({**answer, "curves": some})
    return found


def rows(program: str, files: Sequence[Path]) -> list[dict[str, Any]]:
    """Return what a program that is not a command has written: `formal` or `mutation`.

    Raises
    ------
    ValueError
        If a file holds something else.
    """
    found = []
    name, keys = ROWS[program]
    for file in files:
        needs = f"--{program} {file}: needs what `python -m {program} --json FILE` writes"
        answer = _dated(_json(file, needs), file)
        listed = answer.get(name)
        if not isinstance(listed, list) or not all(isinstance(row, dict) for row in listed):
            raise ValueError(f"{needs}, not one without {name}")
        _check(listed, keys, f"{needs}, not {name}")
        found.append(answer)
    return found


def _read(command: str, file: Path) -> list[dict[str, Any]]:
    """Return the answer of a command, or all rows of one that has several."""
    remedy = "run `fingerpost sweep -o NAME`" if command == "sweep" else "store its --json"
    needs = f"--{command} {file}: needs an answer of `fingerpost {command}` ({remedy})"
    content = _json(file, needs)
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        raise ValueError(f"{needs} of schema {SCHEMA}, not {schema!r}")
    answers = content.get("rows", [content]) if command == "cost" else [content]
    if not isinstance(answers, list) or not answers:
        raise ValueError(f"{needs}, not one without rows")
    _check(answers, KEYS[command], f"{needs}, not one")
    return [_dated(answer, file) for answer in answers]


def _check(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], refused: str) -> None:
    for key in keys:
        if any(key not in row for row in rows):
            raise ValueError(f"{refused} without {key}")


def _json(file: Path, needs: str) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        raise ValueError(f"{needs}, not what is no JSON") from None


def _dated(content: Any, file: Path) -> dict[str, Any]:
    """Return an answer with the day of its file, for those that do not tell theirs."""
    answer = content if isinstance(content, dict) else {}
    if "date" in answer:
        try:
            datetime.fromisoformat(answer["date"])
        except (TypeError, ValueError):
            raise ValueError(
                f"{file}: needs a date as ISO 8601 writes it, not {answer['date']!r}"
            ) from None
    day = datetime.fromtimestamp(file.stat().st_mtime, UTC).date()
    return {"stored": day.isoformat(), **answer}
