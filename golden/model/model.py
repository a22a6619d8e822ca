"""All routers of a network as arrays; the twin of hdl.router and what it is made of."""

from collections import deque

import numpy as np

from golden.algebra import chance
from golden.arrays import BoolArray, IntArray
from golden.counters import ERRORS, OVERRUNS
from golden.flit import Flits
from golden.model.allocation import Allocation, Waiting
from golden.model.overruns import Overruns
from golden.model.queues import Queues
from golden.network import Network

__all__ = ["Model"]

Arriving = tuple[IntArray, IntArray, IntArray, BoolArray, IntArray, IntArray]
"""Queues, and what is written to them: port, channel, tail, data, tag."""


class Model:
    """The routers of a network, all at once.

    Arrays are over input ports or output ports (I = nodes * ports) or over their channels
    (I * channels): an input's are queues. The work of a cycle grows with the flits in the
    network, not with its size.

    Attributes
    ----------
    link : Flits
        What routers send to each other in this cycle: the output registers.
    links : Between
        What is between them.
    ejected : Flits
        What is on the links to the terminals.
    credit : array
        The channels (of inputs) that give back a credit in this cycle.
    errors : (nodes,)
        Malformed flits and packets so far; as the hardware, stops at `ERRORS.most`.
    overruns : (nodes,)
        Flits that terminals sent without a credit; stops at `OVERRUNS.most`.
    """

    def __init__(self, network: Network) -> None:
        topology = network.topology
        self.network, self.routing = network, network.routing
        self.nodes, self.local = topology.nodes, topology.local
        self.ports = topology.degree + 1
        self.channels = network.virtual_channels
        places = self.nodes * self.ports
        node, port = np.divmod(np.arange(places), self.ports)
        self.node, self.port = node, port
        self.increments = network.channels.vc_increments.ravel()
        taken = network.used_turns
        self.taken = np.stack([taken[node_type] for node_type in topology.node_type]).ravel()
        self.raised = network.lanes.next_vc

        # Where the link of an output ends, and where the link of an input starts; a terminal
        # stands for the other end of its own port.
        self.end = np.arange(places)
        here, by = np.nonzero(topology.neighbour >= 0)
        links = here * self.ports + by
        self.end[links] = (
            topology.neighbour[here, by] * self.ports + topology.arrival_port[here, by]
        )
        self.start = np.arange(places)
        self.start[self.end[links]] = links

        self.links = network.link.between(
            self.start,
            self.end,
            channels=self.channels,
            depth=network.buffer_depth,
            flit_width=network.flit_width,
        )

        depth = np.where(port == self.local, network.terminal_depth, network.buffer_depth)
        self.queues = Queues(np.repeat(depth, self.channels))
        self.allocation = Allocation(network)
        queues = places * self.channels
        # Admission, per channel of an input
        self.inside, self.lost = np.zeros(queues, np.bool_), np.zeros(queues, np.bool_)
        self.entry = Overruns(self.nodes)
        # The flits that cross in this cycle, and what is on links and terminals.
        self.crossing = self.link = self.ejected = Flits.none()
        self.chance = chance.SEED
        self.injection = deque([Flits.none()] * self.routing.launch_cycles)
        nothing, never = np.empty(0, np.int64), np.empty(0, np.bool_)
        none: Arriving = (nothing, nothing, nothing, never, nothing, nothing)
        self.routed = deque([none] * network.routing_register)
        self.credit = np.empty(0, np.int64)
        self.errors = np.zeros(self.nodes, np.int64)
        self.new_errors = np.empty(0, np.int64)

    @property
    def overruns(self) -> IntArray:
        """Return the flits that terminals sent without a credit, by node."""
        return np.minimum(self.entry.count, OVERRUNS.most)

    def step(self, injected: Flits, ejection_credit: IntArray) -> None:
        """Go through one cycle, up to and including its clock edge.

        Parameters
        ----------
        injected : Flits
            What the terminals send in this cycle, `place` being terminal ports. A flit that comes
            without a credit is lost, with what follows in its packet.
        ejection_credit : array of nodes
            The terminals that give back a credit in this cycle.
        """
        waiting = self._waiting()
        arrived, returned = self.links.step(self.link, self.credit)
        self.injection.append(injected)
        entered = self._enter(self.injection.popleft())
        self.routed.append(self._admission(arrived, entered, waiting))
        self.chance = chance.advance(self.chance)
        arriving = self.routed.popleft()
        sent = self.allocation.step(waiting, arriving[0])
        taken = np.concatenate([waiting.queue[sent], waiting.drained])
        crossing = self._flits(waiting, sent)
        self._receive_credits(returned, ejection_credit)
        self.queues.step(taken, *arriving)
        self.credit = taken
        out = self.port[self.crossing.place] == self.local
        self.link, self.ejected = self.crossing.some(~out), self.crossing.some(out)
        self.crossing = crossing

    def _waiting(self) -> Waiting:
        """Return the flits at the front of queues, and where they want to go."""
        queues = self.queues
        queue = np.flatnonzero(queues.level)
        port = queues.way_port[queue]
        wanted = port >= 0
        drained = queue[~wanted]
        if len(drained):
            queue, port = queue[wanted], port[wanted]
        inputs = queue // self.channels
        return Waiting(
            queue=queue,
            input=inputs,
            output=self.node[inputs] * self.ports + port,
            channel=queues.way_channel[queue],
            head=~queues.midst[queue],
            tail=queues.tail[queues.oldest[queue]],
            drained=drained,
        )

    def _flits(self, waiting: Waiting, sent: IntArray) -> Flits:
        queue = waiting.queue[sent]
        row = self.queues.oldest[queue]
        return Flits(
            waiting.output[sent],
            waiting.channel[sent],
            waiting.head[sent],
            waiting.tail[sent],
            self.queues.data[row],
            self.queues.tag[row],
        )

    def _receive_credits(self, returned: IntArray, ejection_credit: IntArray) -> None:
        """Count the credits that arrive; they serve from the next cycle on."""
        inputs, channel = np.divmod(returned, self.channels)
        linked = self.port[inputs] != self.local
        credits = self.allocation.credits
        credits[(self.start[inputs] * self.channels + channel)[linked]] += 1
        credits[(ejection_credit * self.ports + self.local) * self.channels] += 1

    def _enter(self, injected: Flits) -> Flits:
        """Keep out what comes without a credit; end the packet that it leaves without a tail."""
        place = np.arange(self.nodes) * self.ports + self.local
        queue = place * self.channels
        level = self.queues.level[queue]
        for coming, *_ in self.routed:
            level += np.isin(queue, coming)
        full = level == self.queues.depth[queue]
        return self.entry.step(injected, place, full, self.inside[queue])

    def _admission(self, arrived: Flits, injected: Flits, waiting: Waiting) -> Arriving:
        """Give every arriving flit its way; return the queues and what is written to them."""
        inputs = np.concatenate([self.end[arrived.place], injected.place])
        channel, head, tail, data, tag = (
            np.concatenate(pair) for pair in zip(arrived[1:], injected[1:], strict=True)
        )
        queue = inputs * self.channels + channel
        follows = self.inside[queue]
        stray = ~(head | follows)
        error = np.where(head, follows, stray)
        head = head & ~follows

        # A flit outside any packet is drained as a packet of its own. What follows a head has
        # the way of its head, whatever is written here.
        way_port = np.full(len(queue), -1)
        way_channel = np.zeros(len(queue), np.int64)
        h = np.flatnonzero(head)
        if len(h):
            at = inputs[h]
            header_mask = (1 << self.routing.header.width) - 1
            node, selection = self.node[at], self._selection(self.node[at], waiting)
            decision = self.routing.decide(node, self.port[at], data[h] & header_mask, selection)
            refused = decision.error.astype(np.bool_)
            port = np.where(refused, self.local, decision.port)
            turn = at * self.ports + port
            bad = refused | ~self.taken[turn]
            onward = np.where(self.increments[turn], self.raised[channel[h]], channel[h])
            way_channel[h] = np.where(port == self.local, 0, onward)
            way_port[h] = np.where(bad, -1, port)
            data[h] = (data[h] & ~header_mask) | decision.header
            error[h] = bad
        self.inside[queue] = (head | follows) & ~tail
        if len(self.new_errors):
            np.add.at(self.errors, self.new_errors, 1)
            np.minimum(self.errors, ERRORS.most, out=self.errors)
        self.new_errors = self.node[inputs[error]]
        return queue, way_port, way_channel, tail | stray, data, tag

    def _selection(self, node: IntArray, waiting: Waiting) -> IntArray | None:
        """Return what decisions at `node` are told besides: chance, or which outputs are free."""
        if self.routing.selection == "random":
            return chance.selection(self.chance, node)
        if self.routing.selection == "free":
            wanted = np.zeros(len(self.node), np.bool_)
            wanted[waiting.output] = True
            free: IntArray = ~wanted.reshape(self.nodes, self.ports) @ (1 << np.arange(self.ports))
            return free[node]
        return None
