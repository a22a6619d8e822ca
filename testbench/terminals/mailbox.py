"""The registers of a mailbox with their model: software, network and memory do as they like."""

from abc import ABC, abstractmethod
from collections import Counter
from random import Random
from typing import Any, ClassVar

from fingerpost.golden.terminal.mailbox_layout import ENABLE, LENGTH_BITS, SEND
from fingerpost.golden.terminal.mailbox_registers import Access, Beat, MailboxRegisters
from fingerpost.hdl.terminal import mailbox_registers as hdl
from fingerpost.hdl.terminal.mailbox_map import MailboxMap, mailbox_of
from fingerpost.testbench.terminals.stimulus import Ports, Registered, Stimulus

__all__ = ["MailboxStimulus"]

CLASSES, LIMIT, NUMBER, KNOWN, NODE = 2, 3, 3, (0, 1, 2, 5), 5
MEMORY, DESCRIPTORS = 64, 4
RING_BYTES = 8 * DESCRIPTORS
RINGS = "send_descriptors", "receive_descriptors", "finished"
ROWS, WORD = 8, 32

SIZES: dict[str, Any] = {
    "send_words": ROWS,
    "receive_words": ROWS,
    "packet_limit": LIMIT,
    "known": KNOWN,
    "most": 31,
}

PHASE = 200
"""Clocks after which senders, receivers and software change how busy they are."""

WRITTEN = {"give", "keep", "pulse", "clear"}
"""Fields that software writes."""

IDLE, ADDRESS, TAKE, OFFER = -1, 0, 2, 3
"""Clocks of a read from the one in which its address comes."""


