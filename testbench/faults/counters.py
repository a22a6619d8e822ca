"""Planted faults of counters."""

from typing import Any

from fingerpost.testbench.faults.fault import Fault

__all__ = ["COUNTED", "FAULTS"]

COUNTED: dict[str, Any] = {
    "name": "counted",
    "topology": {"family": "grid", "sizes": [3, 2]},
    "routing": {"algorithm": "dimension-order"},
    "router": {"buffer_depth": 3},
    "counters": {"kind": "axi-lite"},
}
"""Small, with nodes that lack a link."""


def _fault(name: str, file: str, old: str, new: str, description: str) -> Fault:
    return Fault(name, file, old, new, "counters", description, network=COUNTED)


FAULTS = (
    _fault(
        "event-at-the-tick",
        "counting/tap.py",
        "count.eq(event)",
        "count.eq(0)",
        "What happens in the cycle of a tick is not counted.",
    ),
    _fault(
        "total-again",
        "counting/tap.py",
        "before.eq(total)",
        "before.eq(0)",
        "Errors are counted again in every round.",
    ),
    _fault(
        "short-round",
        "counting/counters.py",
        "Mux(first, self.round, self.chain)",
        "Mux(first, self.round - 1, self.chain)",
        "Every round counts for a cycle less than it has.",
    ),
    _fault(
        "never-cleared",
        "counting/counters.py",
        "Mux(fresh, 0, before.data)",
        "before.data",
        "To clear does nothing.",
    ),
    _fault(
        "snapshot-goes-on",
        "counting/counters.py",
        "copy.en.eq(valid[1] & snapping)",
        "copy.en.eq(valid[1])",
        "What is read is of different cycles.",
    ),
    _fault(
        "last-is-left",
        "counting/counters.py",
        "with m.Elif(step == counters):",
        "with m.Elif(step == counters - 1):",
        "The last counter never moves.",
    ),
    _fault(
        "all-of-the-first-port",
        "counting/wiring.py",
        "links.passes(node, port)",
        "links.passes(node, node_type.outputs[0])",
        "Every port counts the flits of the first.",
    ),
    _fault(
        "waits-are-stalls",
        "router/router.py",
        "waiting.any() & ~o.grant.any()",
        "waiting.any()",
        "A flit that goes counts as one that is held up.",
    ),
    _fault(
        "answer-not-held",
        "bus/axi_lite.py",
        "with m.If(bus.rready):",
        "with m.If(1):",
        "What is read is there for one cycle only.",
    ),
)
"""What the bench of counters finds."""
