"""What was compared, proven and mutated, as stored: when, and by which versions of the tools."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from fingerpost.report.markup import Child, Element, element, table
from fingerpost.report.subject import Subject

COUNTS = "decisions", "routes", "cycles", "delivered", "flits", "frames", "bit_times"

PROVEN = "proven", "broken", "undecided"

FATES = "equivalent", "explained", "alive"
"""What becomes of mutants that no bench kills."""

LINES = "lines", "lines_seen", "toggles", "toggles_seen"
"""What Verilator counts in a module."""

FEW = 20
"""Names of what has not been seen, at most."""

Answers = Sequence[Mapping[str, Any]]


def verification(
    subjects: Sequence[Subject],
    runs: Mapping[str, Answers],
    formal: Answers,
    mutation: Answers,
) -> list[Element]:
    """Return the section; nothing if nothing was run, proven or mutated."""
    own = [run for subject in subjects for run in runs[subject.name]]
    return [
        *([_benches(own)] if own else []),
        *([_covered(own)] if any("covered" in run for run in own) else []),
        *([_lines(own)] if any("lines" in run for run in own) else []),
        *(part for answer in formal for part in _proofs(answer)),
        *(part for answer in mutation for part in _mutants(answer)),
    ]


def _benches(runs: Answers) -> Element:
    rows = [
        [
            run["network"],
            run["level"],
            run["simulator"],
            ", ".join(f"{run[key]:,} {key.replace('_', ' ')}" for key in COUNTS if run.get(key)),
            f"{run['mismatches']:,}",
            run.get("message") or "none",
            _when(run),
            _tools(run),
        ]
        for run in runs
    ]
    columns = (
        "network",
        "level",
        "simulator",
        "compared",
        "mismatches",
        "first difference",
        "when",
        "tools",
    )
    return table("Co-simulation: the Verilog against the model", columns, rows)


def _covered(runs: Answers) -> Element:
    rows = [
        [
            run["network"],
            run["level"],
            f"{run['covered']:,}",
            f"{run['coverable']:,}",
            _few(run.get("missing") or ()),
        ]
        for run in runs
        if "covered" in run
    ]
    columns = "network", "level", "seen", "possible", "not seen"
    return table("Coverage: events in routers that the benches have caused", columns, rows)


def _lines(runs: Answers) -> Element:
    """Return what Verilator has counted, by module, and for each run in all."""
    rows: list[Sequence[Child]] = []
    for run in runs:
        counted = run.get("lines") or []
        total = {key: sum(row[key] for row in counted) for key in LINES}
        missing = sum(len(row["missing"]) for row in counted)
        every = {"module": "all", **total, "missing": [f"{missing:,} in all"]}
        rows += [
            [
                run["network"],
                run["level"],
                row["module"],
                *(f"{row[key]:,}" for key in LINES),
                _few(row["missing"]),
            ]
            for row in (*counted, *([every] if counted else []))
        ]
    columns = "network", "level", "module", *(key.replace("_", " ") for key in LINES), "not seen"
    return table(
        "Code coverage of the Verilog: blocks and branches, and bits that toggle", columns, rows
    )


def _few(names: Sequence[object]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return f"{', '.join(map(str, names[:FEW])) or 'none'}{more}"


def _proofs(answer: Mapping[str, Any]) -> list[Element]:
    """Return the proofs by component, and those that are none one by one."""
    proofs = answer["proofs"]
    rows: list[Sequence[Child]] = []
    for component in (*dict.fromkeys(proof["component"] for proof in proofs), None):
        some = [proof for proof in proofs if component in (proof["component"], None)]
        count = Counter(proof["verdict"] for proof in some)
        names = {(proof["component"], name) for proof in some for name in proof["properties"]}
        rows.append(
            [
                component or "all",
                f"{len(some):,}",
                f"{len(names):,}",
                *(f"{count[verdict]:,}" for verdict in PROVEN),
                f"{sum(proof['seconds'] for proof in some):,.0f}",
            ]
        )
    columns = "component", "proofs", "properties", *PROVEN, "seconds"
    caption = "Proofs of components, and of networks as generated"
    open_ends = [
        element(
            "li",
            f"{proof['component']}, {proof['parameters']}: {proof['verdict']}",
            f" ({', '.join(proof['broken'])})" if proof.get("broken") else "",
        )
        for proof in proofs
        if proof["verdict"] != "proven"
    ]
    return [table(caption, columns, rows), *_listed("Not proven:", open_ends), _source(answer)]


def _mutants(answer: Mapping[str, Any]) -> list[Element]:
    """Return the mutants by component, and those that live one by one."""
    mutants = answer["mutants"]
    rows: list[Sequence[Child]] = []
    for component in (*sorted({mutant["component"] for mutant in mutants}), None):
        some = [mutant for mutant in mutants if component in (mutant["component"], None)]
        count = Counter(mutant["verdict"] for mutant in some)
        killed = sum(number for fate, number in count.items() if fate.startswith("killed"))
        different = len(some) - count["equivalent"]
        rows.append(
            [
                component or "all",
                f"{len(some):,}",
                f"{killed:,}",
                *(f"{count[fate]:,}" for fate in FATES),
                f"{100 * killed / different:.1f}" if different else "none differs",
            ]
        )
    columns = "component", "made", "killed", *FATES, "killed [%]"
    networks = ", ".join(dict.fromkeys(mutant["network"] for mutant in mutants))
    caption = f"Mutants of nodes of {networks}; killed, in % of those not equivalent"
    living = [
        element("li", f"{mutant['network']}, {mutant['component']}: {mutant.get('mutant', '')}")
        for mutant in mutants
        if mutant["verdict"] == "alive"
    ]
    return [table(caption, columns, rows), *_listed("Alive:", living), _source(answer)]


def _listed(title: str, items: Sequence[Element]) -> list[Element]:
    return [element("p", title), element("ul", *items)] if items else []


def _source(answer: Mapping[str, Any]) -> Element:
    tools = _tools(answer)
    return element("p", f"{_when(answer)}{f'; {tools}' if tools else ''}")


def _when(answer: Mapping[str, Any]) -> str:
    """Return the time of a run; the day of its file if the answer does not tell."""
    if date := answer.get("date"):
        return f"{datetime.fromisoformat(date).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return f"file of {answer.get('stored', 'an unknown day')}"


def _tools(answer: Mapping[str, Any]) -> str:
    versions = answer.get("versions") or {}
    return ", ".join(f"{tool} {version}" for tool, version in versions.items())
