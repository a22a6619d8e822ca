"""Routers without links and terminals: what arrives is given, what they send is seen."""

from collections.abc import Mapping

import numpy as np

from fingerpost.golden.arrays import Array, BoolArray, IntArray
from fingerpost.golden.engine.cycle import Share
from fingerpost.golden.engine.engine import why_plain
from fingerpost.golden.engine.routes import RouteTable
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.jit.plain import view
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.delay_line import Slots, slots_of
from fingerpost.golden.router.state import State, of_run
from fingerpost.golden.traffic import Traffic

ROUTERS = Share(False, 0, 1, True, 0)
"""The routers alone go through a cycle."""


class IsolatedRouters:
    """The routers of a network, each alone.

    Columns are ``valid``, ``head``, ``tail``, ``data`` and ``credit`` of the link at each port, by
    node * ports + port; ``valid`` and ``credit`` are masks of channels. The last ports of a node
    are those of its terminals.

    Parameters
    ----------
    network : Network
    plain : bool
        Whether they run as plain Python in any case.

    Attributes
    ----------
    config, registers : named tuples
        What does not change, and all registers: see `fingerpost.golden.router.state`.
    """

    def __init__(self, network: Network, *, plain: bool = False) -> None:
        topology = network.topology
        self.network, self.plain = network, plain or bool(why_plain(network))
        self.ports, self.local = topology.all_ports, topology.local
        self.channels, self.places = network.virtual_channels, topology.nodes * self.ports
        self._node, self._port = np.divmod(np.arange(self.places), self.ports)
        # The terminal at each place, which means nothing where there is a link.
        self._terminal = self._node * topology.local_ports + np.maximum(self._port - self.local, 0)
        self._routes = RouteTable(network, plain=self.plain)
        # Its terminals do nothing.
        whole = Wormhole(network, [Traffic(network, 0.1, 1)], plain=self.plain)
        own = whole.config.link.copy()
        own["dst_node"] = own["src_node"] = self._node
        own["dst_port"] = own["src_port"] = self._port
        self.config = whole.config._replace(link=own)
        self.registers: State = of_run(whole.arrays, 0)
        self._run, self._unrecorded = whole.cycles, whole.unrecorded

    @property
    def now(self) -> int:
        """Return the number of this cycle."""
        return int(self.registers.clock["now"][0])

    def _slots(self) -> Slots:
        return slots_of(self.registers.in_flight, self.now, 0)

    def seen(self) -> dict[str, IntArray]:
        """Return what every router puts on its links in this cycle, and ``tag`` of flits."""
        slots, flits = self._slots(), self._slots().flits
        there = slots.arriving[self._node] >> self._port & 1 > 0
        names = "head", "tail", "data", "tag"
        columns = {name: np.where(there, flits[name], 0).astype(np.int64) for name in names}
        columns["valid"] = np.where(there, 1 << flits["channel"].astype(np.int64), 0)
        return columns | {"credit": self._returned(slots)}

    def _returned(self, slots: Slots) -> IntArray:
        """Return the channels of which each input returns a credit."""
        every = (1 << self.channels) - 1
        credits = slots.credits[self._node] >> self._port * self.channels & every
        local = self._port >= self.local
        returned: IntArray = np.where(local, slots.terminal_credits[self._terminal], credits)
        return returned.astype(np.int64)

    def give(self, given: Mapping[str, Array]) -> None:
        """Put flits and credits on the links; the tag of a flit is place * channels + channel."""
        slots = self._slots()
        slots.arriving[:] = slots.credits[:] = 0
        np.bitwise_or.at(slots.credits, self._node, given["credit"] << self._port * self.channels)
        place = np.flatnonzero(given["valid"])
        channel = np.log2(given["valid"][place]).astype(np.int64)
        local = self._port[place] >= self.local
        for into, index, some in (
            (slots.flits, place, ~local),
            (slots.injecting, self._terminal[place], local),
        ):
            at, by = place[some], index[some]
            for name in ("head", "tail", "data"):
                into[name][by] = given[name][at]
            into["channel"][by], into["valid"][by] = channel[some], True
            into["tag"][by] = at * self.channels + channel[some]
            into["step"][by] = self._steps(at, given["data"][at])
        linked = place[~local]
        np.bitwise_or.at(slots.arriving, self._node[linked], 1 << self._port[linked])

    def arriving(self) -> tuple[IntArray, BoolArray]:
        """Return the queues to which flits come in this cycle, and whether these are heads."""
        slots = self._slots()
        there = slots.arriving[self._node] >> self._port & 1 > 0
        sent = slots.injected["valid"] > 0
        node, local = np.divmod(np.flatnonzero(sent), self.ports - self.local)
        places = np.flatnonzero(there), node * self.ports + self.local + local
        flits = slots.flits[there], slots.injected[sent]
        queues = [at * self.channels + of["channel"] for at, of in zip(places, flits, strict=True)]
        return np.concatenate(queues), np.concatenate([of["head"] for of in flits])

    def step(self) -> None:
        """Go through the cycle, up to and including its clock edge."""
        state, stalls = self.registers, np.zeros(0, np.bool_)
        arguments = self.config, state, 1, False, stalls, self._unrecorded
        if self.plain:
            self._run.plain(*map(view, arguments), ROUTERS)
        else:
            self._run.compiled(*arguments, ROUTERS)

    def buffer(self, name: str) -> Array:
        """Return a field of `VC_BUFFER`, by node, port and channel."""
        found: Array = self.registers.routers.vc_buffer[name]
        return found

    def counts(self) -> dict[str, IntArray]:
        """Return the counters of all routers, by node."""
        routers, most = self.registers.routers, self.config.max_overruns
        return {"errors": routers.errors.copy(), "overruns": np.minimum(routers.overruns, most)}

    @property
    def new_errors(self) -> IntArray:
        """Return the errors of the cycle before, which are counted in this one, by node."""
        found: IntArray = self.registers.routers.router["new_errors"]
        return found

    def _steps(self, place: IntArray, data: IntArray) -> IntArray:
        """Return the decisions on the headers of flits that arrive at ports."""
        header = data & self.config.header_mask
        found = self._routes.alone(self._node[place], self._port[place], header)
        self.config = self.config._replace(steps=self._routes.steps)
        return found
