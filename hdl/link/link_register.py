"""A register on a link: flits and credits take a cycle more; links with registers are chains."""

from amaranth import Module
from amaranth.lib.wiring import In, Out

from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import LinkSignature


class LinkRegister(Component):
    """Keep what is on a link for a cycle, in both directions.

    Parameters
    ----------
    channels, flit_width : int
        Virtual channels, bits of a flit's data.

    Members
    -------
    near : ``In(LinkSignature)``     From the sender of flits.
    far : ``Out(LinkSignature)``     To their receiver.
    """

    def __init__(self, *, channels: int, flit_width: int) -> None:
        link = LinkSignature(channels=channels, flit_width=flit_width)
        super().__init__({"near": In(link), "far": Out(link)})

    def elaborate(self, platform: object) -> Module:
        """Pass on."""
        m = Module()
        m.d.sync += [
            self.far.valid.eq(self.near.valid),
            self.far.flit.eq(self.near.flit),
            self.near.credit.eq(self.far.credit),
        ]
        return m
