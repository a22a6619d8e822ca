"""Switch allocation and virtual-channel allocation of all routers.

The twin of hdl.router.output_port with its vc_allocator and switch_allocator, and of the
candidates of input_port. An output channel belongs to one packet from its head to its tail.
Allocation is separable: each input has chosen one of its queues as its candidate in the cycle
before; each output grants one of the candidates that are eligible, that of the least recently
granted input. Batches bound the wait of heads: see `BatchArbiter`. Where links have lanes,
arbitration is by packet: see `Lanes`.
"""

from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.model.batch_arbiter import BatchArbiter
from fingerpost.golden.model.bypass_limit import UNPROMOTED, BypassLimit
from fingerpost.golden.network.network import Network

NEVER = UNPROMOTED + UNPROMOTED
"""After all grants, also those of unpromoted heads."""


class Requests(NamedTuple):
    """The flits at the front of queues in one cycle, as parallel arrays, by queue.

    `output` is a port index, `channel` that of the output. `discard` are the queues whose packet
    at the front has no route: their flits are discarded. The other arrays leave these queues out.
    """

    queue: IntArray
    input: IntArray
    output: IntArray
    channel: IntArray
    head: BoolArray
    tail: BoolArray
    discard: IntArray


class Allocation:
    """The allocators of all routers.

    Attributes
    ----------
    credits : (outputs * channels,)
        The free places in the buffer at the other end.
    busy : (outputs * channels,)
        Whether a packet has the channel.
    candidate : (inputs,)
        The queue that each input offers to its output in this cycle.
    queue_last_grant : (queues,)
        The cycle in which each queue was last granted; before the start, in their order.
    input_last_grant : (outputs, ports)
        The cycle in which each output last granted each input; before the start, in their order.
    batches : BatchArbiter, optional
        The batches of every channel, if inputs have several channels.
    bypass : BypassLimit, optional
        The heads that yield, if some do.
    lane : (channels of terminals,)
        The lane on which the terminal's packet starts, by node * classes + class: the next one in
        turn, or, with one class, if that is not free when its head waits, the first that is.
    """

    def __init__(self, network: Network) -> None:
        topology = network.topology
        self.ports, self.local = topology.degree + 1, topology.local
        self.channels = network.virtual_channels
        self.lanes, self.classes = int(network.lanes.count[0]), network.classes
        inputs = topology.nodes * self.ports
        queues = inputs * self.channels
        limits = network.bypass_limits
        self.bypass = BypassLimit(limits, queues, inputs) if limits.any() else None
        self.port = np.tile(np.arange(self.ports), topology.nodes)
        self.credits = np.full(queues, network.buffer_depth)
        self.busy = np.zeros(queues, np.bool_)
        self.candidate = np.arange(inputs) * self.channels
        self.queue_last_grant = np.tile(np.arange(self.channels) - self.channels, inputs)
        self.input_last_grant = np.tile(np.arange(self.ports) - self.ports, (inputs, 1))
        several = self.channels > 1
        self.batches = BatchArbiter(queues, self.ports * self.channels) if several else None
        self.now = 0
        self.lane = np.zeros(topology.nodes * self.classes, np.int64)
        # For use within a cycle.
        self.earliest = np.full(inputs, NEVER)
        self.denied, self.changes = np.zeros(inputs, np.bool_), np.zeros(queues, np.bool_)

    def step(self, requests: Requests, push: IntArray) -> IntArray:
        """Return the indices of the requests that are granted; then take the clock edge.

        `push` are the queues to which flits are written in this cycle.
        """
        queue, inputs, output, channel, head, tail, _ = requests
        if self.lanes > 1:
            from_terminal = (self.port[inputs] == self.local) & (self.port[output] != self.local)
            begins_at = queue // self.channels // self.ports * self.classes + queue % self.channels
            self._choose_lane(requests, np.flatnonzero(from_terminal), begins_at[from_terminal])
        out_channel = output * self.channels + channel
        eligible = self.credits[out_channel] > 0
        eligible &= ~(head & self.busy[out_channel])
        if self.batches:
            heads = np.flatnonzero(head)
            served = self.batches.is_served(out_channel[heads], queue[heads])
            eligible[heads[served]] = False
        priority = None
        if self.bypass:
            limit = self.bypass.limit(self.port[inputs], output)
            priority = self.bypass.priority(queue, np.where(head, limit, 0))

        is_candidate = queue == self.candidate[inputs]
        candidates = np.flatnonzero(eligible & is_candidate)
        granted = self._output_arbitration(requests, candidates, priority)
        if self.batches:
            pending = heads[~served]
            begins = granted[head[granted]]
            begins_pending = begins
            if priority is not None:
                pending = pending[priority[pending] != UNPROMOTED]
                begins_pending = begins[priority[begins] != UNPROMOTED]
            self.batches.step(
                out_channel[pending],
                out_channel[begins_pending],
                out_channel[begins],
                queue[begins],
            )
            eligible_next = self._predict_eligible(
                requests,
                out_channel,
                np.flatnonzero(is_candidate),
                pending,
                eligible,
                heads[served],
            )
            others = np.flatnonzero(eligible_next & ~is_candidate)
            self._input_arbitration(requests, candidates, granted, others, push)
        self.credits[out_channel[granted]] -= 1
        self.busy[out_channel[granted]] = ~tail[granted]
        self.now += 1
        if self.bypass and priority is not None:
            self.bypass.step(queue, output, priority, granted, granted[tail[granted]])
        if self.lanes > 1:
            ends = begins_at[granted[from_terminal[granted] & tail[granted]]]
            self.lane[ends] = (self.lane[ends] + 1) % self.lanes
        return granted

    def _choose_lane(self, requests: Requests, flits: IntArray, at: IntArray) -> None:
        """Choose the lanes of packets from terminals to links; a head may change its lane.

        `at` are the indices of `lane`, of each flit one.
        """
        first = requests.output[flits] * self.channels + requests.channel[flits]
        lanes = first[:, None] + np.arange(self.lanes)
        free = (self.credits[lanes] > 0) & ~self.busy[lanes]
        if self.batches:
            queue = np.broadcast_to(requests.queue[flits, None], lanes.shape)
            free &= ~self.batches.is_served(lanes.ravel(), queue.ravel()).reshape(lanes.shape)
        stays = free[np.arange(len(flits)), self.lane[at]] | ~free.any(axis=1)
        stays |= ~requests.head[flits] | (self.classes > 1)
        self.lane[at] = np.where(stays, self.lane[at], free.argmax(axis=1))
        requests.channel[flits] += self.lane[at]

    def _output_arbitration(
        self, requests: Requests, candidates: IntArray, priority: IntArray | None
    ) -> IntArray:
        """Return the candidates that their outputs grant: by priority, least recently granted."""
        inputs, output = requests.input[candidates], requests.output[candidates]
        last_grant = self.input_last_grant[output, self.port[inputs]]
        if priority is not None:
            last_grant += priority[candidates]
        won = self._earliest(output, last_grant)
        granted: IntArray = candidates[won]
        if self.lanes > 1:  # by packet
            won = won[requests.tail[granted]]
        self.input_last_grant[output[won], self.port[inputs[won]]] = self.now
        return granted

    def _predict_eligible(
        self,
        requests: Requests,
        out_channel: IntArray,
        candidates: IntArray,
        pending: IntArray,
        eligible: BoolArray,
        served: IntArray,
    ) -> BoolArray:
        """Return the requests that are eligible in the next cycle if all candidates are granted.

        Then the channel of a terminal becomes busy where a head begins a packet, and free where a
        tail ends one. At links that is not predicted: other channels fill the cycle between two
        packets.
        """
        head, tail, output = requests.head, requests.tail, requests.output
        eligible_next = eligible.copy()
        candidates = candidates[self.port[output[candidates]] == self.local]
        is_pending = np.zeros(len(head), np.bool_)
        is_pending[pending] = True
        change = np.where(tail[candidates], ~head[candidates], is_pending[candidates])
        change = candidates[change]
        change = change[self.busy[out_channel[change]] != head[change]]
        self.changes[out_channel[change]] = True
        heads = np.flatnonzero(head & self.changes[out_channel])
        self.changes[out_channel[change]] = False
        channel = out_channel[heads]
        eligible_next[heads] = self.busy[channel] & (self.credits[channel] > 0)
        eligible_next[served] = False
        return eligible_next

    def _input_arbitration(
        self,
        requests: Requests,
        candidates: IntArray,
        granted: IntArray,
        others: IntArray,
        push: IntArray,
    ) -> None:
        """Choose the candidates of the next cycle.

        An eligible candidate that is denied stays; so does, by packet, one that is granted and no
        tail. Else the candidate is the least recently granted of the `others`, which are eligible
        in the next cycle, or else the queue to which a flit is written. By packet, those of the
        `others` come first that request another output than the present candidate.
        """
        queue, inputs = requests.queue, requests.input
        self.denied[inputs[candidates]] = True
        self.denied[inputs[granted[requests.tail[granted]] if self.lanes > 1 else granted]] = False
        into = push // self.channels
        free = ~self.denied[into]
        previous = self.candidate.copy() if self.lanes > 1 else self.candidate
        self.candidate[into[free]] = push[free]
        others = others[~self.denied[inputs[others]]]
        if self.lanes > 1:
            others = self._elsewhere_first(requests, others, previous)
        others = others[self._earliest(inputs[others], self.queue_last_grant[queue[others]])]
        self.candidate[inputs[others]] = queue[others]
        self.denied[inputs[candidates]] = False
        self.queue_last_grant[queue[granted]] = self.now

    def _elsewhere_first(
        self, requests: Requests, others: IntArray, candidate: IntArray
    ) -> IntArray:
        """Leave out, of inputs that have others, those that request the candidate's output."""
        queue, inputs, output = requests.queue, requests.input, requests.output
        present = np.flatnonzero(queue == candidate[inputs])
        used = np.full(len(candidate), -1)
        used[inputs[present]] = output[present]
        elsewhere = output[others] != used[inputs[others]]
        some = np.zeros(len(candidate), np.bool_)
        some[inputs[others[elsewhere]]] = True
        first: IntArray = others[elsewhere | ~some[inputs[others]]]
        return first

    def _earliest(self, resource: IntArray, time: IntArray) -> IntArray:
        """Return the indices of the earliest `time` among those that ask for the same resource."""
        np.minimum.at(self.earliest, resource, time)
        first = np.flatnonzero(time == self.earliest[resource])
        self.earliest[resource] = NEVER
        return first
