"""Faults of counters and their bus."""

from tests.testbench.faults.fault import Fault
from tests.testbench.faults.networks import COUNTED

__all__ = ["FAULTS"]

FAULTS = (
    Fault(
        "total-again",
        "counting/tap.py",
        "before.eq(total)",
        "before.eq(0)",
        "counters",
        "Errors are counted again in every round.",
        network=COUNTED,
    ),
    Fault(
        "snapshot-goes-on",
        "counting/counters.py",
        "copy.en.eq(valid[1] & snapping)",
        "copy.en.eq(valid[1])",
        "counters",
        "What is read is of different cycles.",
        network=COUNTED,
    ),
    Fault(
        "all-of-the-first-port",
        "counting/wiring.py",
        "links.passes(node, port)",
        "links.passes(node, node_type.outputs[0])",
        "counters",
        "Every port counts the flits of the first.",
        network=COUNTED,
    ),
    Fault(
        "answer-not-held",
        "bus/axi_lite.py",
        "with m.If(bus.rready):",
        "with m.If(1):",
        "counters",
        "What is read is there for one cycle only.",
        network=COUNTED,
    ),
)
