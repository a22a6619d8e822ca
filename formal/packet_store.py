"""Store of packets: complete ones are reported with their length, and kept unchanged."""

from typing import Any

from amaranth import Mux, Signal

from fingerpost.formal.contract import Contract
from fingerpost.golden.terminal.flow_layout import FlowControl, FlowLayout
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.terminal.packet_store import PacketStore

__all__ = ["packet_store"]


def packet_store(*, limit: int, slots: int = 2) -> Contract:
    """Return what the store promises, whatever its terminal does.

    The slot for writing stays until a packet is complete. Each packet of up to `limit` beats is
    reported once, with its last beat, its length and the destination of its first beat. A
    longer one is dropped, once, and its rest is accepted in every cycle. Any one beat is in its
    slot as it was accepted, until another is written there; it is not read in the cycle of
    its writing.
    """
    contract = Contract()
    m = contract.m
    layout = FlowLayout(data_width=16, nodes=3, header=2, packet_limit=limit)
    flow = FlowControl(3, 1, limit, limit, True, slots)
    m.submodules.dut = dut = PacketStore(layout, flow)
    stream, packet = dut.stream, dut.packet
    contract.free(stream, "tvalid", "tdata", "tkeep", "tlast", "tuser")
    dest, enable, slot = contract.free(dut, "dest", "enable", "slot")
    read, read_slot, read_index = contract.free(dut, "read", "read_slot", "read_index")
    complete, dropped = contract.see("complete", dut.complete), contract.see("dropped", dut.dropped)
    ready = contract.see("tready", stream.tready)
    taken = stream.tvalid & ready

    beats = Signal(range(limit + 2))  # of the packet so far; limit + 1 stands for more
    first, kept_slot, its_dest = Signal(init=1), Signal.like(slot), Signal.like(dest)
    now = Signal.like(dest)
    m.d.comb += now.eq(Mux(beats == 0, dest, its_dest))
    with m.If(taken):
        m.d.sync += [
            beats.eq(Mux(stream.tlast, 0, Mux(beats > limit, beats, beats + 1))),
            *(its_dest.eq(now), kept_slot.eq(slot), first.eq(stream.tlast)),
        ]
    contract.assume((beats == 0) | (slot == kept_slot))
    too_long = contract.see("too_long", beats > limit)
    contract.claim("ready", ready == (enable | too_long))
    contract.claim("complete", complete == (taken & stream.tlast & (beats < limit)))
    contract.claim("length", ~complete | (packet.length == beats + 1))
    contract.claim("dest", ~complete | (packet.dest == now))
    contract.claim("dropped", dropped == (taken & (beats == limit)))

    # A beat in its place.
    arm, here = contract.anything("arm"), Signal()
    its_slot, its_index = Signal.like(slot), Signal(range(limit))
    kept: Any = Signal(struct(layout.body))
    writes = taken & (beats < limit)
    armed = contract.see("armed", arm & writes & ~here)
    with m.If(armed):
        m.d.sync += [
            *(here.eq(1), its_slot.eq(slot), its_index.eq(beats)),
            *(kept.data.eq(stream.tdata), kept.error.eq(stream.tlast & stream.tuser)),
            kept.last_byte.eq(stream.tlast & stream.tkeep[1]),
        ]
    same = (slot == its_slot) & (beats == its_index)
    with m.Elif(here & writes & same):
        m.d.sync += here.eq(0)
    contract.assume(~(read & writes & (read_slot == slot) & (read_index == beats)))
    reads, its = Signal(), here & (read_slot == its_slot) & (read_index == its_index)
    m.d.sync += reads.eq(Mux(read, its, reads & here))
    contract.claim("beat", ~reads | (dut.beat == kept.as_value()))
    return contract
