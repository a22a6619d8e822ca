"""The packets that a run knows of: those that came out go, others come, and tags follow."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.jit.compile import called
from fingerpost.golden.jit.memory import empty_block
from fingerpost.golden.router.records import LATE, PACKET
from fingerpost.golden.router.state import Config, State


class DoubleBuffer:
    """Memory for packets: one block has those of now, the other those after an exchange."""

    def __init__(self) -> None:
        self._blocks = [empty_block(0, PACKET) for _ in range(2)]

    def next(self, count: int) -> NDArray[Any]:
        """Return room for so many packets; that of the call before is still in use."""
        self._blocks.reverse()
        if len(self._blocks[0]) < count:
            self._blocks[0] = empty_block(count + count // 4, PACKET)
        return self._blocks[0][:count]


def exchange(
    config: Config, state: State, new: NDArray[Any], buffer: DoubleBuffer, *, plain: bool
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the packets of the only run, with new ones, and those that were delivered, without.

    The packets of each channel of a terminal stay together: those that it has sent, those that it
    has not, and the new ones. Those of both arrays are sorted so. Those that were delivered are
    where the packets have been, until the next call. `plain`: in plain Python in any case.
    """
    packets, terminals = state.packets, state.terminals
    count = int(np.count_nonzero(packets["delivered"] < 0))
    kept = buffer.next(count + len(new))
    tag = np.empty(len(packets), np.int32)
    end = np.empty(config.nodes * config.classes, np.int64)
    added = np.empty_like(end)
    _merge(packets, new, config.classes, kept, tag, end, added, plain=plain)
    in_flight = state.in_flight.flits, state.in_flight.injection, state.links.row
    for flits in (state.routers.row, *in_flight):
        _renumber(flits.reshape(-1), tag, plain=plain)
    unsent = terminals.end[0] - terminals.packet[0] + added
    terminals.end[0], terminals.packet[0] = end, end - unsent
    more = unsent > 0
    terminals.due[0] = LATE
    terminals.due[0, more] = np.minimum(kept["time"][terminals.packet[0, more]], LATE)
    state.clock["outstanding"] += np.count_nonzero(new["expected"])
    return kept, packets[: len(packets) - count]


@called
def _merge(packets: Any, new: Any, classes: int, kept: Any, tag: Any, end: Any, added: Any) -> None:
    """Fill in what is kept, and the new place of each packet, -1 of those that came out.

    These go to the front of `packets`. Fill in, by channel, where its packets end, and how many
    are new.
    """
    old = more = place = gone = 0
    for channel in range(len(end)):
        while (
            old < len(packets)
            and packets[old].source * classes + packets[old].message_class == channel
        ):
            if packets[old].delivered < 0:
                kept[place], tag[old] = packets[old], place
                place += 1
            else:
                packets[gone], tag[old] = packets[old], -1
                gone += 1
            old += 1
        first = more
        while more < len(new) and new[more].source * classes + new[more].message_class == channel:
            kept[place] = new[more]
            place += 1
            more += 1
        end[channel], added[channel] = place, more - first


@called
def _renumber(flits: Any, tag: Any) -> None:
    """Give the flits of packets the new numbers of these."""
    for at in range(len(flits)):
        if flits[at].tag >= 0:
            flits[at].tag = tag[flits[at].tag]
