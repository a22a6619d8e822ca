"""A queue of complete packets between a user and a sender, which do as they like."""

from random import Random

import numpy as np

from fingerpost.golden.terminal.axi_sender import Beats
from fingerpost.golden.terminal.endpoints import Beat
from fingerpost.golden.terminal.packet_queue import PacketQueue as Model
from fingerpost.hdl.terminal.packet_queue import PacketQueue
from fingerpost.testbench.terminals.registered import Registered
from fingerpost.testbench.terminals.stimulus import BUSY, PHASE, Ports, Stimulus, beat_ports

__all__ = ["PacketQueueStimulus"]

LAST = 1.0, 0.5, 0.2, 0.05
"""Chances that a beat is the last of its packet."""


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
