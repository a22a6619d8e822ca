"""Bits of an OS-Link in the receiver's clock, from a sender whose clock is another one."""

from typing import Literal

from amaranth import Cat, Const, Mux, Signal

from fingerpost.formal.contract import Contract, past
from fingerpost.golden.link.parameters import QUIET, OsLinkParameters
from fingerpost.golden.link.receiver import STOP
from fingerpost.hdl.link.receiver import Receiver

__all__ = ["sampler"]

SYNCHRONIZER = 2
"""Clocks from the wire to where the receiver sees it."""


def sampler(
    *, clocks_per_bit: int, per_mille: int, stop: Literal["checked", "ignored"] = "checked"
) -> Contract:
    """Return what a receiver finds on a wire that carries whole packets.

    The clocks of sender and receiver have any phases, and periods that differ by `per_mille` at
    most. Seen from the rise of a packet in the receiver's clock, its edge k, which nominally comes
    k * `clocks_per_bit` clocks later, is seen earlier or later by what that adds up to, and by one
    clock: the rise may have been just missed, or the edge. It is seen in any clock of that window,
    as the first flip-flop may take either level if it is metastable. Rising and falling edges are
    delayed alike.

    Once the line has been low for `QUIET` bits, an acknowledge is found for each acknowledge, and
    a byte, unchanged, for each byte, when the last bit is sampled; nothing else is found.
    """
    contract, n = Contract(), clocks_per_bit
    m = contract.m
    parameters = OsLinkParameters(clocks_per_bit=n, stop=stop)
    m.submodules.dut = dut = Receiver(parameters)

    quiet, since = (
        Signal(range(QUIET * n + 2)),
        Signal(range((STOP + 1) * n), init=(STOP + 1) * n - 1),
    )
    is_byte, data = Signal(), Signal(8)
    with m.If(quiet != QUIET * n + 1):
        m.d.sync += quiet.eq(quiet + 1)
    earliest = {bits: _first(bits, n, per_mille) for bits in (2, STOP + 1)}
    over = since >= Mux(is_byte, earliest[STOP + 1], earliest[2])
    starts = contract.see("starts", contract.anything("start") & over & (quiet == QUIET * n + 1))
    with m.If(starts):
        m.d.sync += [
            since.eq(1),
            is_byte.eq(contract.anything("of_byte")),
            data.eq(contract.anything("of_data", 8)),
        ]
    with m.Elif(since != (STOP + 1) * n - 1):
        m.d.sync += since.eq(since + 1)

    levels = Cat(Const(1), is_byte, Mux(is_byte, data, 0), Const(0))
    least, most, before, bit = (Signal(range(STOP + 1)) for _ in range(4))
    with m.Switch(since):
        for clock in range((STOP + 1) * n):
            with m.Case(clock):
                m.d.comb += Cat(least, most).eq(Cat(*map(_bit, _bits(clock, n, per_mille))))
    waits = contract.anything("waits") & (before < most)
    m.d.comb += bit.eq(Mux(waits, Mux(before < least, least, before), most))
    m.d.sync += before.eq(Mux(starts, 0, bit))
    wire = levels.bit_select(bit, 1)
    m.d.comb += dut.link_in.eq(contract.see("wire", wire | starts))

    end = parameters.middle + (STOP * n if stop == "checked" else (STOP - 1) * n + 1)
    expected = {
        "acknowledge": ~is_byte & (since == n + parameters.middle),
        "byte": is_byte & (since == end),
        "bad_stop": Const(0),
    }
    sent = past(m, data, SYNCHRONIZER)
    for name, value in expected.items():
        now = contract.see(f"{name}_sent", past(m, value, SYNCHRONIZER))
        found = contract.see(name, getattr(dut, name))
        contract.claim(name, found == now)
    contract.claim("data", ~dut.byte | (dut.data == sent))
    return contract


def _bit(number: int) -> Const:
    return Const(number, range(STOP + 1))


def _most(edge: int, n: int, per_mille: int) -> int:
    """Return by how many clocks an edge may be seen too early or too late."""
    return 1 + edge * n * per_mille // 1000 if edge else 0


def _first(edge: int, n: int, per_mille: int) -> int:
    """Return the first clock in which what is behind an edge may be seen."""
    return edge * n - _most(edge, n, per_mille)


def _bits(clock: int, n: int, per_mille: int) -> tuple[int, int]:
    """Return the first and last bit that may be seen in a clock."""
    edges = range(STOP + 1)
    seen = [k for k in edges if k * n + _most(k, n, per_mille) <= clock]
    may_be = [k for k in edges if _first(k, n, per_mille) <= clock]
    return seen[-1], may_be[-1]
