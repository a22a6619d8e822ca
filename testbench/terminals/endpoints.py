"""Queues of packets, and endpoints that share a terminal: users and senders do as they like."""

from random import Random

import numpy as np

from fingerpost.golden.terminal import endpoints as golden
from fingerpost.golden.terminal.axi_sender import Beats
from fingerpost.golden.terminal.endpoints import Beat, first_beat
from fingerpost.golden.terminal.packet_queue import PacketQueue as Model
from fingerpost.hdl.terminal.endpoints import Concentrator, Distributor
from fingerpost.hdl.terminal.packet_queue import PacketQueue
from fingerpost.testbench.terminals.stimulus import (
    BUSY,
    PHASE,
    Ports,
    Registered,
    Stimulus,
    beat_ports,
)

__all__ = ["ConcentratorStimulus", "DistributorStimulus", "PacketQueueStimulus", "Sizes"]

LAST = 1.0, 0.5, 0.2, 0.05
"""Chances that a beat is the last of its packet."""

Sizes = dict[str, int]
"""Endpoints, bytes of a beat, bits of the number of a node."""


class PacketQueueStimulus(Stimulus):
    """A queue of complete packets.

    Parameters
    ----------
    bytes, number, depth, seed : int
    """

    def __init__(self, *, bytes: int, number: int, depth: int, seed: int) -> None:
        self.bytes, self.number, self.depth = bytes, number, depth
        self.rng, self.now = Random(seed), 0
        self.model = Model(1, depth=depth)
        self.offers = False
        self.after_reset = {"source__tready": 1}

    def component(self) -> Registered:
        """Return the queue; its tdest means something while a beat is offered."""
        inner = PacketQueue(bytes=self.bytes, number=self.number, depth=self.depth)
        return Registered(inner, {"tdest": "stream__tvalid"})

    def clock(self) -> tuple[Ports, Ports]:
        """Let the user offer a beat, and the sender take one; return what is given and seen."""
        rng, model = self.rng, self.model
        if self.now % PHASE == 0:
            self.busy, self.takes = rng.choice(BUSY), rng.choice(BUSY)
            self.last = rng.choice(LAST)
        self.now += 1
        if not self.offers:
            self.data, self.dest = rng.getrandbits(8 * self.bytes), rng.getrandbits(self.number)
            self.keep, self.error = rng.getrandbits(self.bytes), rng.getrandbits(1)
            self.ends = rng.random() < self.last
            self.offers = rng.random() < self.busy
        ready = rng.random() < self.takes
        given = {
            "source__tvalid": int(self.offers),
            "stream__tready": int(ready),
            "dest": self.dest,
            **beat_ports("source", Beat(self.data, self.keep, self.ends, self.error), self.bytes),
        }
        accepts, valid = bool(model.ready[0]), bool(model.valid[0])
        seen = {"source__tready": int(accepts), "stream__tvalid": int(valid)}
        if valid:
            beats, dest, _ = model.front
            data, keep, error = int(beats.data[0]), int(beats.last_byte[0]), int(beats.error[0])
            front = Beat(data, keep, bool(beats.last[0]), error)
            seen |= {"tdest": int(dest[0]), **beat_ports("stream", front, self.bytes)}
        taken = self.offers and accepts
        values = self.data, self.ends, self.keep, self.error, 0  # kept as they are
        beats = Beats._make(np.array([value]) for value in values)
        numbers = np.array([self.dest]), np.array([0])
        model.step(np.array([taken]), beats, *numbers, np.array([valid and ready]))
        seen["dropped"] = int(model.dropped[0])
        self.offers = self.offers and not taken
        return given, seen


class EndpointStimulus(Stimulus):
    """Endpoints and a terminal.

    Parameters
    ----------
    endpoints, bytes, number, seed : int
    """

    def __init__(self, *, endpoints: int, bytes: int, number: int, seed: int) -> None:
        self.sizes = {"endpoints": endpoints, "bytes": bytes, "number": number}
        self.endpoints, self.bytes, self.number = endpoints, bytes, number
        self.rng, self.now = Random(seed), 0


