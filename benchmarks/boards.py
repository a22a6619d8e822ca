"""Networks of about 1,000 nodes on eight boards, and the latency of the links between boards.

``python -m benchmarks.boards [--json] [--cycles N]``. In the model, under uniform traffic with
packets of one flit. Latency is the mean of the packets of the second half of the cycles at a load
of 0.01; saturation is what is accepted in that half, at one and a half times the load that the
busiest link can carry. Rows are kept in build/boards: an interrupted run resumes. Draws
docs/curves/boards.svg.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import fingerpost
from benchmarks.table import arguments, kept, tell
from benchmarks.wires import BOREL, GRID, ORDER, accepted
from fingerpost.drawing import picture
from fingerpost.drawing.charts import plain, style
from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.engine import engine
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.traffic import Traffic

FOLDER, PICTURE = Path("build/boards"), Path("docs/curves/boards.svg")

ROUTER = {"buffer_depth": 8}
CYCLES = 5, 10, 20, 40, 80, 160, 320
"""Of a word on a link between boards."""


def stream(cycles: int = 40) -> dict[str, Any]:
    """Return links between boards."""
    return {"kind": "stream", "between": "boards", "width": 64, "cycles": cycles}


def networks() -> Iterator[tuple[str, Network]]:
    """Yield networks with what they are."""
    order = fingerpost.load(ORDER).description["router"]["channel_order"]
    borel: dict[str, Any] = {"topology": BOREL, "routing": "vertex-transitive"}
    torus: dict[str, Any] = {"topology": GRID | {"wrap": True}, "routing": "dimension-order"}
    for name, given, router in (
        ("borel-1081", borel, ROUTER | {"channel_order": order}),
        ("torus-32x32", torus, ROUTER),
    ):
        yield name, _network(**given, router=router, name=name)
        streams: dict[str, Any] = {"link": stream(), "boards": 8}
        yield f"{name} on 8 boards", _network(**given, **streams, router=router, name=name)
    for path in LINKED:
        source = dict(fingerpost.load(path).description)
        for cycles in CYCLES:
            yield f"{path.stem}, {cycles} cycles", build(source | {"link": stream(cycles)})


LINKED = Path("networks/boards-2x21.yaml"), Path("networks/boards-4x21.yaml")
"""Networks whose links between boards take more and more cycles."""


def _network(**given: Any) -> Network:
    made = fingerpost.network(**given)
    assert isinstance(made, Network)
    return made


def row(name: str, network: Network, cycles: int) -> dict[str, Any]:
    """Return what a network does."""
    half, terminals = cycles // 2, len(network.topology.terminals)
    quiet = Traffic(network, 0.01, cycles, seed=0)
    model = engine(network, [quiet])
    model.run(cycles)
    came = model.runs[0].delivered
    measured = (quiet.time >= half) & (quiet.time < cycles - 500) & (came >= 0)
    taken = accepted(network, loads(network.routing).link_saturation, cycles)
    between = 0 if network.streams is None else int(network.streams.sum()) // 2
    return {
        "network": name,
        "between": between,
        "latency": float(np.mean((came - quiet.time)[measured])),
        "saturation": taken / terminals,
        "each": taken / between if between else None,
    }


TITLE = (
    "Two and four boards of 21 nodes, joined by stream links: zero-load latency and saturation "
    "against the cycles of a link"
)
PANELS = {
    "latency": "latency at a load of 0.01 [cycles]",
    "saturation": "saturation [flits/terminal/cycle]",
}


def figure(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Return the picture: a panel for each of `PANELS`, a line for each network of `LINKED`."""
    made = Figure(figsize=(8, 3.6), layout="constrained")
    for axes, (key, title) in zip(made.subplots(1, len(PANELS)), PANELS.items(), strict=True):
        for number, path in enumerate(LINKED):
            values = [each[key] for each in rows if each["network"].startswith(f"{path.stem},")]
            axes.plot(CYCLES, values, label=path.stem, **style(number))
        axes.set(xlabel="cycles of a link", ylabel=title, xscale="log", ylim=(0, None))
        axes.set_xticks(CYCLES, [str(cycles) for cycles in CYCLES], minor=False)
        axes.minorticks_off()
        plain(axes, grid="y")
    handles, labels = axes.get_legend_handles_labels()
    made.legend(handles, labels, loc="outside lower center", ncols=len(LINKED), frameon=False)
    return made


def main() -> None:
    """Measure, draw, and print a table or an object."""
    asked = arguments(__doc__, cycles=4000)
    rows = [
        kept(FOLDER / f"{name}-{asked.cycles}.json", partial(row, name, network, asked.cycles))
        for name, network in networks()
    ]
    picture.draw(PICTURE, lambda: figure(rows), TITLE)
    tell(asked, "On boards", rows, cycles=asked.cycles)


if __name__ == "__main__":
    main()
