"""What became of one traffic, as seen in the arrays of all runs."""

from typing import Any, ClassVar

import numpy as np

from fingerpost.golden.arrays import Array, BoolArray, IntArray
from fingerpost.golden.link.cells import CellState
from fingerpost.golden.link.stream_link import StreamState, flits_on
from fingerpost.golden.router.records import LATE
from fingerpost.golden.traffic import NO_TAIL, Traffic


class Run:
    """What became of one traffic. All that is counted is counted from the start on.

    Attributes
    ----------
    traffic : Traffic
    number : int
        Which of the runs it is.
    first : int
        Its first packet among those of all runs.
    part : str
        What `faults` name of a packet.
    digested : tuple of str
        The fields of packets that do not change.
    draws : int
        Random numbers that a stream of a terminal draws in a cycle at most, if it stalls.
    """

    part: ClassVar[str] = "flit {} of "
    digested: ClassVar[tuple[str, ...]] = (
        *("time", "salt", "header", "destination", "length", "message_class"),
    )
    draws: ClassVar[int] = 1

    def __init__(self, traffic: Traffic, number: int, first: int, config: Any, arrays: Any) -> None:
        self.traffic, self.number, self.first = traffic, number, first
        self.config, self.arrays = config, arrays
        self.packets = slice(first, first + len(traffic.source))

    def _of(self, name: str) -> Array:
        """Return an array of the terminals."""
        array: Array = getattr(self.arrays.terminals, name)[self.number]
        return array

    @property
    def now(self) -> int:
        """Return the cycles that it has run."""
        return int(self.arrays.clock["now"][self.number, 0])

    @property
    def expected(self) -> BoolArray:
        """Return the packets that can be delivered."""
        expected: BoolArray = self.arrays.packets["expected"][self.packets]
        return expected

    @property
    def delivered(self) -> IntArray:
        """Return the cycle in which the tail of each packet came out, -1 if it did not."""
        delivered: IntArray = self.arrays.packets["delivered"][self.packets]
        return delivered

    @property
    def begun(self) -> IntArray:
        """Return the cycle from which the latency of each packet counts: in which it was made."""
        return self.traffic.time

    @property
    def received(self) -> IntArray:
        """Return the flits that came out at each node."""
        flits: IntArray = self.arrays.flits[self.number]
        return flits

    @property
    def sent(self) -> IntArray:
        """Return the flits that were on the link of each output, as (nodes, ports)."""
        link, there = self.config.link, self.arrays.sent[self.number]
        place = link["dst_node"] * self.config.ports + link["dst_port"]
        sent: IntArray = np.where(link["dst_node"] < 0, 0, there[place]) + self._on_links
        return sent.reshape(self.config.nodes, self.config.ports)

    @property
    def _on_links(self) -> IntArray:
        """Return the flits that each output has sent and that have not arrived."""
        links = getattr(self.arrays, "links", None)
        if isinstance(links, StreamState):
            sent = np.zeros(len(self.config.link), np.int64)
            sent[self.config.links.outputs] = flits_on(links, self.config.links, self.number)
            return sent
        if not isinstance(links, CellState):
            return np.zeros(1, np.int64)
        sender = links.sender[self.number]
        on_links: IntArray = sender["level"] + sender["gone"]
        return on_links

    @property
    def faults(self) -> list[str]:
        """Return what was wrong with what came out; at most ten are kept."""
        return [
            self.traffic.misplaced(cycle, node, packet, self.part.format(index))
            for cycle, node, index, packet in self.found_faults
        ]

    @property
    def found_faults(self) -> list[tuple[int, int, int, int]]:
        """Return cycle, node, index within its packet, and packet of what was out of place."""
        count = int(self.arrays.clock["faults"][self.number, 0])
        found = self.arrays.fault[self.number][:count].copy()
        found["packet"] -= self.first
        return found.tolist()  # type: ignore[no-any-return]

    @property
    def errors(self) -> IntArray:
        """Return the malformed packets and flits at each node, as its counter shows them."""
        errors: IntArray = self.arrays.routers.errors[self.number]
        return errors

    @property
    def overruns(self) -> IntArray:
        """Return the flits of each terminal without a credit, as the counter shows them."""
        overruns = self.arrays.routers.overruns[self.number]
        shown: IntArray = np.minimum(overruns, self.config.max_overruns)
        return shown

    @property
    def flits(self) -> int:
        """Return the flits between the terminals: in queues, on links, at entrances."""
        routers, in_flight, number = self.arrays.routers, self.arrays.in_flight, self.number
        masks = in_flight.arriving[number], routers.router["push"][number]
        stored = int(routers.vc_buffer["level"][number].sum())
        sent = int(in_flight.injection["valid"][number].sum())
        stored += sent + int(self._on_links.sum())
        pushed = (int(mask).bit_count() for each in masks for mask in each[each != 0].tolist())
        return stored + sum(pushed)

    @property
    def empty(self) -> bool:
        """Return whether all that was sent and can be delivered has been, with its credits."""
        all_sent = (self._of("packet") == self._of("end")).all()
        return bool(all_sent and self.all_delivered and not self._of("backlog").any())

    @property
    def all_delivered(self) -> bool:
        """Return whether every packet that can be delivered has been."""
        return not self.arrays.clock["outstanding"][self.number, 0]

    def stop(self) -> None:
        """Send no packet that has not been begun, but close one that was left without a tail."""
        terminals, number, traffic = self.arrays.terminals, self.number, self.traffic
        packet, last = terminals.packet[number], terminals.end[number] - self.first
        end = packet - self.first + (terminals.next_flit[number] > 0)
        channel = traffic.terminal_channel
        for at in range(len(end)):
            # A terminal that falls silent inside a packet would keep the channels of that packet.
            while (
                0 < end[at] < last[at]
                and channel[end[at] - 1] == at
                and traffic.kind[end[at] - 1] == NO_TAIL
            ):
                end[at] += 1
        terminals.end[number] = end + self.first
        terminals.due[number, packet >= terminals.end[number]] = LATE
        self._withdraw(np.arange(len(channel)) >= end[channel])

    def _withdraw(self, packets: BoolArray) -> None:
        """Expect some packets no longer."""
        self.expected[packets] = False
        missing = self.expected & (self.delivered < 0)
        self.arrays.clock["outstanding"][self.number] = np.count_nonzero(missing)

    @property
    def beats(self) -> IntArray:
        """Return the beats of each packet that users took.

        Raises
        ------
        TypeError
            If terminals are not AXI4-Stream.
        """
        raise TypeError("Beats need AXI4-Stream terminals")

    @property
    def longest_time(self) -> int | None:
        """Return the longest time in the network of what has come out; None: not noted."""
        return None
