"""Programs behind OS-Links of their own, in a model: they send messages, and take bytes."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.link.os_link import OsLink
from fingerpost.golden.link.parameters import OsLinkParameters

PAUSE = 40
"""Bit times of a pause at most; a program that does not pause needs some 13 for a byte."""


class Said(NamedTuple):
    """Events of a clock: programs that began a message, ended one, took a byte."""

    began: list[int]
    ended: list[int]
    heard: list[tuple[int, int]]


class Programs:
    """A program for each terminal, with pauses by chance.

    Parameters
    ----------
    terminals : int
    link : OsLinkParameters
        Of their ports.
    timeout : int
        Clocks of which their pauses are a third at most; 0: of any length.
    stall : float
        Probability of a pause before each byte, of senders and of receivers.
    seed : int

    Attributes
    ----------
    talks, silent : arrays of bool
        Programs in a message, and programs that stopped in the middle of one.
    deaf : array
        The clocks for which a program takes nothing.
    """

    def __init__(
        self, terminals: int, link: OsLinkParameters, *, timeout: int, stall: float, seed: int
    ) -> None:
        self.port = OsLink(terminals, replace(link, timeout=0))
        longest = PAUSE * link.clocks_per_bit
        self.longest = min(longest, timeout // 3) if timeout else longest
        self.stall, self.rng = stall, np.random.default_rng(seed)
        self.said = [b""] * terminals
        self.index, self.stop_at, self.byte, self.pause, self.deaf = np.zeros(
            (5, terminals), np.int64
        )
        self.talks, self.silent = np.zeros((2, terminals), np.bool_)

    @property
    def wires(self) -> BoolArray:
        """Return what they have on their wires."""
        return self.port.link_out

    def begin(self, node: int, message: bytes, *, stop_at: int) -> None:
        """Let a program send a message; it falls silent after `stop_at` bytes, if that is not 0."""
        self.said[node], self.stop_at[node] = message, stop_at
        self.talks[node], self.index[node], self.byte[node] = True, 0, message[0]

    def step(self, wires: BoolArray) -> Said:
        """Go through a clock edge; `wires` are those to them."""
        port, word = self.port, self.byte.copy()
        speaks, listens = self.talks & (self.pause == 0), self.deaf == 0
        self.pause, self.deaf = np.maximum(self.pause - 1, 0), np.maximum(self.deaf - 1, 0)
        began, ended = self._talk(np.flatnonzero(speaks & port.tx_ready).tolist())
        takers = np.flatnonzero(listens & port.rx_valid).tolist()
        heard = [(node, int(port.rx_data[node])) for node in takers]
        for node in takers:
            self.deaf[node] = self._drawn()
        port.step(wires, word, speaks, listens)
        return Said(began, ended, heard)

    def _talk(self, taken: list[int]) -> tuple[list[int], list[int]]:
        """Let programs whose byte was taken go on to the next one, or stop."""
        began, ended = [], []
        for node in taken:
            self.index[node] += 1
            if self.index[node] == 1:
                began.append(node)
            if self.index[node] == self.stop_at[node]:
                self.silent[node], self.talks[node] = True, False
            elif self.index[node] == len(self.said[node]):
                self.talks[node] = False
                ended.append(node)
            else:
                self.byte[node] = self.said[node][self.index[node]]
            self.pause[node] = self._drawn()
        return began, ended

    def _drawn(self) -> int:
        """Return the clocks of a pause, 0 where there is none."""
        if not self.stall or self.rng.random() >= self.stall:
            return 0
        return int(self.rng.integers(1, self.longest + 1))