class ConcentratorStimulus(EndpointStimulus):
    """A concentrator between endpoints and a terminal."""

    def __init__(self, *, endpoints: int, bytes: int, number: int, seed: int) -> None:
        super().__init__(endpoints=endpoints, bytes=bytes, number=number, seed=seed)
        self.model = golden.Concentrator(endpoints, bytes=bytes)
        self.offers: list[Beat | None] = [None] * endpoints
        self.dest = [0] * endpoints
        self.middle = [False] * endpoints  # of a packet
        self.after_reset = {}

    def component(self) -> Registered:
        """Return a concentrator; its tdest means something while a beat is sent."""
        return Registered(Concentrator(**self.sizes), {"tdest": "stream__tvalid"})

    def _beat(self) -> Beat:
        rng, bytes = self.rng, self.bytes
        data, keep, user = (rng.getrandbits(width) for width in (8 * bytes, bytes, 1))
        return Beat(data, keep, rng.random() < 0.4, user)

    def clock(self) -> tuple[Ports, Ports]:
        """Let endpoints offer beats; return what is given and seen."""
        rng, width = self.rng, self.number + self.model.layout["source"].width
        if self.now % PHASE == 0:
            self.busy = [rng.choice(BUSY) for _ in range(self.endpoints)]
            if rng.random() < 0.5:  # one alone
                one = rng.randrange(self.endpoints)
                self.busy = [chance * (e == one) for e, chance in enumerate(self.busy)]
            self.takes = rng.choice(BUSY)
        self.now += 1
        for e, offer in enumerate(self.offers):
            if offer is None and rng.random() < self.busy[e]:
                self.offers[e] = self._beat()
                if not self.middle[e]:
                    self.dest[e] = rng.getrandbits(width)
        ready = rng.random() < self.takes
        offered = self.model.offered(self.offers)
        taken = self.model.taken(ready=ready)
        given = {
            "sources__tvalid": sum((o is not None) << e for e, o in enumerate(self.offers)),
            "dest": sum(to << e * width for e, to in enumerate(self.dest)),
            "stream__tready": int(ready),
        }
        for e, offer in enumerate(self.offers):
            for name, value in beat_ports("sources", offer or self._beat(), self.bytes).items():
                size = {"tdata": 8 * self.bytes, "tkeep": self.bytes}.get(name.split("__")[1], 1)
                given[name] = given.get(name, 0) | value << e * size
        seen = {
            "stream__tvalid": int(offered is not None),
            "sources__tready": 0 if taken is None else 1 << taken,
        }
        if offered is not None:
            seen |= beat_ports("stream", offered, self.bytes) | {"tdest": self.model.node}
        offers = list(self.offers)
        if taken is not None and (beat := offers[taken]) is not None:
            self.offers[taken] = None
            self.middle[taken] = not beat.last
        self.model.step(offers, self.dest, ready=ready)
        return given, seen


class DistributorStimulus(EndpointStimulus):
    """A distributor between a terminal and endpoints; some packets have lost their first beats."""

    def __init__(self, *, endpoints: int, bytes: int, number: int, seed: int) -> None:
        super().__init__(endpoints=endpoints, bytes=bytes, number=number, seed=seed)
        self.model = golden.Distributor(endpoints)
        self.beats: list[Beat] = []
        self.after_reset = {"stream__tready": 1}

    def component(self) -> Registered:
        """Return a distributor."""
        return Registered(Distributor(**self.sizes), {})

    def _packet(self) -> list[Beat]:
        rng, bytes = self.rng, self.bytes
        source = rng.getrandbits(self.number) << 1
        layout, whole = first_beat(self.endpoints), (1 << bytes) - 1
        to, of = rng.randrange(self.endpoints), rng.randrange(self.endpoints)
        beats = [Beat(int(layout.join(destination=to, source=of)), whole, False, source)]
        beats += [
            Beat(rng.getrandbits(8 * bytes), whole, False, source) for _ in range(rng.randrange(4))
        ]
        data, keep, error = (rng.getrandbits(width) for width in (8 * bytes, bytes, 1))
        last = Beat(data, keep, True, source | error)
        return [*beats, last] if rng.random() < 0.9 else [last._replace(user=source | 1)]

    def clock(self) -> tuple[Ports, Ports]:
        """Let the terminal offer beats; return what is given and seen."""
        rng, model = self.rng, self.model
        if self.now % PHASE == 0:
            self.busy, *self.takes = (rng.choice(BUSY) for _ in range(self.endpoints + 1))
            self.comes = False
        self.now += 1
        self.beats = self.beats or self._packet()
        self.comes = self.comes or rng.random() < self.busy
        beat = self.beats[0]
        ready = [rng.random() < chance for chance in self.takes]
        offered = model.offered(beat if self.comes else None)
        given = {
            "stream__tvalid": int(self.comes),
            **beat_ports("stream", beat, self.bytes),
            "sinks__tready": sum(bit << e for e, bit in enumerate(ready)),
        }
        taken = model.taken(beat, ready)
        seen = {
            "stream__tready": int(taken),
            "sinks__tvalid": 0 if offered is None else 1 << model.chosen,
        }
        if offered is not None:
            width = self.number + model.layout["source"].width + 1
            sizes = {"tdata": 8 * self.bytes, "tkeep": self.bytes, "tlast": 1, "tuser": width}
            for name, value in beat_ports("sinks", offered, self.bytes).items():
                seen[name] = value << model.chosen * sizes[name.split("__")[1]]
        model.step(beat if self.comes else None, ready)
        if self.comes and taken:
            self.beats.pop(0)
            self.comes = False
        return given, seen
