"""Programs that answer requests with bounded memory: what message classes are for.

A terminal runs one program, which sends requests as long as it can, and else answers one of those
that have come. While it waits to send the reply it takes no further request and sends none. Its
receive queue is as deep as its credits. With one message class replies wait behind requests there;
with two, requests are of class 0 and replies of class 1, and replies are always taken.
"""

from collections import deque
from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.model.model import Model
from fingerpost.golden.network.network import Network

__all__ = ["Answered", "request_reply"]

IDLE = 2000
"""Cycles without a flit that is taken or sent after which the network has locked."""

REPLY = 1
"""The bit of a tag that marks a reply; the bits above it are the sending terminal."""


class Answered(NamedTuple):
    """What came of a run: the replies that were taken, those that must be, and the cycles."""

    replies: int
    wanted: int
    cycles: int

    @property
    def locked(self) -> bool:
        """Return whether replies are missing for ever."""
        return self.replies < self.wanted


class Program:
    """What runs at one terminal."""

    def __init__(self, network: Network, node: int, requests: int) -> None:
        terminals = network.topology.terminals.tolist()
        others = [to for to in terminals if to != node]
        shift = terminals.index(node)
        self.left = deque((others[shift:] + others[:shift]) * requests)
        self.node, self.reply_class = node, network.classes - 1
        self.credits = [network.terminal_depth] * network.classes
        self.received: list[deque[int]] = [deque() for _ in range(network.classes)]
        self.owes = -1  # the terminal that gets a reply, if any
        self.replies = 0

    def take(self) -> list[int]:
        """Take a packet of each class if it can be; return the classes."""
        taken = []
        busy = self.owes >= 0 or (self.left and self.credits[0])
        for message_class, queue in enumerate(self.received):
            if not queue or (busy and not queue[0] & REPLY):
                continue
            tag = queue.popleft()
            taken.append(message_class)
            if tag & REPLY:
                self.replies += 1
            else:
                self.owes = tag >> 1
        return taken

    def send(self) -> tuple[int, int, int] | None:
        """Return destination, class and kind of the packet that is sent, if any."""
        if self.owes >= 0:
            if not self.credits[self.reply_class]:
                return None
            to, self.owes = self.owes, -1
            self.credits[self.reply_class] -= 1
            return to, self.reply_class, REPLY
        if not self.left or not self.credits[0]:
            return None
        self.credits[0] -= 1
        return self.left.popleft(), 0, 0


def request_reply(network: Network, requests: int) -> Answered:
    """Send so many requests from each terminal to each other; go on until all is over, or stuck.

    Packets have one flit.

    Raises
    ------
    ValueError
        If the network has more than two message classes.
    """
    if network.classes > 2:
        raise ValueError(f"Request-reply needs one or two classes, not {network.classes}")
    model, classes = Model(network), network.classes
    programs = {v: Program(network, v, requests) for v in network.topology.terminals.tolist()}
    wanted = sum(len(program.left) for program in programs.values())
    idle = now = done = 0
    while idle < IDLE and done < wanted:
        for channel in model.injection_credit.tolist():
            programs[channel // classes].credits[channel % classes] += 1
        out = model.ejected
        for place, channel, tag in zip(out.port_index, out.channel, out.tag, strict=True):
            programs[int(place) // model.ports].received[int(channel)].append(int(tag))
        back = [v * classes + c for v, program in programs.items() for c in program.take()]
        sent = [(v, *what) for v, program in programs.items() if (what := program.send())]
        model.step(_flits(network, sent), np.array(back, np.int64))
        done = sum(program.replies for program in programs.values())
        idle = 0 if back or sent else idle + 1
        now += 1
    return Answered(done, wanted, now)


def _flits(network: Network, sent: list[tuple[int, int, int, int]]) -> Flits:
    """Return packets of one flit."""
    rows: IntArray = np.array(sent, np.int64).reshape(-1, 4)
    source, destination, message_class, kind = rows.T
    ones, local = np.ones(len(rows), np.bool_), network.topology.local
    header = network.routing.encode(source, destination)
    place = source * (local + 1) + local
    return Flits(place, message_class, ones, ones, header, source << 1 | kind)
