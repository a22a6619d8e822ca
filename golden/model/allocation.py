"""Who goes next: nominees, arbitration, channels, and rounds.

The twin of hdl.output_port and of the nominee of hdl.input_port. An output channel belongs to one
packet from its head to its tail. Each input has nominated one of its channels in the cycle before;
each output takes one of the nominees that can go, of the input that it has not served for longest.
Of the heads that wait for a channel each goes once before any goes twice.
"""

from typing import NamedTuple

import numpy as np

from golden.arrays import BoolArray, IntArray
from golden.model.courtesy import LAST, Courtesy
from golden.model.rounds import Rounds
from golden.network import Network

__all__ = ["Allocation", "Waiting"]

NEVER = LAST + LAST
"""After all turns, those of the terminal too."""


class Waiting(NamedTuple):
    """The flits at the front of queues in one cycle, as parallel arrays, by queue.

    `output` is a place, `channel` that of the output; `drained` are the queues whose front has no
    way, and is drained; the others are not about these.
    """

    queue: IntArray
    input: IntArray
    output: IntArray
    channel: IntArray
    head: BoolArray
    tail: BoolArray
    drained: IntArray


class Allocation:
    """The allocators of all routers.

    Attributes
    ----------
    credits : (outputs * channels,)
        The places left at the other end.
    busy : (outputs * channels,)
        Whether a packet has the channel.
    nominee : (inputs,)
        The queue that each input nominates in this cycle.
    taken : (queues,)
        When something was last taken from each queue; before the start, in their order.
    served : (outputs, ports)
        When each output last took something from each input; before the start, in their order.
    rounds : Rounds, optional
        Who has had its turn on a channel, if inputs have several channels.
    courtesy : Courtesy, optional
        Who lets others pass, if that is asked for.
    lane : (nodes,)
        The channel on which the terminal's packet starts.
    """

    def __init__(self, network: Network) -> None:
        topology = network.topology
        self.ports, self.local = topology.degree + 1, topology.local
        self.channels = network.virtual_channels
        self.lanes = int(network.lanes.count[0])
        places = topology.nodes * self.ports
        queues = places * self.channels
        limits = network.courtesies
        self.courtesy = Courtesy(limits, queues, places) if limits.any() else None
        self.port = np.tile(np.arange(self.ports), topology.nodes)
        self.credits = np.full(queues, network.buffer_depth)
        self.busy = np.zeros(queues, np.bool_)
        self.nominee = np.arange(places) * self.channels
        self.taken = np.tile(np.arange(self.channels) - self.channels, places)
        self.served = np.tile(np.arange(self.ports) - self.ports, (places, 1))
        self.rounds = Rounds(queues, self.ports * self.channels) if self.channels > 1 else None
        self.now = 0
        self.lane = np.zeros(topology.nodes, np.int64)
        self.least = np.full(places, NEVER)
        self.lost, self.changing = np.zeros(places, np.bool_), np.zeros(places, np.bool_)

    def step(self, waiting: Waiting, arriving: IntArray) -> IntArray:
        """Return which of the waiting flits go; then take the clock edge.

        `arriving` are the queues to which flits are written in this cycle.
        """
        queue, inputs, output, channel, head, tail, _ = waiting
        if self.lanes > 1:
            away = (self.port[inputs] == self.local) & (self.port[output] != self.local)
            channel[away] = self.lane[inputs[away] // self.ports]
        out_channel = output * self.channels + channel
        ready = self.credits[out_channel] > 0
        ready &= ~(head & self.busy[out_channel])
        if self.rounds:
            heads = np.flatnonzero(head)
            had = self.rounds.had(out_channel[heads], queue[heads])
            ready[heads[had]] = False
        rank = None
        if self.courtesy:
            limit = self.courtesy.limit(self.port[inputs], output)
            rank = self.courtesy.rank(queue, np.where(head, limit, 0))

        nominated = queue == self.nominee[inputs]
        nominees = np.flatnonzero(ready & nominated)
        sent = self._arbitration(waiting, nominees, rank)
        if self.rounds:
            due = heads[~had] if rank is None else heads[~had & (rank[heads] != LAST)]
            begins = sent[head[sent]]
            asked = begins if rank is None else begins[rank[begins] != LAST]
            self.rounds.step(
                out_channel[due], out_channel[asked], out_channel[begins], queue[begins]
            )
            soon = self._foresee(
                waiting, out_channel, np.flatnonzero(nominated), due, ready, heads[had]
            )
            self._nominate(waiting, nominees, sent, np.flatnonzero(soon & ~nominated), arriving)
        self.credits[out_channel[sent]] -= 1
        self.busy[out_channel[sent]] = ~tail[sent]
        self.now += 1
        if self.courtesy and rank is not None:
            self.courtesy.step(queue, output, rank, sent, sent[tail[sent]])
        if self.lanes > 1:
            ends = inputs[sent[away[sent] & tail[sent]]] // self.ports
            self.lane[ends] = (self.lane[ends] + 1) % self.lanes
        return sent

    def _arbitration(self, waiting: Waiting, nominees: IntArray, rank: IntArray | None) -> IntArray:
        """Return the nominees that their outputs take: whoever has waited longest."""
        inputs, output = waiting.input[nominees], waiting.output[nominees]
        turn = self.served[output, self.port[inputs]]
        if rank is not None:
            turn += rank[nominees]
        won = self._first(output, turn)
        self.served[output[won], self.port[inputs[won]]] = self.now
        sent: IntArray = nominees[won]
        return sent

    def _foresee(
        self, waiting: Waiting, out_channel: IntArray, nominees: IntArray, due: IntArray,
        ready: BoolArray, had: IntArray,
    ) -> BoolArray:  # fmt: skip
        """Return who can go in the next cycle if all nominees go now.

        Then the channel of a terminal is busy where a head begins a packet, and is not where one
        ends. At links that is not foreseen: other channels fill the cycle between two packets.
        """
        head, tail, output = waiting.head, waiting.tail, waiting.output
        soon = ready.copy()
        nominees = nominees[self.port[output[nominees]] == self.local]
        is_due = np.zeros(len(head), np.bool_)
        is_due[due] = True
        change = nominees[np.where(tail[nominees], ~head[nominees], is_due[nominees])]
        change = change[self.busy[out_channel[change]] != head[change]]
        self.changing[output[change]] = True
        heads = np.flatnonzero(head & self.changing[output])
        self.changing[output[change]] = False
        channel = out_channel[heads]
        soon[heads] = self.busy[channel] & (self.credits[channel] > 0)
        soon[had] = False
        return soon

    def _nominate(
        self,
        waiting: Waiting,
        nominees: IntArray,
        sent: IntArray,
        others: IntArray,
        arriving: IntArray,
    ) -> None:
        """Nominate for the next cycle.

        Who could have gone stays nominated. Else it is the one of the other channels that can go
        soon that was not taken for longest; or else the channel to which a flit comes.
        """
        queue, inputs = waiting.queue, waiting.input
        self.lost[inputs[nominees]] = True
        self.lost[inputs[sent]] = False
        place = arriving // self.channels
        comes = ~self.lost[place]
        self.nominee[place[comes]] = arriving[comes]
        others = others[~self.lost[inputs[others]]]
        others = others[self._first(inputs[others], self.taken[queue[others]])]
        self.nominee[inputs[others]] = queue[others]
        self.lost[inputs[nominees]] = False
        self.taken[queue[sent]] = self.now

    def _first(self, wanted: IntArray, turn: IntArray) -> IntArray:
        """Return the entries of the least `turn` among those that want the same."""
        np.minimum.at(self.least, wanted, turn)
        first = np.flatnonzero(turn == self.least[wanted])
        self.least[wanted] = NEVER
        return first
