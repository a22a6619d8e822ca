"""All routers of a network as arrays; the twin of hdl.router and what it is made of."""

from collections import deque
from typing import NamedTuple

import numpy as np

from golden import chance
from golden.arrays import BoolArray, IntArray
from golden.model.flits import Flits
from golden.model.links import FlitLinks, OsLinks
from golden.network import Network

__all__ = ["Model"]


class Nominees(NamedTuple):
    """The nominees of one cycle, as parallel arrays."""

    inputs: IntArray
    queue: IntArray
    row: IntArray
    output: IntArray
    out_channel: IntArray
    tail: BoolArray
    ready: BoolArray
    drain: BoolArray


class Model:
    """The routers of a network, all at once.

    Arrays are over input ports or output ports (I = nodes * ports), over their channels
    (I * channels), or over the places of their queues (I * channels * depth). The work of a cycle
    grows with the flits in the network, not with its size.

    Attributes
    ----------
    link : Flits
        What routers send to each other in this cycle: the output registers.
    links : FlitLinks or OsLinks
        What is between them.
    ejected : Flits
        What is on the links to the terminals.
    credit : array
        The channels (of inputs) that give back a credit in this cycle.
    errors : (nodes,)
        Malformed flits and packets so far; as the hardware, stops at 255.
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
        self.turns = network.channels.turns.ravel()

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

        self.links: FlitLinks | OsLinks = FlitLinks()
        if network.link:
            self.links = OsLinks(
                self.start,
                self.end,
                network.link,
                channels=self.channels,
                depth=network.buffer_depth,
                flit_width=network.flit_width,
            )

        queues = places * self.channels
        depth = np.where(port == self.local, network.terminal_depth, network.buffer_depth)
        self.depth = np.repeat(depth, self.channels)
        self.rows = int(depth.max())  # reserved for each queue
        rows = queues * self.rows
        # Admission, per channel of an input
        self.inside = np.zeros(queues, np.bool_)
        self.packet_port = np.zeros(queues, np.int64)
        self.packet_channel = np.zeros(queues, np.int64)
        # Queues
        self.newest, self.oldest, self.level = (np.zeros(queues, np.int64) for _ in range(3))
        self.way_port, self.way_channel = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
        self.way_head, self.way_tail = np.zeros(rows, np.bool_), np.zeros(rows, np.bool_)
        self.data, self.tag = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
        # Nominees, per input; a nominee is the row of a queue
        self.nominated, self.asks = np.zeros(places, np.bool_), np.zeros(places, np.bool_)
        self.channel, self.pointer = np.zeros(places, np.int64), np.zeros(places, np.int64)
        self.stalled = np.zeros(queues, np.bool_)
        # Outputs
        # When an output last took something from each input; before the start, in their order
        self.last = np.tile(np.arange(self.ports) - self.ports, (places, 1))
        self.now = 0
        self.credits = np.full(queues, network.buffer_depth)
        self.held = np.zeros(queues, np.bool_)
        self.fresh = np.zeros(places, np.bool_)  # nominees in their first cycle
        self.waited = np.zeros(places, np.bool_)  # somebody stood aside in the last cycle
        self.link = self.ejected = Flits.none()
        self.chance = chance.SEED
        self.entrance = deque([Flits.none()] * self.routing.launch_cycles)
        self.credit = np.empty(0, np.int64)
        self.errors = np.zeros(self.nodes, np.int64)
        self.new_errors = np.empty(0, np.int64)
        self.arrival_at = np.full(places, -1)
        self.longest = np.zeros(places, np.int64)

    def step(self, injected: Flits, ejection_credit: IntArray) -> None:
        """Go through one cycle, up to and including its clock edge.

        Parameters
        ----------
        injected : Flits
            What the terminals send in this cycle, `place` being terminal ports. A terminal must
            have a credit for what it sends.
        ejection_credit : array of nodes
            The terminals that give back a credit in this cycle.
        """
        nominees = self._readiness()
        taken, link, ejected = self._arbitration(nominees)
        arrived, returned = self.links.step(self.link, self.credit)
        self._receive_credits(returned, ejection_credit)
        self.entrance.append(injected)
        arriving = self._admission(arrived, self.entrance.popleft(), nominees)
        self.chance = chance.advance(self.chance)
        self._nomination(nominees, taken, arriving)
        self.link, self.ejected = link, ejected

    def _readiness(self) -> Nominees:
        """Find which nominees have room on their channel, and are not behind another packet."""
        v = self.channels
        inputs = np.flatnonzero(self.nominated)
        queue = inputs * v + self.channel[inputs]
        row = queue * self.rows + self.pointer[inputs]
        port = self.way_port[row]
        drain = port < 0
        output = self.node[inputs] * self.ports + port
        out_channel = output * v + self.way_channel[row]
        blocked = (self.credits[out_channel] == 0) | (self.way_head[row] & self.held[out_channel])
        ready = ~(blocked | drain)
        return Nominees(inputs, queue, row, output, out_channel, self.way_tail[row], ready, drain)

    def _arbitration(self, nominees: Nominees) -> tuple[BoolArray, Flits, Flits]:
        """Let every output take its winner, if that is ready.

        Return which nominees are taken, and what is on links and terminals in the next cycle.
        """
        inputs, _, row, output, out_channel, tail, ready, drain = nominees
        # Who stands aside asks one cycle after it is ready. In that cycle no new head may take
        # what became free.
        asks = self.asks[inputs] & ~drain
        eager = self.fresh[inputs] & self.way_head[row]
        asking = np.flatnonzero(asks & ~(eager & self.waited[output]))
        self.waited[:] = False
        self.waited[output[~(asks | drain)]] = True
        # Whoever has waited longest wins.
        wanted = output[asking]
        last = self.last[wanted, self.port[inputs[asking]]]
        self.longest[wanted] = self.now
        np.minimum.at(self.longest, wanted, last)
        won = asking[last == self.longest[wanted]]
        self.last[output[won], self.port[inputs[won]]] = self.now
        self.now += 1

        sent = won[ready[won]]
        self.credits[out_channel[sent]] -= 1
        self.held[out_channel[sent]] = ~tail[sent]
        taken = drain.copy()
        taken[sent] = True
        out = self.port[output[sent]] == self.local
        return taken, self._flits(nominees, sent[~out]), self._flits(nominees, sent[out])

    def _flits(self, nominees: Nominees, some: IntArray) -> Flits:
        row = nominees.row[some]
        return Flits(
            nominees.output[some],
            self.way_channel[row],
            self.way_head[row],
            self.way_tail[row],
            self.data[row],
            self.tag[row],
        )

    def _receive_credits(self, returned: IntArray, ejection_credit: IntArray) -> None:
        """Count the credits that arrive; they serve from the next cycle on."""
        inputs, channel = np.divmod(returned, self.channels)
        linked = self.port[inputs] != self.local
        self.credits[(self.start[inputs] * self.channels + channel)[linked]] += 1
        self.credits[(ejection_credit * self.ports + self.local) * self.channels] += 1

    def _admission(self, arrived: Flits, injected: Flits, nominees: Nominees) -> IntArray:
        """Give every arriving flit its way and write it to its queue; return the queues."""
        v = self.channels
        inputs = np.concatenate([self.end[arrived.place], injected.place])
        channel, head, tail, data, tag = (
            np.concatenate(pair) for pair in zip(arrived[1:], injected[1:], strict=True)
        )
        queue = inputs * v + channel
        follows = self.inside[queue]
        error = np.where(head, follows, ~follows)
        head = head & ~follows

        way_port = np.where(follows, self.packet_port[queue], -1)
        way_channel = np.where(follows, self.packet_channel[queue], 0)
        h = np.flatnonzero(head)
        if len(h):
            at = inputs[h]
            header_mask = (1 << self.routing.header.width) - 1
            node, hint = self.node[at], self._hint(self.node[at], nominees)
            decision = self.routing.decide(node, self.port[at], data[h] & header_mask, hint)
            bad = decision.error.astype(np.bool_)
            port = np.where(bad, self.local, decision.port)
            raised = np.minimum(channel[h] + self.turns[at * self.ports + port], v - 1)
            way_channel[h] = np.where(port == self.local, 0, raised)
            way_port[h] = np.where(bad, -1, port)
            data[h] = (data[h] & ~header_mask) | decision.header
            error[h] = bad
            self.packet_port[queue[h]] = way_port[h]
            self.packet_channel[queue[h]] = way_channel[h]
        self.inside[queue] = (head | follows) & ~tail
        if len(self.new_errors):
            np.add.at(self.errors, self.new_errors, 1)
            np.minimum(self.errors, 255, out=self.errors)
        self.new_errors = self.node[inputs[error]]

        row = queue * self.rows + self.newest[queue]
        self.way_port[row], self.way_channel[row] = way_port, way_channel
        self.way_head[row], self.way_tail[row] = head, tail
        self.data[row], self.tag[row] = data, tag
        return queue

    def _hint(self, node: IntArray, nominees: Nominees) -> IntArray | None:
        """Return what decisions at `node` are told besides: chance, or which outputs are free."""
        if self.routing.hint == "random":
            return chance.hint(self.chance, node)
        if self.routing.hint == "free":
            wanted = np.zeros(len(self.node), np.bool_)
            wanted[nominees.output[~nominees.drain]] = True
            free: IntArray = ~wanted.reshape(self.nodes, self.ports) @ (1 << np.arange(self.ports))
            return free[node]
        return None

    def _nomination(self, nominees: Nominees, taken: BoolArray, arriving: IntArray) -> None:
        """Nominate anew where the nominee is taken or does not get ahead, and count the queues."""
        v, depth = self.channels, self.depth
        inputs, queue, row, _, _, tail, ready, drain = nominees
        every = np.arange(len(inputs))
        asks = self.asks[inputs]
        self.stalled[queue] = ~ready & ~drain

        # The channel whose turn is next, of those that hold a flit besides the nominee
        level = self.level.reshape(-1, v)[inputs]
        channel = self.channel[inputs]
        more = level[every, channel] > 1
        other, another = channel.copy(), np.zeros(len(inputs), np.bool_)
        for step in reversed(range(1, v)):
            candidate = (channel + step) % v
            waits = level[every, candidate] > 0
            other[waits] = candidate[waits]
            another |= waits
        leave = another & (tail | ~more | ~asks)
        move = taken | (another & ~asks & ~ready)
        self.asks[inputs[~move]] = ready[~move]
        self.fresh[inputs] = move

        # Where nothing waits, what arrives is nominated.
        arrived_at = arriving // v
        idle = ~self.nominated[arrived_at]
        self.arrival_at[arrived_at] = np.arange(len(arriving))
        empty = inputs[move & ~leave & ~more]
        comes = self.arrival_at[empty]
        self.arrival_at[arrived_at] = -1
        self.nominated[empty] = False
        fresh = np.concatenate([comes[comes >= 0], np.flatnonzero(idle)])

        some = np.flatnonzero(move & (leave | more))
        at = inputs[some]
        next_channel = np.where(leave, other, channel)[some]
        next_queue = at * v + next_channel
        following = (self.pointer[at] + 1) % depth[next_queue]
        self.pointer[at] = np.where(leave[some], self.oldest[next_queue], following)
        self.channel[at] = next_channel
        self.asks[at] = ~self.stalled[next_queue]

        at = arrived_at[fresh]
        self.nominated[at] = self.asks[at] = self.fresh[at] = True
        self.channel[at] = arriving[fresh] % v
        self.pointer[at] = self.newest[arriving[fresh]]

        self.credit = goes = queue[taken]
        self.level[goes] -= 1
        self.oldest[goes] = (row[taken] - goes * self.rows + 1) % depth[goes]
        self.level[arriving] += 1
        self.newest[arriving] = (self.newest[arriving] + 1) % depth[arriving]
