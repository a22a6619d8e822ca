"""What was measured, compared, proven and mutated, as stored: when, and by which tools."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure

from fingerpost.cost.cost import COUNTS
from fingerpost.drawing import picture
from fingerpost.drawing.charts import plain
from fingerpost.drawing.picture import BLUE, OCHRE, PAPER
from fingerpost.report.networks import Subject
from fingerpost.report.page import Cell, Pictures, Table, section
from fingerpost.sweeps import chart
from fingerpost.sweeps.sweep import shown

COMPARED = "decisions", "routes", "cycles", "delivered", "flits", "frames", "bit_times"

PROVEN = "proven", "broken", "undecided"

FATES = "equivalent", "explained", "alive"
"""What becomes of mutants that no bench kills."""

LINES = "lines", "lines_seen", "toggles", "toggles_seen"
"""What Verilator counts in a module."""

FEW = 20
"""Names of what has not been seen, at most."""

CURVE_COLUMNS = (
    "network",
    "routing",
    "virtual channels",
    "latency at zero load [cycles]",
    "saturation [flits/terminal/cycle]",
    "bound",
)

Answers = Sequence[Mapping[str, Any]]

Campaign = tuple[Table, str, list[str], str]
"""Its table, what is listed below, one by one, and when and by what it was made."""


def curves(sweeps: Answers, pictures: Pictures) -> Markup:
    """Return the section of latency and throughput under load; empty without a sweep."""
    plots = []
    for sweep in sweeps:
        title = chart.heading(sweep)
        with picture.style():
            figure = chart.figure(sweep, title)
        caption = f"{title}, precision {sweep['precision']:g}"
        rows = [
            [
                curve["network"],
                curve["routing"],
                curve["virtual_channels"],
                shown(curve["zero_load_latency"], 1),
                shown(curve["saturation"], 3),
                shown(curve["bound"], 3),
            ]
            for curve in sweep["curves"]
        ]
        plot = pictures.inline(figure, chart.spoken(sweep, title), caption)
        plots.append((Table(caption, CURVE_COLUMNS, rows), plot))
    return section("curves", sweeps=plots)


def hardware(
    subjects: Sequence[Subject], costs: Mapping[str, Answers], pictures: Pictures
) -> Markup:
    """Return the section of what a router costs: bits of tables, area and clock frequency."""
    tables = Table(
        "Routing tables of a router",
        ("network", "algorithm", "tables [bits]", "header [bits]"),
        [row for subject in subjects for row in _tables(subject)],
    )
    found = [cost for subject in subjects for cost in costs[subject.name]]
    parts = []
    for cost in found:
        with picture.style():
            figure = _areas(cost)
        said = ", ".join(f"{part} {cells['lut4']}" for part, cells in cost["parts"].items())
        whose = f"{cost['network']} on {cost['device']}"
        plot = pictures.inline(figure, f"Parts of {whose}, LUT4: {said}", f"Parts of {whose}")
        parts.append((_parts(cost), plot))
    return section("hardware", tables=tables, whole=_whole(found), parts=parts)


def _tables(subject: Subject) -> Iterator[list[Cell]]:
    """Yield what the tables of a router may be: of a deflection router, what it is."""
    info = subject.info
    if "router" in info:
        table = info["router"]["table"]
        bits = table["entries"] * table["width"]
        yield [subject.name, "productive ports and distance", f"{bits:,}", info["header"]["width"]]
        return
    for each in info["algorithms"]:
        yield [subject.name, each["algorithm"], f"{each['table_bits']:,}", each["header_width"]]
    ports = int(info["terminals"] * max(1, int(info["degree"]).bit_length()))
    name = max(1, int(info["nodes"] - 1).bit_length())
    yield [subject.name, "port table, an entry per destination", f"{ports:,}", name]


def _areas(cost: Mapping[str, Any]) -> Figure:
    """Return the parts as bars, the largest above."""
    parts = sorted(cost["parts"].items(), key=lambda part: part[1]["lut4"])
    figure = Figure(figsize=(7, 1.2 + 0.34 * len(parts)), layout="constrained")
    axes = figure.subplots()
    place = np.arange(len(parts))
    counts = ("lut4", 0.2, BLUE, ""), ("flip_flops", -0.2, OCHRE, "///")
    for name, shift, colour, hatch in counts:
        cells = [part[1].get(name, 0) for part in parts]
        axes.barh(
            place + shift, cells, 0.4, label=COUNTS[name], color=colour, hatch=hatch, ec=PAPER
        )
    axes.set_yticks(place, [part[0] for part in parts])
    axes.set_xlabel("cells")
    plain(axes, grid="x")
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def _whole(found: Answers) -> Table:
    counts = [name for name in COUNTS if all(name in cost for cost in found)]
    columns = ["network", "part", "node", "on", *(COUNTS[name] for name in counts), "Fmax [MHz]"]
    rows = [
        [
            cost["network"],
            cost.get("part", "router"),
            _node(cost),
            cost["device"],
            *(f"{cost[name]:,}" for name in counts),
            f"{cost['fmax_mhz']['median']:.1f}",
        ]
        for cost in found
    ]
    return Table("Area and speed", columns, rows)


def _node(cost: Mapping[str, Any]) -> str:
    """Return the node whose constants are tied; a network has all."""
    if cost["node"] is not None:
        return str(cost["node"])
    return "all" if cost.get("kind") == "network" else "any"


def _parts(cost: Mapping[str, Any]) -> Table:
    counts = list(COUNTS)[2:]
    rows = [
        [part, *(f"{cells.get(name, 0):,}" for name in counts)]
        for part, cells in cost["parts"].items()
    ]
    caption = f"Area of {cost['network']} on {cost['device']} by component, each synthesised alone"
    return Table(caption, ["part", *(COUNTS[name] for name in counts)], rows)


def verification(
    subjects: Sequence[Subject],
    runs: Mapping[str, Answers],
    formal: Answers,
    mutation: Answers,
) -> Markup:
    """Return the section; empty if nothing was run, proven or mutated."""
    own = [run for subject in subjects for run in runs[subject.name]]
    tables = [
        *([_benches(own)] if own else []),
        *([_covered(own)] if any("covered" in run for run in own) else []),
        *([_lines(own)] if any("lines" in run for run in own) else []),
    ]
    campaigns = [*map(_proofs, formal), *map(_mutants, mutation)]
    return section("verification", tables=tables, campaigns=campaigns)


def _benches(runs: Answers) -> Table:
    rows = [
        [
            run["network"],
            run["level"],
            run["simulator"],
            ", ".join(f"{run[key]:,} {key.replace('_', ' ')}" for key in COMPARED if run.get(key)),
            f"{run['mismatches']:,}",
            run.get("message") or "none",
            _when(run),
            _versions(run),
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
    return Table("Co-simulation: the Verilog against the model", columns, rows)


def _covered(runs: Answers) -> Table:
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
    return Table("Coverage: events in routers that the benches have caused", columns, rows)


def _lines(runs: Answers) -> Table:
    """Return what Verilator has counted, by module, and for each run in all."""
    rows: list[Sequence[Cell]] = []
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
    return Table(
        "Code coverage of the Verilog: blocks and branches, and bits that toggle", columns, rows
    )


def _few(names: Sequence[object]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return f"{', '.join(map(str, names[:FEW])) or 'none'}{more}"


def _proofs(answer: Mapping[str, Any]) -> Campaign:
    """Return the proofs by component, and those that are none one by one."""
    proofs = answer["proofs"]
    rows: list[Sequence[Cell]] = []
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
        f"{proof['component']}, {proof['parameters']}: {proof['verdict']}"
        + (f" ({', '.join(proof['broken'])})" if proof.get("broken") else "")
        for proof in proofs
        if proof["verdict"] != "proven"
    ]
    return Table(caption, columns, rows), "Not proven:", open_ends, _source(answer)


def _mutants(answer: Mapping[str, Any]) -> Campaign:
    """Return the mutants by component, and those that live one by one."""
    mutants = answer["mutants"]
    rows: list[Sequence[Cell]] = []
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
        f"{mutant['network']}, {mutant['component']}: {mutant.get('mutant', '')}"
        for mutant in mutants
        if mutant["verdict"] == "alive"
    ]
    return Table(caption, columns, rows), "Alive:", living, _source(answer)


def _source(answer: Mapping[str, Any]) -> str:
    tools = _versions(answer)
    return f"{_when(answer)}{f'; {tools}' if tools else ''}"


def _when(answer: Mapping[str, Any]) -> str:
    """Return the time of a run; the day of its file if the answer does not tell."""
    if date := answer.get("date"):
        return f"{datetime.fromisoformat(date).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return f"file of {answer.get('stored', 'an unknown day')}"


def _versions(answer: Mapping[str, Any]) -> str:
    versions = answer.get("versions") or {}
    return ", ".join(f"{tool} {version}" for tool, version in versions.items())
