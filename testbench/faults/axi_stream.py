"""Planted faults of AXI4-Stream terminals."""

from typing import Any

from fingerpost.testbench.faults.fault import Fault

__all__ = ["FAULTS", "SQUARE"]

SQUARE: dict[str, Any] = {
    "name": "square",
    "topology": {"family": "grid", "sizes": [3, 2]},
    "routing": {"algorithm": "dimension-order"},
    "router": {"buffer_depth": 3},
    "terminal": {"kind": "axi-stream", "timeout": 12},
}
"""Small, with numbers that have no terminal: 6 and 7."""


def _fault(name: str, file: str, old: str, new: str, description: str) -> Fault:
    return Fault(name, f"terminal/{file}.py", old, new, "network", description, network=SQUARE)


FAULTS = (
    _fault(
        "head-not-sent",
        "axi_sender",
        "opens.eq(some & held & ~opened & ~drops)",
        "opens.eq(some & held & ~opened & ~drops & ~last)",
        "A packet of one beat is never begun.",
    ),
    _fault(
        "table-of-neighbour",
        "headers",
        "terminals.tolist(), headers, strict=True)",
        "terminals.tolist(), headers[1:] + headers[:1], strict=True)",
        "Packets go to the terminal of the next number.",
    ),
    _fault(
        "all-have-terminals",
        "headers",
        "{width + 1}'d0",
        "{{1'b1, {width}'d0}}",
        "What is for nobody goes to node 0.",
    ),
    _fault(
        "tkeep-of-every-beat",
        "axi_receiver",
        "~front.tail | (body",
        "(body",
        "Bytes of a beat that is not the last are said to be unused.",
    ),
    _fault(
        "source-of-itself",
        "axi_stream",
        "{number}'d{node}, header_{node}}}",
        "{number}'d{node ^ 1}, header_{node}}}",
        "A neighbour is named as the source.",
    ),
    _fault(
        "credit-at-once",
        "axi_receiver",
        "m.d.sync += eject.credit",
        "m.d.comb += eject.credit",
        "Credits go back a cycle early.",
    ),
    _fault(
        "one-credit-less",
        "axi_stream",
        "credits=self.network.terminal_depth",
        "credits=self.network.terminal_depth - 1",
        "A place of the router's queue is never used.",
    ),
    _fault(
        "patience-too-long",
        "axi_sender",
        "late = quiet == self.timeout",
        "late = quiet == self.timeout + 1",
        "A packet is closed a cycle late.",
    ),
    _fault(
        "rest-is-sent",
        "axi_sender",
        "dropping.eq(closes | Mux(",
        "dropping.eq(Mux(",
        "The rest of a packet that was closed is sent as another.",
    ),
)
