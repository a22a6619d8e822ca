"""A mailbox behind its bus; the twin of golden's MailboxRegisters."""

from collections.abc import Collection
from functools import reduce
from operator import or_
from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.header import Layout, bits
from fingerpost.golden.terminal.mailbox import WORD_BITS
from fingerpost.golden.terminal.mailbox_layout import ENABLE, MISUSES, NODE_BITS, ROOM, TOTAL
from fingerpost.hdl.bus.axi_stream import AxiStreamSignature
from fingerpost.hdl.bus.kinds import BUSES
from fingerpost.hdl.lib.registers import WORD
from fingerpost.hdl.terminal.mailbox_map import MailboxMap
from fingerpost.hdl.terminal.mailbox_receiver import MailboxReceiver
from fingerpost.hdl.terminal.mailbox_sender import MailboxSender

__all__ = ["MailboxRegisters"]

WRITTEN = "pulse", "give", "keep", "clear"
"""What software does with what it can write."""


class MailboxRegisters(wiring.Component):
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
    """

    bus: Any
    irq: Signal
    node: Signal
    tx: Any
    rx: Any
    tdest: Signal

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
        stream = {"bytes": WORD_BITS // 8, "streams": classes}
        super().__init__(
            {
                "bus": In(self.kind.signature(map.address_width)),
                "irq": Out(1),
                "node": In(NODE_BITS),
                "tx": Out(AxiStreamSignature(**stream, user=1)),
                "rx": In(AxiStreamSignature(**stream, user=number + 1)),
                "tdest": Out(number * classes),
            }
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
        thresholds = []
        for c, (sender, receiver) in enumerate(zip(self.senders, self.receivers, strict=True)):
            begin, push, control = (asked(name, c) for name in ("send", "send_data", "control"))
            reading = port.address == at["receive_data", c]
            take = port.read & reading
            abort, discard = port.value[0], port.value[1]
            busy = sender.open != 0
            for name, event in {
                "length": begin & sender.length,
                "destination": begin & sender.destination,
                "unfinished": begin & busy,
                "full": begin & sender.full,
                "surplus": push & ~busy,
                "empty": control & discard & ~receiver.valid,
                "aborted": control & abort & busy,
            }.items():
                found[name].append(whole & event)
            empties.append(take & ~receiver.valid)
            m.d.comb += [
                sender.value.eq(port.value),
                sender.begin.eq(begin & ~refuse),
                sender.push.eq(push & ~refuse),
                sender.abort.eq(control & abort & ~refuse),
                receiver.discard.eq(control & discard & ~refuse),
                receiver.take.eq(take & receiver.valid),
            ]
            with m.If(reading & ~receiver.valid):
                m.d.comb += bad.eq(1)
            threshold = Signal(16, name=f"threshold{c}")
            with m.If(asked("threshold", c) & ~refuse):
                m.d.sync += threshold.eq(port.value)
            thresholds.append(threshold)
            reads |= {
                ("receive", c): Mux(receiver.valid, receiver.received, 0),
                ("receive_data", c): Mux(receiver.valid, receiver.front, 0),
                ("room", c): _packed(ROOM, free=sender.free, open=sender.open),
                ("left", c): receiver.left,
                ("threshold", c): threshold,
                ("bad", c): receiver.bad,
            }

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
            received=Cat(receiver.valid for receiver in self.receivers),
            room=Cat(s.free > least for s, least in zip(self.senders, thresholds, strict=True)),
            errors=errors.any(),
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
    return reduce(or_, values)


def _packed(layout: Layout, **values: Value) -> Value:
    """Return a word with these fields, each from its lowest bit."""
    word: Value = Value.cast(0)
    for name, value in values.items():
        word |= value << layout[name].offset
    return word[: layout.width]
