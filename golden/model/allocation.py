"""Who goes next: channels handed from packet to packet, nominees, and arbitration.

The twin of hdl.output_port and hdl.handover. An output channel belongs to one packet at a time,
and passes from its tail to a head that waits for it, in turn. So what has once a channel and a
credit keeps them until it goes: nobody else can take its credit. Each input nominates one of its
channels that are ready, in turn; each output takes one of the inputs that want it, the one that it
has not served for longest.
"""

from typing import NamedTuple

import numpy as np

from golden.arrays import BoolArray, IntArray
from golden.model.courtesy import LAST, Courtesy
from golden.model.sources import Sources
from golden.network import Network

__all__ = ["Allocation", "Waiting"]

FREE = -1
"""The holder of a channel that nobody holds."""

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
    holder : (outputs * channels,)
        The queue whose packet has the channel, or `FREE`.
    shift : (outputs * channels,)
        Whose turn it is to hold the channel: the source of this number plus the cycles so far.
    nominated : (inputs,)
        The channel that each input sent from last.
    served : (outputs, ports)
        When each output last took something from each input; before the start, in their order.
    went : (outputs * channels, sources)
        The turn at which each source last went while nobody held the channel.
    courtesy : Courtesy, optional
        Who lets others pass, if that is asked for.
    lane : (nodes,)
        The channel on which the terminal's packet starts.
    """

    def __init__(self, network: Network) -> None:
        topology = network.topology
        self.ports, self.local = topology.degree + 1, topology.local
        self.channels = network.virtual_channels
        self.courtesy: Courtesy | None = None
        if network.courtesy:
            self.courtesy = Courtesy(network.courtesy, topology.nodes, self.ports)
        self.lanes = int(network.lanes.count[0])
        places = topology.nodes * self.ports
        queues = places * self.channels
        self.port = np.tile(np.arange(self.ports), topology.nodes)
        self.credits = np.full(queues, network.buffer_depth)
        self.holder = np.full(queues, FREE)
        self.nominated = np.zeros(places, np.int64)
        self.served = np.tile(np.arange(self.ports) - self.ports, (places, 1))
        self.now = 0
        self.lane = np.zeros(topology.nodes, np.int64)
        self.sources = Sources(network)
        self.shift = np.zeros(queues, np.int64)
        most = int(self.sources.count.max())
        self.went = np.full((queues, most), -most)
        self.least = np.full(queues, NEVER)

    def step(self, waiting: Waiting) -> IntArray:
        """Return which of the waiting flits go; then take the clock edge."""
        queue, inputs, output, channel, head, tail, _ = waiting
        if self.lanes > 1:
            away = (self.port[inputs] == self.local) & (self.port[output] != self.local)
            channel[away] = self.lane[inputs[away] // self.ports]
        out_channel = output * self.channels + channel
        holder = self.holder[out_channel]
        ready = (self.credits[out_channel] > 0) & ((holder == queue) | (holder == FREE))
        rank = None
        if self.courtesy:
            injected = self.port[inputs] == self.local
            rank = self.courtesy.rank(np.flatnonzero(injected & head), output)

        sent = self._arbitration(waiting, self._nominees(waiting, np.flatnonzero(ready)), rank)
        self.credits[out_channel[sent]] -= 1
        waits = head.copy() if rank is None else head & (rank != LAST)
        waits[sent] = False
        self._hand_over(waiting, out_channel, sent, np.flatnonzero(waits))
        self.now += 1
        if self.courtesy and rank is not None:
            self.courtesy.step(rank, output, sent, tail[sent] & ~injected[sent])
        if self.lanes > 1:
            ends = inputs[sent[away[sent] & tail[sent]]] // self.ports
            self.lane[ends] = (self.lane[ends] + 1) % self.lanes
        return sent

    def _nominees(self, waiting: Waiting, ready: IntArray) -> IntArray:
        """Return for every input the ready flit of the channel whose turn is next."""
        if self.channels == 1 or not len(ready):
            return ready
        inputs = waiting.input[ready]
        after = (waiting.queue[ready] - 1 - self.nominated[inputs]) % self.channels
        begins = np.ones(len(ready), np.bool_)  # the channels of an input follow each other
        np.not_equal(inputs[1:], inputs[:-1], out=begins[1:])
        nearest = np.minimum.reduceat(after, np.flatnonzero(begins))
        nominees: IntArray = ready[after == nearest[begins.cumsum() - 1]]
        return nominees

    def _arbitration(self, waiting: Waiting, nominees: IntArray, rank: IntArray | None) -> IntArray:
        """Return the nominees that their outputs take: whoever has waited longest."""
        inputs, output = waiting.input[nominees], waiting.output[nominees]
        turn = self.served[output, self.port[inputs]]
        if rank is not None:
            turn += rank[nominees]
        won = self._first(output, turn)
        self.served[output[won], self.port[inputs[won]]] = self.now
        self.nominated[inputs[won]] = waiting.queue[nominees[won]] % self.channels
        sent: IntArray = nominees[won]
        return sent

    def _hand_over(
        self, waiting: Waiting, out_channel: IntArray, sent: IntArray, heads: IntArray
    ) -> None:
        """Give channels that nobody holds to those whose turn it is, and let the turn go around.

        The turn is at source `shift` + `now`; it stays where a head waits.
        """
        wanted, queue = out_channel[heads], waiting.queue[heads]
        turn, around = self.sources.turn(queue, wanted)
        place = self.shift[wanted] + self.now
        first = (place % around == turn) & (self.went[wanted, turn] <= place - around)
        first &= self.holder[wanted] != queue
        wanted, queue = wanted[first], queue[first]

        # Who goes without holding the channel has had the turn that comes next.
        moved = out_channel[sent]
        free = self.holder[moved] == FREE
        number, _ = self.sources.turn(waiting.queue[sent[free]], moved[free])
        self.went[moved[free], number] = self.shift[moved[free]] + self.now
        self.shift[wanted] -= 1
        self.holder[moved] = np.where(waiting.tail[sent], FREE, waiting.queue[sent])
        given = self.holder[wanted] == FREE
        self.holder[wanted[given]] = queue[given]

    def _first(self, wanted: IntArray, turn: IntArray) -> IntArray:
        """Return the entries of the least `turn` among those that want the same."""
        np.minimum.at(self.least, wanted, turn)
        first = np.flatnonzero(turn == self.least[wanted])
        self.least[wanted] = NEVER
        return first
