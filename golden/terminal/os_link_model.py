"""What the packets of a traffic are at OS-Link terminals: messages, of which some are malformed."""

import numpy as np

from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.message import LONGEST
from fingerpost.golden.traffic import BAD_HEADER, NO_HEAD, NO_TAIL, POISONED, Traffic

PAUSE = 40
"""Bit times of a pause at most; a program that does not pause needs some 13 for a byte."""

SHORT = 256
"""A limit of the length up to which messages beyond it are sent; others take too long."""

DEAF = 200
"""Bit times beyond a time-out for which a program takes nothing: its port has room for some."""


class OsLinkTerminalModel:
    """Programs that send the packets of a `Traffic` as messages, and check what they receive.

    A message has as many beats as its packet has flits. A malformed one is to no terminal, or
    longer than the limit; or its sender gives it up in the middle; or its receiver takes nothing
    for long in the middle of it. The last two are only done where there is a time-out.

    Parameters
    ----------
    traffic : Traffic
    link : OsLinkParameters
        Of the ports of the terminals, and of those of the programs.
    longest, timeout : int
        Those of the interfaces; `timeout` in bit times.
    stall : float
        Probability of a pause before each byte, of senders and of receivers.
    surplus : int
        There are no credits to believe in, so 0.

    Attributes
    ----------
    expected : (packets,) array of bool
        The packets that can be delivered.
    head : (packets,) array
        What a head flit holds.
    dest, size : (packets,) arrays
        What a message says of its destination, and bytes of its data.
    stop_at : (packets,) array
        The bytes after which its sender gives a message up; 0: it does not.
    stalls : (packets,) array of bool
        Its receiver takes nothing for long before byte `deaf_at` + 1.
    known : array of bool
        Whether there is a node of each number that a message can name.
    rng : Generator

    Raises
    ------
    ValueError
        If there is a surplus.
    """

    def __init__(
        self,
        traffic: Traffic,
        *,
        link: OsLinkParameters,
        longest: int,
        timeout: int,
        stall: float = 0.0,
        surplus: int = 0,
    ) -> None:
        if surplus:
            raise ValueError(f"OS-Link terminals need a surplus of 0, not {surplus}")
        network = traffic.network
        self.traffic, self.longest, self.link = traffic, longest, link
        self.timeout = timeout * link.clocks_per_bit
        self.layout = layout = AxiLayout.of(network)
        self.rng = np.random.default_rng(traffic.seed + 1)
        self.packet = np.searchsorted(traffic.source, np.arange(network.topology.nodes))
        self.end = np.append(self.packet[1:], len(traffic.source))
        header = network.routing.encode(traffic.source, traffic.destination)
        self.head = layout.head.join(header=header, source=traffic.source)
        self.known = np.isin(np.arange(1 << layout.number), network.topology.terminals)
        self._messages()

    def _messages(self) -> None:
        """Make of the kinds of packets what can be wrong with one here."""
        t, network, layout = self.traffic, self.traffic.network, self.layout
        named = np.concatenate([np.arange(1 << layout.number), [LONGEST, 1 << 15]])
        strangers = np.setdiff1d(named, network.topology.terminals)
        stranger = t.kind == BAD_HEADER
        some = strangers[t.salt % max(len(strangers), 1)] if len(strangers) else t.destination
        self.dest = np.where(stranger, some, t.destination)
        too_long = (t.kind == NO_HEAD) & (self.longest <= SHORT)
        self.expected = ~stranger & ~too_long
        payload = layout.bytes * (t.length - 1) + 1 + t.salt % layout.bytes
        size = np.clip(payload - 2, 0, self.longest)
        self.size = np.where(too_long, self.longest + 1 + t.salt % 8, size)
        kinds = (NO_TAIL, POISONED) if self.timeout else ()
        given_up = np.isin(t.kind, kinds) & (t.salt % 2 == 0)
        self.stalls = np.isin(t.kind, kinds) & (t.salt % 2 == 1)
        self.stop_at = np.where(given_up, 1 + (t.salt >> 8) % (self.size + 3), 0)
        self.deaf_at = (t.salt >> 8) % 8
