"""All routers of a network as arrays; the twin of fingerpost.hdl.router and what it is made of."""

from collections import deque

import numpy as np

from fingerpost.golden.algebra import chance
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.counters import ERRORS, OVERRUNS
from fingerpost.golden.flit import Flits
from fingerpost.golden.model.allocation import Allocation, Requests
from fingerpost.golden.model.overrun_guard import OverrunGuard
from fingerpost.golden.model.vc_buffers import Push, VcBuffers
from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import TerminalModel


class Model:
    """The routers of a network, all at once.

    A port index is node * ports + port; arrays are over all port indices, as inputs or outputs,
    or over their channels (port index * channels + channel). A channel of an input is a queue. The
    work of a cycle grows with the flits in the network, not with its size.

    Attributes
    ----------
    st_flit : Flits
        The flits in switch traversal in this cycle.
    link : Flits
        The flits on the links between routers in this cycle: the output registers.
    links : Between
        The links.
    ejected : Flits
        The flits on the links to the terminals.
    credit : array
        The queues that return a credit in this cycle.
    link_dst, link_src : (port indices,)
        The input at the end of the link of an output, and the output at the start of the link of
        an input; a terminal stands for the other end of its own port.
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
        self.channels, self.classes = network.virtual_channels, network.classes
        self.per_class = network.channels_per_class
        inputs = self.nodes * self.ports
        node, port = np.divmod(np.arange(inputs), self.ports)
        self.node, self.port = node, port
        self.vc_increments = network.channels.vc_increments.ravel()
        turns = network.used_turns
        self.used_turns = np.stack([turns[node_type] for node_type in topology.node_type]).ravel()
        self.next_vc = network.lanes.next_vc

        self.link_dst = np.arange(inputs)
        here, by = np.nonzero(topology.neighbour >= 0)
        links = here * self.ports + by
        self.link_dst[links] = (
            topology.neighbour[here, by] * self.ports + topology.arrival_port[here, by]
        )
        self.link_src = np.arange(inputs)
        self.link_src[self.link_dst[links]] = links

        self.links = network.link.between(
            self.link_src,
            self.link_dst,
            channels=self.channels,
            depth=network.buffer_depth,
            flit_width=network.flit_width,
        )

        depth = np.where(port == self.local, network.terminal_depth, network.buffer_depth)
        self.vc_buffers = VcBuffers(np.repeat(depth, self.channels))
        self.allocation = Allocation(network)
        self.in_packet = np.zeros(inputs * self.channels, np.bool_)  # by queue
        self.overrun_guard = OverrunGuard(self.nodes, self.classes)
        self.st_flit = self.link = self.ejected = Flits.empty()
        self.chance = chance.SEED
        self.injection = deque([Flits.empty()] * self.routing.header_cycles)
        self.routed = deque([Push.empty()] * network.routing_register)
        self.credit = np.empty(0, np.int64)
        self.errors = np.zeros(self.nodes, np.int64)
        self.new_errors = np.empty(0, np.int64)

    @property
    def overruns(self) -> IntArray:
        """Return the flits that terminals sent without a credit, by node."""
        return np.minimum(self.overrun_guard.count, OVERRUNS.most)

    def step(self, injected: Flits, ejection_credit: IntArray) -> None:
        """Go through one cycle, up to and including its clock edge.

        Parameters
        ----------
        injected : Flits
            The flits that the terminals send in this cycle; `port_index` is that of the terminal.
            What is sent without a credit may be dropped: see `OverrunGuard`.
        ejection_credit : array
            The channels of terminals (node * classes + class) of which a credit returns in this
            cycle.
        """
        requests = self._requests()
        arrived, returned = self.links.step(self.link, self.credit)
        self.injection.append(injected)
        entered = self._enter(self.injection.popleft())
        self.routed.append(self._route_stage(arrived, entered, requests))
        self.chance = chance.advance(self.chance)
        push = self.routed.popleft()
        granted = self.allocation.step(requests, push.queue)
        pop = np.concatenate([requests.queue[granted], requests.discard])
        st_flit = self._read_flits(requests, granted)
        self._receive_credits(returned, ejection_credit)
        self.vc_buffers.step(pop, push)
        self.credit = pop
        out = self.port[self.st_flit.port_index] == self.local
        self.link, self.ejected = self.st_flit.select(~out), self.st_flit.select(out)
        self.st_flit = st_flit

    def _requests(self) -> Requests:
        """Return the flits at the front of queues, and the outputs that they request."""
        buffers = self.vc_buffers
        queue = np.flatnonzero(buffers.level)
        port = buffers.route_port[queue]
        routed = port >= 0
        discard = queue[~routed]
        if len(discard):
            queue, port = queue[routed], port[routed]
        inputs = queue // self.channels
        return Requests(
            queue=queue,
            input=inputs,
            output=self.node[inputs] * self.ports + port,
            channel=buffers.route_channel[queue],
            head=~buffers.mid_packet[queue],
            tail=buffers.tail[buffers.read_ptr[queue]],
            discard=discard,
        )

    def _read_flits(self, requests: Requests, granted: IntArray) -> Flits:
        """Return the flits that are granted, as they go to their outputs."""
        queue = requests.queue[granted]
        row = self.vc_buffers.read_ptr[queue]
        return Flits(
            requests.output[granted],
            requests.channel[granted],
            requests.head[granted],
            requests.tail[granted],
            self.vc_buffers.data[row],
            self.vc_buffers.tag[row],
        )

    def _receive_credits(self, returned: IntArray, ejection_credit: IntArray) -> None:
        """Count the credits that arrive; they can be used from the next cycle on."""
        inputs, channel = np.divmod(returned, self.channels)
        linked = self.port[inputs] != self.local
        credits = self.allocation.credits
        credits[(self.link_src[inputs] * self.channels + channel)[linked]] += 1
        credits[self._terminal_queue(ejection_credit)] += 1

    def _terminal_queue(self, channel: IntArray) -> IntArray:
        """Return the queues, or output channels, of channels of terminals."""
        node, message_class = np.divmod(channel, self.classes)
        return (node * self.ports + self.local) * self.channels + message_class

    @property
    def injection_credit(self) -> IntArray:
        """Return the channels of terminals of which routers return a credit in this cycle."""
        inputs, message_class = np.divmod(self.credit, self.channels)
        local = self.port[inputs] == self.local
        found: IntArray = self.node[inputs[local]] * self.classes + message_class[local]
        return found

    def wires(self) -> dict[str, IntArray]:
        """Return the fields of `Link.seen` by node and output port."""
        seen = self.links.seen(self.link, self.credit)
        return {
            name: column.reshape(self.nodes, self.ports)[:, : self.local].ravel()
            for name, column in seen.items()
        }

    @property
    def flits(self) -> int:
        """Return the flits between the terminals: in queues, on links, at entrances."""
        flits = [self.st_flit, self.link, self.ejected, *self.injection]
        routed = sum(len(push.queue) for push in self.routed)
        in_flight = sum(len(each.port_index) for each in flits)
        return int(self.vc_buffers.level.sum()) + routed + in_flight

    def _enter(self, injected: Flits) -> Flits:
        """Return the flits that enter from the terminals, see `OverrunGuard`."""
        queue = self._terminal_queue(np.arange(self.nodes * self.classes))
        level = self.vc_buffers.level[queue]
        for push_pending in self.routed:
            level += np.isin(queue, push_pending.queue)
        full = level == self.vc_buffers.depth[queue]
        port_index = queue // self.channels
        return self.overrun_guard.step(injected, port_index, full, self.in_packet[queue])

    def _route_stage(self, arrived: Flits, injected: Flits, requests: Requests) -> Push:
        """Find the route of every flit that arrives, and whether it is malformed."""
        inputs = np.concatenate([self.link_dst[arrived.port_index], injected.port_index])
        channel, head, tail, data, tag = (
            np.concatenate(pair) for pair in zip(arrived[1:], injected[1:], strict=True)
        )
        queue = inputs * self.channels + channel
        continues_packet = self.in_packet[queue]
        orphan = ~(head | continues_packet)
        error = np.where(head, continues_packet, orphan)
        head = head & ~continues_packet

        # A flit outside any packet is discarded as a packet of its own. The flits behind a head
        # have its route, whatever is written here.
        route_port = np.full(len(queue), -1)
        route_channel = np.zeros(len(queue), np.int64)
        h = np.flatnonzero(head)
        if len(h):
            at = inputs[h]
            header_mask = (1 << self.routing.header.width) - 1
            node, selection = self.node[at], self._selection(self.node[at], requests)
            decision = self.routing.decide(node, self.port[at], data[h] & header_mask, selection)
            refused = decision.error.astype(np.bool_)
            port = np.where(refused, self.local, decision.port)
            turn = at * self.ports + port
            unroutable = refused | ~self.used_turns[turn]
            # The channel of a terminal is the class; its packets begin on the first of the class.
            own = np.where(self.port[at] == self.local, channel[h] * self.per_class, channel[h])
            onward = np.where(self.vc_increments[turn], self.next_vc[own], own)
            route_channel[h] = np.where(port == self.local, own // self.per_class, onward)
            route_port[h] = np.where(unroutable, -1, port)
            data[h] = (data[h] & ~header_mask) | decision.header
            error[h] = unroutable
        self.in_packet[queue] = (head | continues_packet) & ~tail
        if len(self.new_errors):
            np.add.at(self.errors, self.new_errors, 1)
            np.minimum(self.errors, ERRORS.most, out=self.errors)
        self.new_errors = self.node[inputs[error]]
        return Push(queue, route_port, route_channel, tail | orphan, data, tag)

    def _selection(self, node: IntArray, requests: Requests) -> IntArray | None:
        """Return the second input of decisions at `node`: chance, or which outputs are free."""
        if self.routing.selection == "random":
            return chance.selection(self.chance, node)
        if self.routing.selection == "free":
            requested = np.zeros(len(self.node), np.bool_)
            requested[requests.output] = True
            by_node = requested.reshape(self.nodes, self.ports)
            free: IntArray = ~by_node @ (1 << np.arange(self.ports))
            return free[node]
        return None


def cycle(model: Model, terminals: TerminalModel, number: int) -> None:
    """Run cycle `number` of a network and its terminals."""
    terminals.credit(model.injection_credit)
    injected = terminals.send(number)
    terminals.receive(model.ejected, number)
    model.step(injected, terminals.give_back())
