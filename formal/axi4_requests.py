"""Requests of AXI4 as packets, for the contracts of both sides."""

from typing import Any

from amaranth import Cat, Mux, Signal, Value
from amaranth.lib import data

from fingerpost.formal.contract import Contract
from fingerpost.golden.terminal.transaction import TransactionLayout
from fingerpost.hdl.lib.header import struct

FIELDS = {"length": "len", "address": "addr"} | {
    name: name for name in ("size", "burst", "prot", "cache", "qos")
}
"""What a packet and an address channel both have: the name in each."""


class RequestPackets:
    """Where in a packet a stream of requests is.

    Parameters
    ----------
    contract : Contract
    layout : TransactionLayout
    longest : int
        Beats of data at most.
    stream : AXI4-Stream

    Attributes
    ----------
    place : Signal
        Beats of the request that are over, or all: then data follows.
    in_data : Value
    left : Signal
        Beats that follow, of data.
    request : struct of layout.request
        What begins the packet, while its last beat is offered.
    begins : Value
        This beat is taken.
    begun : Signal
        What began the packet, afterwards.
    last : Value
        The packet ends with this beat.
    """

    def __init__(
        self, contract: Contract, layout: TransactionLayout, longest: int, stream: Any
    ) -> None:
        m, beats, beat = contract.m, layout.request_beats, stream.tdata
        taken = stream.tvalid & stream.tready
        self.place, word = Signal(range(beats + 1)), Signal(layout.request.width)
        self.left = Signal(range(longest * layout.parts + 1))
        self.begun = Signal(layout.request.width)
        self.request: Any = data.View(struct(layout.request), word)
        self.in_data: Value = self.place == beats
        self.begins: Value = taken & (self.place == beats - 1)
        short = (self.place == beats - 1) & ~self.request.write
        self.last: Value = Mux(self.in_data, self.left == 1, short)
        m.d.comb += word.eq(Cat(self.begun[: (beats - 1) * layout.width], beat))
        with m.If(taken & ~self.in_data):
            m.d.sync += self.begun.word_select(self.place, layout.width).eq(beat)
            m.d.sync += self.place.eq(self.place + 1)
        with m.If(self.begins):
            m.d.sync += self.begun.eq(word)
            m.d.sync += self.left.eq((self.request.length + 1) * layout.parts)
        with m.If(taken & self.in_data):
            m.d.sync += self.left.eq(self.left - 1)
        with m.If(taken & stream.tlast):
            m.d.sync += self.place.eq(0)
        contract.see("place", self.place)
