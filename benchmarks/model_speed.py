"""Cycles of the model per second of processor time, under uniform traffic."""

import time
from itertools import product
from pathlib import Path

from benchmarks.table import show
from fingerpost.netfile import load
from golden.model import Model, Terminals, Traffic
from golden.model.simulate import cycle

CYCLES = {"borel-21": 4000, "borel-1081": 2000}
LOADS = 0.1, 0.4


def main() -> None:
    """Measure each network at each load, behind a warm-up of a fifth."""
    rows = []
    for name, offered in product(CYCLES, LOADS):
        network = load(Path("networks") / f"{name}.yaml")
        cycles = CYCLES[name]
        warm = cycles // 5
        terminals = Terminals(Traffic(network, offered, cycles + warm))
        model = Model(network)
        for now in range(warm):
            cycle(model, terminals, now)
        before, started = terminals.received_flits, time.process_time()
        for now in range(warm, warm + cycles):
            cycle(model, terminals, now)
        seconds = time.process_time() - started
        accepted = (terminals.received_flits - before) / cycles / model.nodes
        speed = cycles / seconds
        rows.append(
            (name, offered, f"{accepted:.3f}", f"{speed:,.0f}", f"{speed * model.nodes:,.0f}")
        )
    columns = "network", "offered", "accepted", "cycles/s", "router-cycles/s"
    show("Model, packets of 1 flit, processor time", columns, rows)


if __name__ == "__main__":
    main()