class Manager:
    """Accesses, one after the other, most of which mean something."""

    def __init__(
        self, rng: Random, model: MailboxRegisters, places: list[tuple[Any, int, int]]
    ) -> None:
        self.rng, self.model = rng, model
        self.at = {(register.name, c): place for register, c, place in places}
        self.memory, self.writes = [0] * MEMORY, 0
        # Of the parts of memory that may hold a ring, four do, and others hold packets.
        self.areas = rng.sample(range(4 * MEMORY // RING_BYTES), 4 * MEMORY // RING_BYTES)
        self.end = 4 * (1 + max(self.at.values()) // 4)

    def address(self, c: int, *names: str) -> int:
        """Return the address of one of some registers, now and then any other."""
        if self.rng.random() < 0.05:
            return self.rng.randrange(0, self.end + 16, 4)
        name = self.rng.choice(names)
        return self.at[name, c if (name, c) in self.at else 0]

    def ring(self, dma: Any) -> tuple[int, int, int]:
        """Begin or end a ring, or give descriptors to it, most of them right."""
        rng, ring = self.rng, self.rng.randrange(4)
        name, c = ("send", "receive")[ring % 2], ring // 2
        base = RING_BYTES * self.areas[ring]
        strobe = self.strobe()
        if not dma.enabled[ring] or rng.random() < 0.05:
            right = [base + 1] * 6 + [0] * (1 + 2 * dma.enabled[ring])
            odd = base + 1 + (1 << rng.randrange(1, 5))
            value = rng.choice([*right, odd, 4 * MEMORY + 1, 1 << rng.randrange(9, WORD) | 1])
            return self.at[f"{name}_ring", c], value, strobe
        tail = dma.tail[ring] + rng.choice([0, 1, 1, 1, 2, 3, 6])
        for given in range(dma.tail[ring], tail):
            if (given - dma.head[ring]) % (2 * DESCRIPTORS) >= DESCRIPTORS:
                break
            inside = RING_BYTES // 4 * rng.choice(self.areas[4:]) + rng.randrange(8)
            address = rng.choice([inside] * 9 + [MEMORY - 2, MEMORY - 1, MEMORY]) * 4
            address += rng.choice([0] * 12 + [2, 1 << rng.randrange(8, WORD)])
            address &= (1 << WORD) - 1
            wrong = 0, LIMIT + 1, 1 << rng.randrange(LENGTH_BITS)
            length = rng.choice([1, 2, 3, 3, 3, 3, *wrong] if ring % 2 == 0 else [1, 3, 3, 3])
            to = rng.choice([*KNOWN * 4, 3, rng.getrandbits(16)])
            head = SEND.join(destination=to, length=length)
            place = base // 4 + 2 * (given % DESCRIPTORS)
            self.memory[place : place + 2] = [address, int(head) | rng.choice([0] * 9 + [1 << 29])]
        return self.at[f"{name}_descriptors", c], tail, strobe

    def strobe(self) -> int:
        """Return the bytes that are written, of which now and then some are missing."""
        return 15 if self.rng.random() < 0.95 else self.rng.choice([7, self.rng.randrange(16)])

    def write(self) -> tuple[int, int, int]:
        """Return address, value and strobes of a write."""
        c = self.rng.randrange(2)
        if self.model.dma:
            self.writes += 1
            enabled = self.model.dma.enabled
            if self.writes // 80 % 3 == 2:  # without rings
                if any(enabled):
                    ring = enabled.index(True)
                    name = ("send", "receive")[ring % 2]
                    return self.at[f"{name}_ring", ring // 2], 0, 15
            elif self.rng.random() < 0.6:
                return self.ring(self.model.dma)
        usual = "send_data" if self.model.senders[c].open else "send"
        names = [usual] * 12 + [
            "send",
            "send_data",
            "enable",
            "threshold",
            "errors",
            "control",
            "control",
        ]
        address = self.address(c, *names)
        wrong = 0, LIMIT + 1, 1 << self.rng.randrange(LENGTH_BITS)
        length = self.rng.choice([1, 1, 2, 2, 3, 3, 3, 3, 3, *wrong])
        head = SEND.join(destination=self.rng.choice([*KNOWN * 4, 3, 8]), length=length)
        small = self.rng.randrange(8) if address % 0x40 in {0x18, 0x1C} else None
        if address == self.at["enable", 0]:
            small = self.rng.getrandbits(ENABLE.width)
        if address in (self.at["threshold", 0], self.at["threshold", 1]):
            small = (small or 0) | self.rng.choice([0, 1, 1]) << self.rng.randrange(16)
        value = self.rng.choice([int(head)] * 7 + [self.rng.getrandbits(32)])
        if address == self.at["errors", 0]:
            small = self.rng.choice([0x1FF, self.rng.getrandbits(9)])
        return address, value if small is None else small, self.strobe()

    def read(self) -> int:
        """Return the address of a read."""
        return self.address(
            self.rng.randrange(2), *["receive_data"] * 6, "receive", "room", "left", "errors",
            "misuses", "pending", "bad", "threshold", "enable", "id", "node",
            *RINGS * bool(self.model.dma),
        )  # fmt: skip


class Wires(ABC):
    """The wires of a manager of a bus.

    Attributes
    ----------
    one_at_a_time : bool
        Whether reads and writes wait for each other.
    valid : dict
        By the name of an output that which says whether it means something.
    """

    one_at_a_time: ClassVar[bool]
    valid: ClassVar[dict[str, str]]

    @abstractmethod
    def given(self, read: int | None, write: tuple[int, int, int] | None) -> Ports:
        """Return what goes in; the access is that which begins in this clock."""

    @abstractmethod
    def seen(self, *, reading: int, writing: int, read: Any, refused: bool) -> Ports:
        """Return what must be seen.

        Parameters
        ----------
        reading, writing : int
            Clocks since an access began; negative if there is none.
        read : tuple of int and bool
            What is read, and whether that is refused.
        refused : bool
            Whether the write is.
        """


class AxiLite(Wires):
    """A manager of AXI4-Lite, which takes every answer at once."""

    one_at_a_time = False
    valid: ClassVar[dict[str, str]] = {
        "bus__rdata": "bus__rvalid",
        "bus__rresp": "bus__rvalid",
        "bus__bresp": "bus__bvalid",
    }

    def given(self, read: int | None, write: tuple[int, int, int] | None) -> Ports:
        """Offer an access in its first clock."""
        address, value, strobe = write or (0, 0, 0)
        return {
            "bus__bready": 1,
            "bus__rready": 1,
            "bus__arvalid": int(read is not None),
            "bus__araddr": read or 0,
            "bus__awvalid": int(write is not None),
            "bus__wvalid": int(write is not None),
            "bus__awaddr": address,
            "bus__wdata": value,
            "bus__wstrb": strobe,
        }

    def seen(self, *, reading: int, writing: int, read: Any, refused: bool) -> Ports:
        """Return the answers."""
        ports = {
            "bus__arready": int(reading <= ADDRESS),
            "bus__awready": int(writing <= 0),
            "bus__wready": int(writing <= 0),
        }
        if reading == OFFER:
            ports |= {"bus__rvalid": 1, "bus__rdata": read[0], "bus__rresp": 2 * read[1]}
        if writing == 2:
            ports |= {"bus__bvalid": 1, "bus__bresp": 2 * refused}
        return ports


class Wishbone(Wires):
    """A manager of Wishbone, which keeps an access until it is answered."""

    one_at_a_time = True
    valid: ClassVar[dict[str, str]] = {}

    def __init__(self) -> None:
        self.held: Ports = {}
        self.last = 0  # what was read, which stays

    def given(self, read: int | None, write: tuple[int, int, int] | None) -> Ports:
        """Begin an access; what was begun is kept until `seen` has its answer."""
        if read is not None or write is not None:
            address, value, strobe = write or (read or 0, 0, 15)
            held = {"adr": address, "dat_w": value, "sel": strobe, "cyc": 1, "stb": 1}
            held["we"] = int(write is not None)
            self.held = {f"bus__{name}": value for name, value in held.items()}
        idle = dict.fromkeys(("adr", "dat_w", "sel", "we", "cyc", "stb"), 0)
        return self.held or {f"bus__{name}": value for name, value in idle.items()}

    def seen(self, *, reading: int, writing: int, read: Any, refused: bool) -> Ports:
        """Return the answers."""
        if reading == OFFER:
            self.held = {}
            self.last, refused = read
        elif writing == 2:
            self.held = {}
        else:
            return {"bus__dat_r": self.last}
        return {"bus__dat_r": self.last, "bus__err" if refused else "bus__ack": 1}


MANAGERS: dict[str, type[Wires]] = {"axi-lite": AxiLite, "wishbone": Wishbone}


class MailboxStimulus(Stimulus):
    """A mailbox of two message classes between software, a network and a memory.

    Parameters
    ----------
    bus : str
    dma : bool
        Whether there are rings of descriptors.
    seed : int

    Attributes
    ----------
    met : Counter
        How often what was met: names of misuses, packets that moved.
    """

    def __init__(self, *, bus: str, dma: bool = False, seed: int) -> None:
        self.bus, self.dma, self.rng = bus, dma, Random(seed)
        self.wires = MANAGERS[bus]()
        more: dict[str, Any] = {"descriptors": DESCRIPTORS, "memory_words": MEMORY} if dma else {}
        self.map: MailboxMap = mailbox_of(
            nodes=6, classes=CLASSES, limit=LIMIT, hash=0x12345678, **more
        )
        self.model = MailboxRegisters(classes=CLASSES, **SIZES, **more)
        places = list(self.map.places())
        self.manager = Manager(self.rng, self.model, places)
        self.named = {place // 4: (register, c) for register, c, place in places}
        self.constant = {place // 4: value for place, value in self.map.constants()}
        self.met: Counter[str] = Counter()
        self.now = 0
        self.read: int | None = None
        self.read_at = 0
        self.written: tuple[int, int, int] | None = None
        self.write_at = 0
        self.answer, self.refused = (0, False), False
        self.arriving = [(0, 0)] * CLASSES  # beats still to come, and their source
        self.beats = [Beat()] * CLASSES
        self.rdata = 0
        # What goes in comes a clock later: so there is a clock in which nothing does.
        idle = self.wires.seen(reading=IDLE, writing=IDLE, read=(0, False), refused=False)
        self.after_reset = self._seen([False] * CLASSES) | idle
        self.model.step(None, None, [False] * CLASSES, self.beats)

    @property
    def _valid(self) -> dict[str, str]:
        """Return which outputs mean something while which other is asserted."""
        found = {"tdest": "tx__tvalid", **self.wires.valid}
        memory = {"address": "request", "write": "request", "wdata": "write"}
        every = {f"memory__{name}": f"memory__{of}" for name, of in memory.items()}
        return found | (every if self.dma else {})

    def component(self) -> Registered:
        """Return the hardware of which this is the model."""
        inner = hdl.MailboxRegisters(self.map, number=NUMBER, bus=self.bus, **SIZES)
        return Registered(inner, self._valid, {"node": NODE})

    def clock(self) -> tuple[Ports, Ports]:
        """Let software, network and memory act; return what is given and seen."""
        busy = self.now // PHASE % 3  # senders and receivers are slow in turns
        begun = self._begin(busy)
        reading = self.now - self.read_at if self.read is not None else IDLE
        writing = self.now - self.write_at if self.written is not None else IDLE
        given = dict(self.wires.given(*begun))
        write = self._write() if writing == 1 else None
        ready = [self.rng.random() < (0.7 if busy != 2 else 0.02) for _ in range(CLASSES)]
        self._arrive(busy)
        given |= self._streams(ready)
        take = self._take() if reading == TAKE else None
        seen = self._seen(ready)
        memory = self._memory(busy, given, seen) if self.dma else (False, 0)
        seen |= self.wires.seen(
            reading=reading, writing=writing, read=self.answer, refused=self.refused
        )
        self.read = None if reading == OFFER else self.read
        self.written = None if writing == 2 else self.written
        ready_in = [receiver.ready for receiver in self.model.receivers]
        self.met["long"] += sum(r.middle and r.count == LIMIT for r in self.model.receivers)
        self.model.step(write, take, ready, self.beats, memory)
        for c in range(CLASSES):
            if self.beats[c].valid and ready_in[c]:
                self.beats[c] = Beat()
        self.now += 1
        return given, seen

    def _begin(self, busy: int) -> tuple[int | None, tuple[int, int, int] | None]:
        """Begin accesses; where one waits for another, fewer reads, so that writes have turns."""
        rng, single = self.rng, self.wires.one_at_a_time
        read = write = None
        share = 1 if not single else 0.2 if busy == 2 else 0.6
        free = self.read is None and not (single and self.written is not None)
        if free and rng.random() < (0.9 if busy != 1 else 0.1) * share:
            self.read, self.read_at = self.manager.read(), self.now
            read = self.read
        free = self.written is None and not (single and self.read is not None)
        if free and rng.random() < 0.5:
            self.written, self.write_at = self.manager.write(), self.now
            write = self.written
        return read, write

    def _write(self) -> Access | None:
        """Return the write that is done in this clock, if it is one to a register that can be."""
        assert self.written is not None
        address, value, strobe = self.written
        register, c = self.named.get(address // 4, (None, 0))
        write = None
        if register is not None and any(f.access in WRITTEN for f in register.fields):
            write = Access(register.name, c, value, strobe == 15)
        self.refused = write is None or self.model.refuses(write)
        self.met.update(self.model.wrong(write) if write else ())
        return write

    def _take(self) -> Access | None:
        """Return the read that is answered next, if it is one of a register."""
        assert self.read is not None
        address = self.read // 4
        if address not in self.named:
            self.answer = 0, True
            return None
        register, c = self.named[address]
        value, bad = self.model.read(register.name, c)
        value = {"node": NODE}.get(register.name, self.constant.get(address, value))
        self.answer = value, bad
        self.met["taken"] += register.name == "receive_data" and not bad
        self.met["empty"] += bad
        return Access(register.name, c)

    def _arrive(self, busy: int) -> None:
        """Let beats arrive."""
        rng = self.rng
        for c in range(CLASSES):
            if not self.beats[c].valid and rng.random() < (0.6 if busy else 0.05):
                left, source = self.arriving[c]
                if not left:
                    left, source = rng.choice([1, 2, 3, 3, 5]), rng.choice(KNOWN)
                error = left == 1 and rng.random() < 0.2
                self.beats[c] = Beat(True, rng.getrandbits(WORD), left == 1, source, error)
                self.arriving[c] = left - 1, source

    def _streams(self, ready: list[bool]) -> Ports:
        beats = list(enumerate(self.beats))
        return {
            "tx__tready": sum(bit << c for c, bit in enumerate(ready)),
            "rx__tvalid": sum(beat.valid << c for c, beat in beats),
            "rx__tdata": sum(beat.data << WORD * c for c, beat in beats),
            "rx__tkeep": sum(15 << 4 * c for c, _ in beats),
            "rx__tlast": sum(beat.last << c for c, beat in beats),
            "rx__tuser": sum(
                (beat.source << 1 | beat.error) << (NUMBER + 1) * c for c, beat in beats
            ),
        }

    def _seen(self, ready: list[bool]) -> Ports:
        """Return what must be seen of streams and interrupt."""
        model = self.model
        ports = {
            "irq": int(model.irq),
            "rx__tready": sum(receiver.ready << c for c, receiver in enumerate(model.receivers)),
            "tx__tvalid": sum(sender.valid << c for c, sender in enumerate(model.senders)),
        }
        parts = {"tx__tdata": WORD, "tx__tkeep": 4, "tx__tlast": 1, "tdest": NUMBER}
        for name in parts:
            ports[name] = 0
        for c, sender in enumerate(model.senders):
            if sender.valid:
                values = sender.data, 15, int(sender.last), sender.destination
                for (name, width), value in zip(parts.items(), values, strict=True):
                    ports[name] |= value << width * c
                self.met["sent"] += ready[c]
        self.met["irq"] += model.irq
        return ports

    def _memory(self, busy: int, given: Ports, seen: Ports) -> tuple[bool, int]:
        """Serve the memory; return ready, and what it reads."""
        rng, dma = self.rng, self.model.dma
        assert dma is not None
        ready, rdata = rng.random() < (0.8 if busy else 0.3), self.rdata
        given |= {"memory__ready": int(ready), "memory__rdata": rdata}
        request = dma.request
        self.rdata = rng.getrandbits(WORD)
        seen["memory__request"] = int(request is not None)
        if request:
            seen |= {"memory__address": request.address, "memory__write": int(request.write)}
            seen["memory__wdata"] = request.data if request.write else 0
        if request and ready:
            if request.write:
                self.manager.memory[request.address] = request.data
            self.rdata = self.manager.memory[request.address]
            if dma.state == "finish":
                failed = not request.data >> 16 & 0xFFF or request.data >> 30 & 1
                way = "in" if dma.job % 2 else "out"
                self.met[f"{'wrong' if failed else 'moved'} {way}"] += 1
        return ready, rdata
