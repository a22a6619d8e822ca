"""Wormhole and deflection routers on about 1,000 nodes: load per cycle, per nanosecond and site.

Uniform traffic, packets of 1 flit. Area and clock are those of `fingerpost cost`, which needs
`scripts/setup cost`: what it has placed is kept in build/cost, and answers that are saved with
`--json` can be given. Throughput is what is accepted at an offered load of 1. `--output FILE.svg`
draws the curves.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from benchmarks.table import arguments, tell
from fingerpost.cost import cost
from fingerpost.cost.designs import typical_node
from fingerpost.drawing import picture
from fingerpost.drawing.charts import plain, style
from fingerpost.drawing.picture import INK
from fingerpost.golden.measure import Outcome
from fingerpost.golden.network.kinds import AnyNetwork, build_any
from fingerpost.jobs.files import check
from fingerpost.netfile.source import load_any
from fingerpost.sweeps.sweep import sweep

DIGRAPH = {"family": "metacyclic-digraph", "m": 47, "k": 23, "r": 2, "A": [1, 0], "B": [10, 1]}

LOADS = 0.02, 0.06, 0.09, 0.1, 0.14, 0.17, 0.2, 0.25, 0.28, 0.3, 1.0

TITLE = "About 1,000 nodes, uniform traffic, packets of 1 flit"


def networks() -> list[AnyNetwork]:
    """Return what is compared."""
    torus, borel = (load_any(Path(f"networks/{x}.yaml")) for x in ("torus-32x32", "borel-1081"))

    def deflection(name: str, topology: Mapping[str, Any]) -> AnyNetwork:
        return build_any({"name": name, "topology": topology, "router": {"kind": "deflection"}})

    return [
        torus,
        borel,
        deflection("torus-32x32-deflection", torus.description["topology"]),
        deflection("borel-1081-deflection", borel.description["topology"]),
        deflection("digraph-1081-deflection", DIGRAPH),
    ]


def measure(
    directory: Path, cycles: int, seeds: int, costs: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return a row for each network, with the points of its curve; `costs` are by its name."""
    compared, rows = networks(), []
    curves = sweep(
        compared,
        loads=LOADS,
        cycles=cycles,
        precision=0,
        warm_up=cycles // 2,
        resolution=0,
    ).facts["curves"]
    for network, curve in zip(compared, curves, strict=True):
        found = costs.get(network.name) or cost.facts(
            network, node=typical_node(network.topology), seeds=seeds, directory=directory
        )
        mhz, sites = found["fmax_mhz"]["median"], found["sites"]
        accepted = curve["points"][-1]["accepted"]
        rows.append(
            {
                "network": network.name.removesuffix("-deflection"),
                "kind": network.router_kind,
                "sites": sites,
                "flip_flops": found["flip_flops"],
                "block_rams": found["block_rams"],
                "mhz": mhz,
                "accepted": accepted,
                "latency": curve["zero_load_latency"],
                "latency_ns": curve["zero_load_latency"] / mhz * 1000,
                "per_site": 1000 * accepted * mhz / sites,
                "per_flip_flop": 1000 * accepted * mhz / max(sites, found["flip_flops"]),
                "points": curve["points"],
            }
        )
    return rows


def figure(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Return the curves: latency in cycles by load, and in ns by load for an area."""
    made = Figure(figsize=(7.6, 8.4), layout="constrained")
    axes = made.subplots(2, 1)
    for number, row in enumerate(rows):
        points = [p for p in row["points"] if p["outcome"] == Outcome.STABLE]
        accepted = [p["accepted"] for p in points]
        look = style(number) | {"label": f"{row['network']}, {row['kind']}"}
        look["linestyle"] = "--" if row["kind"] == "wormhole" else "-"
        axes[0].plot(accepted, [p["latency"] for p in points], **look)
        each = 1000 * row["mhz"] / row["sites"]
        nanoseconds = [p["latency"] / row["mhz"] * 1000 for p in points]
        axes[1].plot([x * each for x in accepted], nanoseconds, **look)
    axes[0].set(xlabel="accepted [flits/terminal/cycle]", ylabel="mean latency [cycles]")
    axes[0].set(ylim=(0, 100))
    axes[1].set(xlabel="accepted [flits/us/1,000 sites]", ylabel="mean latency [ns]")
    axes[1].set(ylim=(0, 800))
    for each_axes in axes:
        each_axes.set_xlim(0)
        plain(each_axes)
    axes[0].set_title(TITLE, color=INK)
    axes[0].legend(frameon=False, fontsize=9)
    return made


def spoken(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return what the curves show in words."""
    said = []
    for row in rows:
        most = max(point["accepted"] for point in row["points"])
        area = 1000 * most * row["mhz"] / row["sites"]
        name = f"{row['network']}, {row['kind']}"
        said.append(f"{name}: up to {most:.2f} per cycle, {area:.0f} per us and 1,000 sites")
    return f"{TITLE}: latency against accepted load; {'; '.join(said)}"


def main() -> None:
    """Measure, and print a table or JSON."""
    asked = arguments(
        __doc__, "cost", output="", cycles=1000, seeds=3, directory=Path("build/cost")
    )
    output = Path(asked.output) if asked.output else None
    if output:
        picture.kind(output)
        check(output)
    answers = [json.loads(Path(file).read_text()) for file in asked.cost]
    costs = {answer["network"]: answer for answer in answers}
    rows = measure(asked.directory, asked.cycles, asked.seeds, costs)
    if output:
        picture.draw(output, lambda: figure(rows), spoken(rows))
    tell(asked, TITLE, rows if asked.json else [{**row, "points": None} for row in rows])


if __name__ == "__main__":
    main()
