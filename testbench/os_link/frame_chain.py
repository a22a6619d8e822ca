"""One frame, or several, over a row of OS-Links with a relay between two of them, in hardware."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from amaranth import Elaboratable, Module
from amaranth.lib import wiring
from amaranth.sim import Simulator

from fingerpost.golden.link import OsLinkParameters
from fingerpost.hdl.link import OsLink
from fingerpost.hdl.link.frame_relay import FrameRelay
from fingerpost.testbench.context import Context

__all__ = ["Chain", "Times", "send"]

LIMIT = 100_000
"""Clocks after which nothing more is waited for."""


class Chain(Elaboratable):
    """Links one after the other; bytes go in at `first.tx` and come out at `last.rx`.

    Parameters
    ----------
    links : int
    parameters : OsLinkParameters
    relay : mapping
        Of `fingerpost.hdl.link.frame_relay.FrameRelay`. ROUTE that is rewritten stays as it is.
    """

    def __init__(self, links: int, parameters: OsLinkParameters, **relay: Any) -> None:
        self.senders = [OsLink(parameters) for _ in range(links)]
        self.receivers = [OsLink(parameters) for _ in range(links)]
        self.relays = [FrameRelay(**relay) for _ in range(links - 1)]
        self.first, self.last = self.senders[0], self.receivers[-1]

    def elaborate(self, platform: object) -> Module:
        """Join everything."""
        m = Module()
        for i, (here, there) in enumerate(zip(self.senders, self.receivers, strict=True)):
            m.submodules[f"sender{i}"], m.submodules[f"receiver{i}"] = here, there
            m.d.comb += [there.link_in.eq(here.link_out), here.link_in.eq(there.link_out)]
        for i, relay in enumerate(self.relays):
            m.submodules[f"relay{i}"] = relay
            wiring.connect(m, self.receivers[i].rx, relay.i)
            wiring.connect(m, relay.o, self.senders[i + 1].tx)
            m.d.comb += [
                relay.i_reset.eq(self.receivers[i].link_break),
                relay.o_reset.eq(self.senders[i + 1].link_break),
            ]
            if relay.rewrite:
                ports: Any = relay
                m.d.comb += ports.route_out.eq(ports.route_in)
        return m


@dataclass
class Times:
    """Clocks, from the reset on.

    Attributes
    ----------
    edges : list of int
        When the wire of each link rises first.
    available : list of int
        When each byte can be taken at the end.
    data : list of int
        The bytes.
    """

    edges: list[int]
    available: list[int] = field(default_factory=list)
    data: list[int] = field(default_factory=list)


def send(chain: Chain, data: Sequence[int], expected: int) -> Times:
    """Send bytes, as soon as they are taken, after the links have come up.

    Raises
    ------
    TimeoutError
        If fewer bytes than expected come out.
    """
    times = Times([-1] * len(chain.senders))

    async def bench(ctx: Context) -> None:
        first, last, at = chain.first, chain.last, 0
        ctx.set(last.rx.ready, 1)
        for clock in range(LIMIT):
            ctx.set(first.tx.valid, at < len(data))
            ctx.set(first.tx.payload, data[min(at, len(data) - 1)])
            for link, port in enumerate(chain.senders):
                if times.edges[link] < 0 and ctx.get(port.link_out):
                    times.edges[link] = clock
            if ctx.get(last.rx.valid):
                times.available.append(clock)
                times.data.append(ctx.get(last.rx.payload))
                if len(times.data) == expected:
                    return
            at += ctx.get(first.tx.ready & first.tx.valid)
            await ctx.tick()
        raise TimeoutError(f"{len(times.data)} of {expected} bytes")

    simulator = Simulator(chain)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    return times
