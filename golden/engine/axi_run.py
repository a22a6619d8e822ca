"""What became of one traffic of AXI4-Stream terminals in the compiled model."""

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine.run import Run
from fingerpost.golden.router.records import NEVER
from fingerpost.golden.terminal.state import FlowState


class AxiRun(Run):
    """A run with AXI4-Stream terminals."""

    part = "beat {} of "
    draws = 2

    @property
    def beats(self) -> IntArray:
        beats: IntArray = self.arrays.packets["received"][self.packets]
        return beats

    @property
    def empty(self) -> bool:
        user = self._of("user")
        return (
            bool((user["packet"] >= user["end"]).all())
            and self._idle
            and self.all_delivered
            and self._all_closed
        )

    @property
    def _idle(self) -> bool:
        """Return whether nothing is stored, and no credit or answer is due."""
        sender, receiver = self._of("sender"), self._of("receiver")
        if self._credits_due:
            return False
        if not isinstance(self.arrays.terminals, FlowState):
            stored = sender["held"].any() or self._of("store")["used"].any()
            return not stored and not receiver["level"].any()
        stored = self._of("slots")["used"].any() or sender["filled"].any()
        busy = sender["chosen"].any() or sender["busy"].any() or receiver["late_units"].any()
        queues = "replies", "arrivals", "requests"
        waits = any(self._of(queue)["level"].any() for queue in queues)
        return not (stored or busy or waits or self._of("reassembly")["stored"].any())

    @property
    def _credits_due(self) -> bool:
        """Return whether a credit is on its way, to routers or to terminals."""
        return bool(self._of("receiver")["credit"].any())

    @property
    def _all_closed(self) -> bool:
        """Return whether every packet that was closed has come out, too."""
        packets = self.arrays.packets[self.packets]
        return bool((packets["delivered"][packets["closed"]] >= 0).all())

    def stop(self) -> None:
        user, traffic = self._of("user"), self.traffic
        begun = (user["index"] > 0) | user["offers"]
        user["end"] = np.minimum(user["end"], user["packet"] + begun)
        user["due"][user["packet"] >= user["end"]] = NEVER
        number = np.arange(len(traffic.source)) + self.first
        self._withdraw(number >= user["end"][traffic.terminal_channel])
