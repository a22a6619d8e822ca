"""A mailbox behind its bus."""

from collections.abc import Callable, Collection
from functools import reduce
from operator import or_
from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.header import Layout, bits
from fingerpost.golden.terminal.mailbox import (
    ENABLE,
    MISUSES,
    NODE_BITS,
    RING,
    ROOM,
    TOTAL,
    WORD_BITS,
)
from fingerpost.hdl.bus.axi import AxiStreamSignature
from fingerpost.hdl.bus.registers import BUSES
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.registers import WORD
from fingerpost.hdl.terminal.mailbox_dma import MailboxDma
from fingerpost.hdl.terminal.mailbox_map import MailboxMap
from fingerpost.hdl.terminal.mailbox_streams import MailboxReceiver, MailboxSender

WRITTEN = "pulse", "give", "keep", "clear"
"""What software does with what it can write."""


class MailboxRegisters(Component):
    """Registers in front of a sender and a receiver for each message class.

    An access that is wrong changes nothing but `errors` and `misuses`, and is answered with an
    error. One is answered as any other: an abort of an incomplete packet.

    Parameters
    ----------
    map : MailboxMap
    send_words, receive_words, packet_limit : int
    number : int
        Bits of the number of a node.
    known : collection of int
        Nodes that have a terminal.
    bus : str
        One of `BUSES`.
    most : int
        Of a count, all ones, at which it stops.

    Members
    -------
    bus : ``In``                            That of software.
    irq : ``Out(1)``                        A reason that is enabled is there.
    node : ``In(16)``                       The number of the node.
    tx, rx : ``Out, In(AxiStreamSignature)``    The c-th part of each member is of class c.
    tdest : ``Out``                         The same of tdest.
    memory : ``Out(MemorySignature)``       Where descriptors are, if the map has them.
    """

    def __init__(
        self,
        map: MailboxMap,
        *,
        send_words: int,
        receive_words: int,
        packet_limit: int,
        number: int,
        known: Collection[int],
        bus: str = "axi-lite",
        most: int = TOTAL,
    ) -> None:
        self.map, self.number, self.kind, self.most = map, number, BUSES[bus], most
        self.classes = classes = map.block.count
        self.senders = [
            MailboxSender(send_words, limit=packet_limit, known=known) for _ in range(classes)
        ]
        self.receivers = [
            MailboxReceiver(receive_words, limit=packet_limit, number=number, most=most)
            for _ in range(classes)
        ]
        self.dma: MailboxDma | None = None
        if map.memory_words:
            self.dma = MailboxDma(
                classes=classes,
                limit=packet_limit,
                descriptors=map.descriptors,
                memory_words=map.memory_words,
            )
        stream = {"width": WORD_BITS, "streams": classes}
        super().__init__(
            **({"memory": Out(self.dma.memory.signature)} if self.dma else {}),
            bus=In(self.kind.signature(map.address_width)),
            irq=Out(1),
            node=In(NODE_BITS),
            tx=Out(AxiStreamSignature(**stream, user=1)),
            rx=In(AxiStreamSignature(**stream, user=number + 1)),
            tdest=Out(number * classes),
        )

    def elaborate(self, platform: object) -> Module:
        """Say what each register reads as, what writing does, and what is wrong."""
        m = Module()
        m.submodules.port = port = self.kind.port(self.map.address_width)
        connect(m, flipped(self.bus), port.bus)
        self._join(m)
        at = {(register.name, c): place // WORD for register, c, place in self.map.places()}
        whole = port.strobe.all()

        def asked(name: str, c: int = 0) -> Value:
            return port.write & (port.written == at[name, c])

        wrong = {name: Signal(name=f"wrong_{name}") for name in MISUSES}
        found: dict[str, list[Value]] = {name: [] for name in MISUSES}
        reads: dict[tuple[str, int], Value] = {}
        refuse, bad, empties = Signal(), Signal(), []
        thresholds, frees, valids = [], [], []
        for c, (sender, receiver) in enumerate(zip(self.senders, self.receivers, strict=True)):
            # To software a sender is full, and a receiver empty, while a ring has it.
            sends, receives = (self._serves(2 * c + way) for way in (0, 1))
            free, opened = Mux(sends, 0, sender.free), Mux(sends, 0, sender.open)
            valid, left = receiver.valid & ~receives, Mux(receives, 0, receiver.left)
            frees.append(free)
            valids.append(valid)
            begin, push, control = (asked(name, c) for name in ("send", "send_data", "control"))
            reading = port.address == at["receive_data", c]
            take = port.read & reading
            abort, discard = port.value[0], port.value[1]
            busy = opened != 0
            for name, event in {
                "length": begin & sender.length & ~sends,
                "destination": begin & sender.destination & ~sends,
                "unfinished": begin & busy,
                "full": begin & (sender.full | sends),
                "surplus": push & ~busy,
                "empty": control & discard & ~valid,
                "aborted": control & abort & busy,
            }.items():
                found[name].append(whole & event)
            empties.append(take & ~valid)
            m.d.comb += [
                sender.value.eq(port.value),
                sender.begin.eq(begin & ~refuse),
                sender.push.eq(push & ~refuse),
                sender.abort.eq(control & abort & ~refuse & ~sends),
                receiver.discard.eq(control & discard & ~refuse),
                receiver.take.eq(take & valid),
            ]
            with m.If(reading & ~valid):
                m.d.comb += bad.eq(1)
            threshold = Signal(16, name=f"threshold{c}")
            with m.If(asked("threshold", c) & ~refuse):
                m.d.sync += threshold.eq(port.value)
            thresholds.append(threshold)
            reads |= {
                ("receive", c): Mux(valid, receiver.received, 0),
                ("receive_data", c): Mux(valid, receiver.front, 0),
                ("room", c): _packed(ROOM, free=free, open=opened),
                ("left", c): left,
                ("threshold", c): threshold,
                ("bad", c): receiver.bad,
            }
        finished = Signal(self.classes)
        if self.dma:
            misused, answers = self._rings(m, self.dma, port, asked, refuse, finished)
            found["ring"], reads = misused, reads | answers

        # Misuse.
        writable = [
            port.written == place // WORD
            for register, _, place in self.map.places()
            if any(part.access in WRITTEN for part in register.fields)
        ]
        found["partial"] = [port.write & ~whole & _any(writable)]
        errors, enable = Signal(len(MISUSES)), Signal(ENABLE.width)
        misuses = Signal(bits(self.most + 1))
        empty = _any(empties)
        m.d.comb += [signal.eq(_any(found[name])) for name, signal in wrong.items()]
        m.d.comb += refuse.eq(_any([signal for name, signal in wrong.items() if name != "aborted"]))
        writes_wrong = refuse | wrong["aborted"]
        total = Signal(len(misuses) + 1)
        m.d.comb += total.eq(misuses + writes_wrong + empty)
        m.d.sync += misuses.eq(Mux(total[-1], self.most, total))
        forget = Mux(asked("errors") & ~refuse, port.value, 0)
        told = Cat(signal | (empty if name == "empty" else 0) for name, signal in wrong.items())
        m.d.sync += errors.eq((errors & ~forget) | told)

        # The interrupt.
        with m.If(asked("enable") & ~refuse):
            m.d.sync += enable.eq(port.value)
        pending = _packed(
            ENABLE,
            received=Cat(valids),
            room=Cat(free > least for free, least in zip(frees, thresholds, strict=True)),
            errors=errors.any(),
            finished=finished,
        )
        m.d.comb += self.irq.eq((pending & enable).any())

        # Answers.
        reads |= {
            ("node", 0): self.node,
            ("errors", 0): errors,
            ("misuses", 0): misuses,
            ("enable", 0): enable,
            ("pending", 0): pending,
        }
        fixed = dict(self.map.constants())
        with m.Switch(port.address):
            for register, c, place in self.map.places():
                with m.Case(place // WORD):
                    value = fixed.get(place, reads.get((register.name, c), 0))
                    m.d.comb += [port.data.eq(value), port.bad.eq(bad)]
            with m.Default():
                m.d.comb += port.bad.eq(1)
        m.d.comb += port.refuse.eq(refuse | ~_any(writable))
        return m

    def _serves(self, ring: int) -> Value:
        """Return whether a ring of descriptors has a sender or receiver to itself."""
        return self.dma.serves[ring] if self.dma else Const(0)

    def _rings(
        self,
        m: Module,
        dma: MailboxDma,
        port: Any,
        asked: Callable[[str, int], Value],
        refuse: Value,
        finished: Signal,
    ) -> tuple[list[Value], dict[tuple[str, int], Value]]:
        """Join what serves descriptors; return what is wrong, and what registers read as."""
        m.submodules.dma = dma
        connect(m, flipped(self.memory), dma.memory)
        senders, receivers, wrong, whole = self.senders, self.receivers, [], port.strobe.all()
        reads: dict[tuple[str, int], Value] = {}
        m.d.comb += [
            dma.value.eq(port.value),
            dma.free.eq(Cat(sender.free > sender.limit for sender in senders)),
            dma.open.eq(Cat(sender.open != 0 for sender in senders)),
            dma.refused.eq(Cat(sender.length | sender.destination for sender in senders)),
            dma.valid.eq(Cat(receiver.valid for receiver in receivers)),
            dma.received.eq(Cat(receiver.received for receiver in receivers)),
            dma.front.eq(Cat(receiver.front for receiver in receivers)),
            dma.left.eq(Cat(receiver.left for receiver in receivers)),
        ]
        for c, (sender, receiver) in enumerate(zip(senders, receivers, strict=True)):
            with m.If(self._serves(2 * c)):
                m.d.comb += [
                    sender.value.eq(dma.word),
                    sender.begin.eq(dma.begin[c]),
                    sender.push.eq(dma.push[c]),
                ]
            with m.If(self._serves(2 * c + 1)):
                m.d.comb += receiver.take.eq(dma.take[c])
            for way, name in enumerate(("send", "receive")):
                ring = 2 * c + way
                begin, give = asked(f"{name}_ring", c), asked(f"{name}_descriptors", c)
                m.d.comb += [
                    dma.set_ring[ring].eq(begin & ~refuse),
                    dma.set_tail[ring].eq(give & ~refuse),
                ]
                wrong += [begin & dma.wrong_ring[ring], give & dma.wrong_tail[ring]]
                reads[f"{name}_descriptors", c] = _packed(
                    RING,
                    tail=dma.tail.word_select(ring, dma.count_width),
                    head=dma.head.word_select(ring, dma.count_width),
                    enabled=dma.enabled[ring],
                    busy=dma.busy[ring],
                )
        forget = Mux(asked("finished", 0) & ~refuse, port.value, 0)
        m.d.sync += finished.eq((finished & ~forget) | dma.finished)
        return [whole & each for each in wrong], reads | {("finished", 0): finished}

    def _join(self, m: Module) -> None:
        """Join the streams of all classes."""
        for c, (sender, receiver) in enumerate(zip(self.senders, self.receivers, strict=True)):
            m.submodules[f"sender{c}"] = sender
            m.submodules[f"receiver{c}"] = receiver
            m.d.comb += self.tdest[c * self.number : (c + 1) * self.number].eq(sender.tdest)
            for several, one, forth in (
                (self.tx, sender.stream, True),
                (self.rx, receiver.stream, False),
            ):
                for name in one.signature.members:
                    own: Any = getattr(one, name)
                    their = getattr(several, name)[c * len(own) : (c + 1) * len(own)]
                    out = forth != (name == "tready")
                    m.d.comb += their.eq(own) if out else own.eq(their)


def _any(values: list[Any]) -> Value:
    """Return whether any bit is set."""
    return reduce(or_, values, Const(0))


def _packed(layout: Layout, **values: Value) -> Value:
    """Return a word with these fields, each from its lowest bit."""
    word: Value = Value.cast(0)
    for name, value in values.items():
        word |= value << layout[name].offset
    return word[: layout.width]
