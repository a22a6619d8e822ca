"""Terminals that speak over an OS-Link: a transputer, a link adaptor, or another port of that kind.

A port stands before an AXI4-Stream interface, and between them bytes become packets.
"""

from dataclasses import asdict, dataclass, field, fields
from typing import Annotated, Any, ClassVar

from fingerpost.golden.counters import Counter
from fingerpost.golden.header import Layout
from fingerpost.golden.link import Link, OsLinkParameters
from fingerpost.golden.parameters import Parameter, ParameterError, check_limits
from fingerpost.golden.routing import Routing
from fingerpost.golden.terminal.base import Terminal
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.message import LONGEST, MESSAGE_COUNTERS, MOST_NODES
from fingerpost.golden.terminal.os_link_model import OsLinkTerminalModel
from fingerpost.golden.traffic import Traffic
from fingerpost.golden.traffic.carrier import Carrier

BOTH_WAYS = 13.4
"""Bit times of a byte on a link of which one end acknowledges late, or both directions are busy."""

NARROWEST, WIDEST = 16, 56
"""Bits of a beat: the length of a message is in its first; the model holds no more in a number."""

LEAST = 64
"""Bit times of a time-out at least: after a reset a port sends nothing for 32."""


@dataclass(frozen=True)
class OsLinkTerminal(OsLinkParameters, Terminal):
    """An OS-Link at every terminal: messages in, messages out. Parameters are those of its port.

    Behind it is the interface of an AXI4-Stream terminal, whose beats are the bytes.

    Attributes
    ----------
    timeout : int
        Bit times; 0: never. A message is abandoned if its peer is silent for so long in the
        middle of it. Packets for a peer that takes no byte for so long are dropped.
    longest : int
        Bytes of data in a message.

    Raises
    ------
    ParameterError
        If there can be no such port, time-out or limit.
    """

    kind: ClassVar[str] = "os-link"
    around: ClassVar[bool] = True
    counters: ClassVar[tuple[Counter, ...]] = MESSAGE_COUNTERS
    unit: ClassVar[str] = "beats"
    jitter_reason: ClassVar[str] = "terminals are serial, and their peers may differ in clock"

    timeout: Annotated[
        int,
        Parameter(
            "Bit times in which a peer does not go on with a message, after which it is given up: "
            "what it sends is closed with an error mark, what it should take is dropped; 0: never.",
            minimum=0,
            maximum=1_000_000,
        ),
    ] = 0
    breaks: bool = field(default=False, init=False)  # no INMOS part has them
    longest: Annotated[
        int,
        Parameter(
            "Bytes of data in a message at most; longer ones are dropped.",
            minimum=0,
            maximum=LONGEST,
        ),
    ] = LONGEST

    def __post_init__(self) -> None:
        check_limits(OsLinkTerminal, "OS-Link terminal", longest=self.longest, timeout=self.timeout)
        super().__post_init__()
        least = max(LEAST, 4 * self.slot)
        if 0 < self.timeout < least:
            raise ParameterError(
                "timeout",
                f"OS-Link terminal needs a timeout of 0 or at least {least} bit times with slot: "
                f"{self.slot}, not {self.timeout}",
            )

    @property
    def port(self) -> OsLinkParameters:
        """Return the parameters of the port; the time-out is not its own."""
        given = asdict(self)
        own = {each.name: given[each.name] for each in fields(OsLinkParameters)}
        return OsLinkParameters(**own | {"timeout": 0})

    def flit_width(
        self, data_width: int, routing: Routing, link: Link, *, in_order: bool = True
    ) -> int:
        """Return the bits of a flit, as AXI4-Stream terminals have them.

        Raises
        ------
        ParameterError
            If a beat has no room for a length, or a head flit none for a header and a number, or
            a number has too many bits.
        """
        title, nodes = "OS-Link terminal", routing.topology.nodes
        if not NARROWEST <= data_width <= WIDEST:
            raise ParameterError(
                "flit_width",
                f"{title} needs a flit_width in {NARROWEST}..{WIDEST}, not {data_width}",
                section="router",
            )
        if nodes > MOST_NODES:
            raise ParameterError(
                "kind", f"{title} needs at most {MOST_NODES} nodes, not {nodes}", section="terminal"
            )
        return AxiLayout.flit_width(title, data_width, routing, link)

    def rate(self, data_width: int) -> float:
        """Return the flits per cycle: each is its bytes."""
        return 1 / (BOTH_WAYS * (data_width // 8) * self.clocks_per_bit)

    def given(self, network: Carrier) -> Layout:
        return Layout.sequence(wire=(1, "link_in"))

    def seen(self, network: Carrier) -> Layout:
        counters = {counter.name: (counter.width, counter.meaning) for counter in MESSAGE_COUNTERS}
        return Layout.sequence(wire=(1, "link_out"), **counters)

    @property
    def payload(self) -> tuple[str, ...]:
        """Return nothing: all of it always means something."""
        return ()

    def model(self, traffic: Traffic, **options: Any) -> OsLinkTerminalModel:
        """Return what sends the packets of `traffic` and takes those that come.

        Options are those of `OsLinkTerminalModel`.
        """
        return OsLinkTerminalModel(
            traffic, link=self.port, longest=self.longest, timeout=self.timeout, **options
        )
