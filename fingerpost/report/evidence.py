"""What was measured, compared, proven and mutated, as stored: when, and by which tools."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure

from fingerpost.cost.cost import COUNTS
from fingerpost.drawing.charts import plain
from fingerpost.drawing.picture import BLUE, OCHRE, PAPER
from fingerpost.jobs.console import Columns, fixed
from fingerpost.report.networks import Subject
from fingerpost.report.page import Cell, Pictures, Table, listed, section
from fingerpost.sweeps import chart

COMPARED = "decisions", "routes", "cycles", "delivered", "flits", "frames", "bit_times"

PROVEN = "proven", "broken", "undecided"

FATES = "equivalent", "explained", "alive"
"""What becomes of mutants that no bench kills."""

LINES = "lines", "lines_seen", "toggles", "toggles_seen"
"""What Verilator counts in a module."""

FEW = 20
"""Names of what has not been seen, at most."""

CURVES: Columns = {
    "network": "network",
    "routing": "routing",
    "virtual channels": "virtual_channels",
    "latency at zero load [cycles]": fixed("zero_load_latency", 1),
    "saturation [flits/terminal/cycle]": fixed("saturation", 3),
    "bound": fixed("bound", 3),
}

Answers = Sequence[Mapping[str, Any]]

Campaign = tuple[Table, str, list[str], str]
"""Its table, what is listed below, one by one, and when and by what it was made."""


def curves(sweeps: Answers, pictures: Pictures) -> Markup:
    """Return the section of latency and throughput under load; empty without a sweep."""
    plots = []
    for sweep in sweeps:
        title = chart.heading(sweep)
        figure = chart.figure(sweep, title)
        caption = f"{title}, precision {sweep['precision']:g}"
        plot = pictures.inline(figure, chart.spoken(sweep, title), caption)
        plots.append((listed(caption, CURVES, sweep["curves"]), plot))
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
    columns: Columns = {
        "network": "network",
        "part": lambda cost: cost.get("part", "router"),
        "node": _node,
        "on": "device",
        **{
            title: f"{{{name}:,}}"
            for name, title in COUNTS.items()
            if all(name in cost for cost in found)
        },
        "Fmax [MHz]": "{fmax_mhz[median]:.1f}",
    }
    return listed("Area and speed", columns, found)


def _node(cost: Mapping[str, Any]) -> str:
    """Return the node whose constants are tied; a network has all."""
    if cost["node"] is not None:
        return str(cost["node"])
    return "all" if cost.get("kind") == "network" else "any"


def _parts(cost: Mapping[str, Any]) -> Table:
    names = list(COUNTS)[2:]
    columns: Columns = {"part": "part", **{COUNTS[name]: f"{{{name}:,}}" for name in names}}
    none = dict.fromkeys(names, 0)
    rows = [none | found | {"part": part} for part, found in cost["parts"].items()]
    caption = f"Area of {cost['network']} on {cost['device']} by component, each synthesised alone"
    return listed(caption, columns, rows)


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
    columns: Columns = {
        "network": "network",
        "level": "level",
        "simulator": "simulator",
        "compared": lambda run: ", ".join(
            f"{run[key]:,} {key.replace('_', ' ')}" for key in COMPARED if run.get(key)
        ),
        "mismatches": "{mismatches:,}",
        "first difference": lambda run: run.get("message") or "none",
        "when": _when,
        "tools": _versions,
    }
    return listed("Co-simulation: the Verilog against the model", columns, runs)


def _covered(runs: Answers) -> Table:
    columns: Columns = {
        "network": "network",
        "level": "level",
        "seen": "{covered:,}",
        "possible": "{coverable:,}",
        "not seen": lambda run: _few(run.get("missing") or ()),
    }
    caption = "Coverage: events in routers that the benches have caused"
    return listed(caption, columns, [run for run in runs if "covered" in run])


def _lines(runs: Answers) -> Table:
    """Return what Verilator has counted, by module, and for each run in all."""
    rows: list[dict[str, Any]] = []
    for run in runs:
        counted = run.get("lines") or []
        if counted:
            missing = sum(len(row["missing"]) for row in counted)
            total = {key: sum(row[key] for row in counted) for key in LINES}
            every = {"module": "all", **total, "missing": [f"{missing:,} in all"]}
            about = {"network": run["network"], "level": run["level"]}
            rows += [about | row for row in (*counted, every)]
    columns: Columns = {
        **{name: name for name in ("network", "level", "module")},
        **{key.replace("_", " "): f"{{{key}:,}}" for key in LINES},
        "not seen": lambda row: _few(row["missing"]),
    }
    caption = "Code coverage of the Verilog: blocks and branches, and bits that toggle"
    return listed(caption, columns, rows)


def _few(names: Sequence[object]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return f"{', '.join(map(str, names[:FEW])) or 'none'}{more}"


def _by_component(
    rows: Answers, names: Iterable[str]
) -> Iterator[tuple[str, Answers, Counter[str]]]:
    """Yield the rows of each component, and all of them, with the count of each verdict."""
    for name in (*names, "all"):
        some = [row for row in rows if name in (row["component"], "all")]
        yield name, some, Counter(row["verdict"] for row in some)


def _proofs(answer: Mapping[str, Any]) -> Campaign:
    """Return the proofs by component, and those that are none one by one."""
    proofs = answer["proofs"]
    rows: list[Sequence[Cell]] = []
    for component, some, count in _by_component(
        proofs, dict.fromkeys(proof["component"] for proof in proofs)
    ):
        names = {(proof["component"], name) for proof in some for name in proof["properties"]}
        verdicts = (f"{count[verdict]:,}" for verdict in PROVEN)
        seconds = f"{sum(proof['seconds'] for proof in some):,.0f}"
        rows.append([component, f"{len(some):,}", f"{len(names):,}", *verdicts, seconds])
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
    for component, some, count in _by_component(
        mutants, sorted({mutant["component"] for mutant in mutants})
    ):
        killed = sum(number for fate, number in count.items() if fate.startswith("killed"))
        different = len(some) - count["equivalent"]
        fates = (f"{count[fate]:,}" for fate in FATES)
        share = f"{100 * killed / different:.1f}" if different else "none differs"
        rows.append([component, f"{len(some):,}", f"{killed:,}", *fates, share])
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
