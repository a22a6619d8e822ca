"""Between a memory and mailboxes, packets as descriptors say."""

from typing import Any

from amaranth import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.mailbox import RECEIVED, SEND, WORD_BITS
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.lib.ports import Port, ports_of


class MailboxDma(Component):
    """Serve rings of descriptors in memory, one descriptor at a time, in turns.

    Ring 2 c is that of packets to send in message class c, ring 2 c + 1 that of buffers for those
    that arrive. A descriptor has two words: the address of the packet in bytes; and what `send`
    has, of which a buffer only has the length. It is served when the sender has room for a longest
    packet, or a complete packet has arrived; so no ring waits for another one, or for the network.
    The second word then tells that it is done, in the layout of `receive`: what was sent, or what
    has arrived. With a length, address or destination that is wrong, or a packet longer than its
    buffer, nothing is moved: the error mark is set, and the packet stays for the next buffer.

    ::

        address  header  fill  check  move (length times)  finish      a cycle each, if memory
        read     read                 read or write        write       accepts at once

    Parameters
    ----------
    classes : int
    limit : int
        Words of the longest packet.
    descriptors, memory_words : int
        Of a ring; of the memory. Powers of two.

    Members
    -------
    memory : ``Out(MemorySignature)``
    value : ``In(32)``                      What software writes.
    set_ring, set_tail : ``In``             By ring: it begins or ends the ring; it gives the number
                                            of descriptors so far. Neither while it is wrong.
    wrong_ring, wrong_tail : ``Out``        By ring: whether that is wrong with `value`.
    enabled, busy : ``Out``                 By ring: it is served; a descriptor of it is.
    serves : ``Out``                        By ring: a sender or receiver is its own, until a cycle
                                            after both.
    head, tail : ``Out``                    By ring: descriptors done and given, modulo 2
                                            `descriptors`.
    free, open : ``In``                     By message class: room for a longest packet; an
                                            incomplete packet is there.
    refused : ``In``                        By message class: the sender reports a wrong `head`.
    word : ``Out(32)``                      For senders.
    begin, push : ``Out``                   By message class, as of a sender.
    valid : ``In``                          By message class: a packet has arrived.
    received, front, left : ``In``          Those of receivers, one after the other.
    take : ``Out``                          By message class, as of a receiver.
    finished : ``Out``                      By message class: a descriptor is done.
    """

    def __init__(self, *, classes: int, limit: int, descriptors: int, memory_words: int) -> None:
        self.classes, self.rings = classes, 2 * classes
        self.descriptors, self.memory_words = descriptors, memory_words
        self.count_width = bits(2 * descriptors)
        self.left_width = bits(limit + 1)
        super().__init__(
            memory=Out(MemorySignature(bits(memory_words))),
            value=In(WORD_BITS),
            **dict.fromkeys(("set_ring", "set_tail"), In(self.rings)),
            **dict.fromkeys(
                ("wrong_ring", "wrong_tail", "enabled", "busy", "serves"), Out(self.rings)
            ),
            **dict.fromkeys(("head", "tail"), Out(self.rings * self.count_width)),
            **dict.fromkeys(("free", "open", "refused", "valid"), In(classes)),
            **dict.fromkeys(("received", "front"), In(classes * WORD_BITS)),
            left=In(classes * self.left_width),
            word=Out(WORD_BITS),
            **dict.fromkeys(("begin", "push", "take", "finished"), Out(classes)),
        )

    def elaborate(self, platform: object) -> Module:
        """Keep the rings; serve a descriptor of one of them."""
        m = Module()
        job, idle = Signal(range(self.rings)), Signal()
        bases, heads, waits = self._rings(m, job, idle)
        self._serve(m, job, idle, bases, heads, waits)
        return m

    def _rings(self, m: Module, job: Signal, idle: Signal) -> tuple[Any, Any, Value]:
        """Keep the rings; return where they begin, their heads, and whether one waits."""
        size, turn = 2 * self.descriptors, bits(self.descriptors)
        outside = (
            self.value[2 + bits(self.memory_words) :].any() | self.value[1 : 2 + 1 + turn].any()
        )
        bases, heads, waits = [], [], []
        for i in range(self.rings):
            c, receives = divmod(i, 2)
            base = Signal(bits(self.memory_words // size), name=f"base{i}")
            head, tail = (Signal(self.count_width, name=f"{name}{i}") for name in ("head", "tail"))
            given, asked = Signal.like(head), Signal.like(head)
            enabled, opened = self.enabled[i], 0 if receives else self.open[c]
            m.d.comb += [
                self.busy[i].eq(~idle & (job == i)),
                given.eq(tail - head),
                asked.eq(self.value[: self.count_width] - head),
                self.wrong_ring[i].eq(self.value[0] & (enabled | self.busy[i] | opened | outside)),
                self.wrong_tail[i].eq(~enabled | (asked < given) | (asked > self.descriptors)),
                self.head[i * len(head) : (i + 1) * len(head)].eq(head),
                self.tail[i * len(tail) : (i + 1) * len(tail)].eq(tail),
            ]
            with m.If(self.finished[c] & self.busy[i]):
                m.d.sync += head.eq(head + 1)
            begins = self.set_ring[i] & self.value[0]
            m.d.sync += self.serves[i].eq(enabled | self.busy[i] | begins)
            with m.If(self.set_tail[i]):
                m.d.sync += tail.eq(self.value)
            with m.If(self.set_ring[i]):
                m.d.sync += enabled.eq(self.value[0])
                with m.If(self.value[0]):
                    m.d.sync += [base.eq(self.value[2 + 1 + turn :]), head.eq(0), tail.eq(0)]
            able = self.valid[c] if receives else self.free[c]
            waits.append(enabled & (head != tail) & able)
            bases.append(base)
            heads.append(head)
        return Array(bases), Array(heads), Array(waits)[job]

    def _serve(
        self, m: Module, job: Signal, idle: Signal, bases: Any, heads: Any, waits: Value
    ) -> None:
        """Serve the ring `job`, then go to the next."""
        memory, c, receives = self.memory, job[1:], job[0]

        def of_class(every: Signal) -> Value:
            size = len(every) // self.classes
            return every.word_select(c, size) if self.classes > 1 else every

        def to_class(bit: Value) -> Value:
            return bit << c if self.classes > 1 else bit

        address, status = Signal(WORD_BITS), Signal(WORD_BITS)
        left, length = Signal(self.left_width), Signal(SEND["length"].width)
        header = Signal(WORD_BITS)
        told: Any = data.View(struct(RECEIVED), of_class(self.received))
        given: Any = data.View(struct(SEND), header[: SEND.width])
        done: Any = data.View(struct(RECEIVED), Signal(WORD_BITS, name="done"))
        place = address[2 : 2 + len(memory.address)]
        ring = Signal.like(memory.address)
        arrives, pushes, wrong, accepted = Signal(), Signal(), Signal(), Signal()
        count = heads[job][: bits(self.descriptors)]
        m.d.comb += [
            ring.eq(Cat(0, count, bases[job])),
            accepted.eq(memory.request & memory.ready),
            length.eq(Mux(receives, of_class(self.left), given.length)),
            wrong.eq(
                address[:2].any()
                | (address[2:] + length > self.memory_words)
                | Mux(receives, given.length < length, of_class(self.refused))
            ),
            done.source.eq(Mux(receives, told.source & ~wrong.replicate(16), given.destination)),
            done.length.eq(Mux(receives & wrong, 0, length)),
            done.error.eq(wrong | (receives & told.error)),
            done.valid.eq(1),
            self.word.eq(Mux(pushes, memory.rdata, header)),
            self.push.eq(to_class(pushes)),
        ]
        m.d.sync += [arrives.eq(0), pushes.eq(0)]
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += idle.eq(1)
                with m.If(waits):
                    m.next = "ADDRESS"
                with m.Else():
                    m.d.sync += job.eq(self._next(job))
            with m.State("ADDRESS"):
                m.d.comb += [memory.request.eq(1), memory.address.eq(ring)]
                with m.If(accepted):
                    m.d.sync += arrives.eq(1)
                    m.next = "HEADER"
            with m.State("HEADER"):
                m.d.comb += [memory.request.eq(1), memory.address.eq(ring | 1)]
                with m.If(arrives):
                    m.d.sync += address.eq(memory.rdata)
                with m.If(accepted):
                    m.next = "FILL"
            with m.State("FILL"):
                m.d.sync += header.eq(memory.rdata)
                m.next = "CHECK"
            with m.State("CHECK"):
                m.d.comb += self.begin.eq(to_class(~receives & ~wrong))
                m.d.sync += [left.eq(length), status.eq(Value.cast(done))]
                with m.If(wrong):
                    m.next = "FINISH"
                with m.Else():
                    m.next = "MOVE"
            with m.State("MOVE"):
                m.d.comb += [
                    memory.request.eq(1),
                    memory.write.eq(receives),
                    memory.address.eq(place),
                    memory.wdata.eq(of_class(self.front)),
                    self.take.eq(to_class(receives & accepted)),
                ]
                with m.If(accepted):
                    m.d.sync += [place.eq(place + 1), left.eq(left - 1), pushes.eq(~receives)]
                    with m.If(left == 1):
                        m.next = "FINISH"
            with m.State("FINISH"):
                m.d.comb += [
                    memory.request.eq(1),
                    memory.write.eq(1),
                    memory.address.eq(ring | 1),
                    memory.wdata.eq(status),
                    self.finished.eq(to_class(accepted)),
                ]
                with m.If(accepted):
                    m.d.sync += job.eq(self._next(job))
                    m.next = "IDLE"

    def _next(self, job: Signal) -> Value:
        """Return the ring after one."""
        return Mux(job == self.rings - 1, 0, job + 1)


MEANINGS = {
    "request": "there is an access; it stays until it is accepted",
    "ready": "the access is accepted",
    "write": "it is a write of a word, else a read",
    "address": "the word",
    "wdata": "what is to be written",
    "rdata": "what was read, in the cycle after the read is accepted",
}
"""What the signals mean."""


class MemorySignature(wiring.Signature):
    """A synchronous memory of 32-bit words, seen from what accesses it.

    An access is done in the cycle in which `request` and `ready` are 1; a port of a block RAM keeps
    `ready` at 1.

    Parameters
    ----------
    address_width : int
        Bits of the number of a word.

    Members
    -------
    request, write : ``Out(1)``
    ready : ``In(1)``
    address : ``Out(address_width)``
    wdata : ``Out(32)``
    rdata : ``In(32)``
    """

    def __init__(self, address_width: int) -> None:
        self.address_width = address_width
        super().__init__(
            {
                "request": Out(1),
                "ready": In(1),
                "write": Out(1),
                "address": Out(address_width),
                "wdata": Out(32),
                "rdata": In(32),
            }
        )


def memory_ports(address_width: int) -> list[Port]:
    """Return the ports of a module that accesses a memory."""
    return ports_of(MemorySignature(address_width), "mem", MEANINGS)
