"""What became of one traffic of OS-Link terminals in the compiled model."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.engine.run import Run
from fingerpost.golden.engine.terminal.programs import NO_MESSAGE, NOT_GIVEN_UP


class OsLinkRun(Run):
    """A run with OS-Link terminals; see `OsLinkTerminalModel`."""

    def _of(self, name: str) -> NDArray[Any]:
        """Return an array of the terminals."""
        array: NDArray[Any] = getattr(self.arrays.terminals, name)[self.number]
        return array

    @property
    def faults(self) -> list[str]:
        return [self._fault(*found) for found in self.found_faults]

    def _fault(self, cycle: int, node: int, kind: int, packet: int) -> str:
        where, traffic = f"cycle {cycle}, node {node}: ", self.traffic
        if kind == NOT_GIVEN_UP:
            return where + "given up, though its program was not"
        if kind == NO_MESSAGE:
            return where + "a byte of no message"
        return (
            f"{where}message {packet}, from {traffic.source[packet]} to "
            f"{traffic.destination[packet]}, out of place or not as it was sent"
        )

    @property
    def empty(self) -> bool:
        program, messages, sender = (self._of(n) for n in ("program", "messages", "sender"))
        answers, receiver = self._of("answers"), self._of("receiver")
        sent = (program["packet"] >= program["end"]).all() and not program["silent"].any()
        begun = messages["place"].any() or messages["full"].any() or messages["closing"].any()
        going = (program["going"] < program["packet"]).any()
        stored = sender["held"].any() or receiver["level"].any() or receiver["credit"].any()
        drops = answers["dropping"].any() or answers["dead"].any()
        writes = answers["state"].any() or drops or self._of("coming")["level"].any()
        busy = begun or going or stored or writes
        return bool(sent and not busy and self._all_closed and self.all_delivered)

    @property
    def _all_closed(self) -> bool:
        """Return whether every packet that was closed or cut has come out, too."""
        packets = self.arrays.packets[self.packets]
        ended = packets["closed"] | packets["cut"]
        return bool((packets["delivered"][ended] >= 0).all())

    def stop(self) -> None:
        program, traffic = self._of("program"), self.traffic
        busy = program["talks"] | program["silent"]
        program["end"] = np.minimum(program["end"], program["packet"] + busy)
        number = np.arange(len(traffic.source)) + self.first
        self.expected[:] &= number < program["end"][traffic.source]
        missing = self.expected & (self.delivered < 0)
        self.arrays.clock["outstanding"][self.number] = np.count_nonzero(missing)
