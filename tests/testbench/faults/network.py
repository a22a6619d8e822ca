"""Faults of what joins nodes, and of their constants."""

from tests.testbench.faults.fault import Fault
from tests.testbench.faults.networks import ROTATOR_6

__all__ = ["FAULTS"]

FAULTS = (
    Fault(
        "links-swapped",
        "link/flit_link.py",
        'here = f"{node}_{port}"',
        'here = f"{node}_{port ^ (node == 4)}"',
        "network",
        "The two links of node 4 are swapped.",
        network=ROTATOR_6,
    ),
    Fault(
        "wrong-strap",
        "emit/network.py",
        "network.routing.straps.at(node)",
        "network.routing.straps.at(6 if node == 5 else node)",
        "network",
        "Node 5 is told the constants of node 6.",
    ),
    Fault(
        "wrong-order",
        "emit/network.py",
        "int(bit) << place",
        "int(bit ^ (node == 3)) << place",
        "network",
        "Node 3 raises packets where it should not, and the other way round.",
    ),
    Fault(
        "terminals-crossed",
        "terminal/credit.py",
        "part(port.name, node, width)",
        'part(port.name, node ^ (node < 2 and port.name == "eject_credit"), width)',
        "network",
        "Nodes 0 and 1 get each other's credits from the terminals.",
    ),
)
