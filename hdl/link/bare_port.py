"""An OS-Link port to stand alone: names of AXI4-Stream, a reset of any clock, errors that stay."""

from typing import Any

from amaranth import Cat, ClockDomain, ClockSignal, Module
from amaranth.lib.cdc import ResetSynchronizer

from fingerpost.golden.link.parameters import ERRORS, OsLinkParameters
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.ports import Port, members
from fingerpost.hdl.link.os_link import OsLink

WIRES = (
    Port("clk", "input", 1, "clock of all ports but rst and link_in; rising edge"),
    Port("rst", "input", 1, "reset, active high, asynchronous; release is synchronized"),
    Port("link_in", "input", 1, "wire from the peer, asynchronous; low at rest"),
    Port("link_out", "output", 1, "wire to the peer, from a flip-flop; low at rest"),
)
"""What every port has that stands alone."""


def bare_ports(parameters: OsLinkParameters) -> list[Port]:
    """Return the ports of the module, in their order, with what each means."""
    meanings = {
        "err_frame": "pulse: a byte without a stop bit was dropped",
        "err_ack": "pulse: an acknowledge without an outstanding byte was ignored",
        "err_window": "pulse: a byte arrived before the previous one was acknowledged",
        "err_over": "pulse: a byte arrived while the queue was full and was dropped",
        "err_timeout": "level, until reset or break: a byte was not acknowledged in time",
        "link_break": "pulse: a break arrived",
    }
    return [
        *WIRES,
        Port("s_axis_tdata", "input", 8, "a byte to send"),
        Port("s_axis_tvalid", "input", 1, "s_axis_tdata is valid"),
        Port("s_axis_tready", "output", 1, "the byte is accepted"),
        Port("m_axis_tdata", "output", 8, "a byte received"),
        Port("m_axis_tvalid", "output", 1, "m_axis_tdata is valid; holds until accepted"),
        Port("m_axis_tready", "input", 1, "the byte is accepted; low delays the acknowledge"),
        *([Port("tx_break", "input", 1, "pulse: send a break")] if parameters.breaks else []),
        Port("clear_errors", "input", 1, "clear `errors`, except those of this cycle"),
        Port("tx_done", "output", 1, "pulse: the sent byte is acknowledged"),
        *(Port(name, "output", 1, meanings[name]) for name in ERRORS),
        Port("errors", "output", len(ERRORS), f"{', '.join(ERRORS)}, lowest first; sticky"),
        Port("idle", "output", 1, "no packet is being sent, received or acknowledged"),
    ]


class BarePort(Component):
    """An `OsLink` with all that a design around it needs (docs/howto/os-links.md).

    Parameters
    ----------
    parameters : OsLinkParameters

    Members
    -------
    those of `bare_ports`
    """

    def __init__(self, parameters: OsLinkParameters) -> None:
        self.parameters = parameters
        super().__init__(members(bare_ports(parameters)))

    def elaborate(self, platform: object) -> Module:
        """Join the wires of the port to fixed names."""
        m = Module()
        m.domains.sync = ClockDomain(local=True)
        m.submodules.reset = ResetSynchronizer(self.rst)
        m.submodules.link = link = OsLink(self.parameters)
        port: Any = self
        m.d.comb += [
            ClockSignal().eq(self.clk),
            link.link_in.eq(self.link_in),
            self.link_out.eq(link.link_out),
            link.tx.payload.eq(port.s_axis_tdata),
            link.tx.valid.eq(port.s_axis_tvalid),
            port.s_axis_tready.eq(link.tx.ready),
            port.m_axis_tdata.eq(link.rx.payload),
            port.m_axis_tvalid.eq(link.rx.valid),
            link.rx.ready.eq(port.m_axis_tready),
            self.tx_done.eq(link.tx_done),
            self.idle.eq(link.idle),
            *(getattr(self, name).eq(getattr(link, name)) for name in ERRORS),
        ]
        if self.parameters.breaks:
            m.d.comb += link.tx_break.eq(port.tx_break)
        wrong = Cat(*(getattr(link, name) for name in ERRORS))
        with m.If(self.clear_errors):
            m.d.sync += self.errors.eq(wrong)
        with m.Else():
            m.d.sync += self.errors.eq(self.errors | wrong)
        return m
