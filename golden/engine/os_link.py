"""Networks with OS-Link terminals: arrays before the first cycle, and what became of a traffic."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import Array
from fingerpost.golden.engine.axi_start import flit_fields
from fingerpost.golden.engine.routes import RouteTable
from fingerpost.golden.engine.run import Run
from fingerpost.golden.engine.start import Start, empty, packets_like, packets_of
from fingerpost.golden.link.os_link import make_config, make_ports
from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import OsLinkTerminal, os_link, records
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.message import LONGEST, MESSAGE_RECEIVER, MESSAGE_SENDER
from fingerpost.golden.terminal.os_link import SENDER
from fingerpost.golden.terminal.programs import NO_MESSAGE, NOT_GIVEN_UP, PROGRAM
from fingerpost.golden.terminal.state import OsLinkConfig, OsLinkState
from fingerpost.golden.traffic import BAD_HEADER, NO_HEAD, NO_TAIL, POISONED, Traffic

PAUSE = 40
"""Bit times of a pause at most; a program that does not pause needs some 13 for a byte."""

SHORT = 256
"""A limit of the length up to which messages beyond it are sent; others take too long."""

DEAF = 200
"""Bit times beyond a time-out for which a program takes nothing: its port has room for some."""

BYTES = 5
"""Of the shortest message that a terminal sends."""


def pauses(drawn: NDArray[np.float64], stall: float, longest: int) -> NDArray[np.int32]:
    """Return the clocks of pauses with probability `stall`, up to the longest, by numbers drawn."""
    share = drawn / stall if stall else drawn
    return np.where(drawn < stall, 1 + share * longest, 0).astype(np.int32)


def os_link_start(network: Network, traffics: Sequence[Traffic], routes: RouteTable) -> Start:
    """Return terminals of kind os-link."""
    terminal = network.terminal
    assert isinstance(terminal, OsLinkTerminal)
    packets = np.concatenate([message_packets(terminal, traffic) for traffic in traffics])
    header = packets["header"] & (1 << network.routing.address_layout.width) - 1
    packets["step"] = routes.first(packets["source"].astype(np.int64), header)
    port, layout = make_config(terminal.port), AxiLayout.of(network)
    timeout, longest = terminal.timeout * port.clocks_per_bit, PAUSE * port.clocks_per_bit
    config = OsLinkConfig(
        fields=flit_fields(layout, network),
        port=port,
        timeout=timeout,
        longest=terminal.longest,
        deaf=timeout + DEAF * port.clocks_per_bit,
        pause=min(longest, timeout // 3) if timeout else longest,
        number=layout.number,
        depth=network.buffer_depth,
        # Those whose bytes are on the wire, or wait in the port, and one that is being written.
        coming=3 + (port.fifo + 2) // BYTES,
        known=np.isin(np.arange(1 << layout.number), network.topology.terminals),
    )
    return Start(os_link, packets, config, _state(network, packets, traffics, config))


def message_packets(terminal: OsLinkTerminal, traffic: Traffic) -> Array:
    """Return the packets of a traffic as messages, an array of `MESSAGE_PACKET`.

    A message has as many beats as its packet has flits. A malformed one is to no terminal, or
    longer than the limit; or its sender gives it up in the middle; or its receiver takes nothing
    for long in the middle of it. The last two are only done where there is a time-out.
    """
    t, network, layout = traffic, traffic.network, AxiLayout.of(traffic.network)
    packets = packets_like(t, records.MESSAGE_PACKET)
    header = network.routing.addresses(t.source, t.destination)
    packets["header"] = layout.head.join(header=header, source=t.source)

    named = np.concatenate([np.arange(1 << layout.number), [LONGEST, 1 << 15]])
    strangers = np.setdiff1d(named, network.topology.terminals)
    stranger = t.kind == BAD_HEADER
    some = strangers[t.salt % max(len(strangers), 1)] if len(strangers) else t.destination
    packets["dest"] = np.where(stranger, some, t.destination)
    too_long = (t.kind == NO_HEAD) & (terminal.longest <= SHORT)
    packets["expected"] = ~stranger & ~too_long
    payload = layout.bytes * (t.length - 1) + 1 + t.salt % layout.bytes
    size = np.clip(payload - 2, 0, terminal.longest)
    packets["size"] = np.where(too_long, terminal.longest + 1 + t.salt % 8, size)
    kinds = (NO_TAIL, POISONED) if terminal.timeout else ()
    given_up = np.isin(t.kind, kinds) & (t.salt % 2 == 0)
    packets["stalls"] = np.isin(t.kind, kinds) & (t.salt % 2 == 1)
    packets["stop_at"] = np.where(given_up, 1 + (t.salt >> 8) % (packets["size"] + 3), 0)
    packets["deaf_at"] = (t.salt >> 8) % 8
    return packets


def _state(
    network: Network,
    packets: Array,
    traffics: Sequence[Traffic],
    config: OsLinkConfig,
) -> OsLinkState:
    runs, places = len(traffics), network.topology.terminal_numbers
    kinds = {
        "program": PROGRAM,
        "messages": MESSAGE_SENDER,
        "sender": SENDER,
        "came": records.CAME,
        "beat": records.BEAT,
        "receiver": records.DIRECT_RECEIVER,
        "answers": MESSAGE_RECEIVER,
        "coming": records.BLOCK_QUEUE,
    }
    state = OsLinkState(
        ports=make_ports(runs, places, config.port),
        programs=make_ports(runs, places, config.port),
        queue=np.zeros((runs, places * config.depth), records.QUEUED),
        coming_row=np.zeros((runs, places * config.coming), records.COMING),
        **empty(runs, places, kinds),
    )
    program = state.program
    program["packet"], program["end"] = packets_of(traffics)
    program["going"] = program["packet"]
    program["due"] = np.append(packets["time"], 0)[program["packet"]]
    state.sender["credits"] = network.terminal_depth
    return state


class OsLinkRun(Run):
    """A run with OS-Link terminals."""

    draws = 2

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
        self._withdraw(number >= program["end"][traffic.source])
