"""The output ports of decisions, as the compiled model keeps them."""

import numpy as np

from golden.arrays import IntArray
from golden.network import Network
from golden.routing.base import Decision

__all__ = ["Ports"]


class Ports:
    """What routers make of decisions: who is refused, or takes no turn that is there, is drained.

    Parameters
    ----------
    network : Network
    """

    def __init__(self, network: Network) -> None:
        taken = network.used_turns
        self.local = network.topology.local
        self.taken = np.stack([taken[kind] for kind in network.topology.node_type])

    def of(self, node: IntArray, arrival: IntArray, decision: Decision) -> IntArray:
        """Return the ports of decisions, or ~port where the packet is drained."""
        refused = decision.error.astype(np.bool_)
        port = np.where(refused, self.local, decision.port)
        return np.where(refused | ~self.taken[node, arrival, port], ~port, port)
