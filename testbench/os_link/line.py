"""Frames both ways over many links at once, each of them with one fault on a wire.

A fault is one wire of a link inverted for one bit time, at a time and in a direction by chance.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from amaranth.lib.crc.catalog import CRC16_IBM_3740

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.link import OsLink, OsLinkParameters
from fingerpost.golden.link.frame import FrameReader, encode

__all__ = [
    "ROUTE_BYTES",
    "Effect",
    "Links",
    "Traffic",
    "Verdict",
    "effects",
    "first_wrong",
    "judge",
    "traffic",
]

ROUTE_BYTES = 2

BREAK = -1
"""Stands for a break among the bytes that a port receives."""


class Effect(StrEnum):
    """What a fault does to the bytes of a link, both directions together."""

    NONE = "no effect"
    FLAG = "all bytes right, but an error flag"
    WRONG = "wrong byte, no flag"
    WRONG_FLAG = "wrong byte, and a flag"
    COUNT = "byte lost or doubled, no flag"
    COUNT_FLAG = "byte lost or doubled, and a flag"
    HANG = "hang, no flag"
    HANG_FLAG = "hang, and a flag"


@dataclass(frozen=True)
class Traffic:
    """What the ports send: frames, back to back.

    Attributes
    ----------
    frames : list of lists of bytes
        The frames of each port.
    data : (ports, bytes) array
    size : array
        How many bytes each port sends.
    following : (ports, bytes + 1) array
        Where the first frame starts that does not start before this byte.
    """

    frames: list[list[bytes]]
    data: IntArray
    size: IntArray
    following: IntArray


def traffic(ports: int, *, count: int, longest: int, seed: int) -> Traffic:
    """Return frames of 0 to `longest` random bytes of payload, `count` for each port."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, longest + 1, (ports, count)).tolist()
    encoded = [
        [encode(rng.bytes(ROUTE_BYTES), rng.bytes(length)) for length in port] for port in lengths
    ]
    size = np.array([sum(map(len, port)) for port in encoded])
    data = np.zeros((ports, size.max() + 1), np.int64)
    following = np.zeros((ports, size.max() + 1), np.int64)
    for port, each in enumerate(encoded):
        data[port, : size[port]] = np.frombuffer(b"".join(each), np.uint8)
        starts = np.cumsum([0, *map(len, each)])
        following[port] = starts[np.searchsorted(starts, np.arange(size.max() + 1)).clip(max=count)]
    return Traffic(encoded, data, size, following)


class Links:
    """Pairs of ports on one clock: p and p + lanes. Receivers are always ready.

    Parameters
    ----------
    parameters : OsLinkParameters
        With `breaks` a frame that is neither good nor poison requests one, and so does a timeout.
    traffic : Traffic
    seed : int
        Of the faults.
    window : (first, end)
        The clocks in which faults start.

    Attributes
    ----------
    hit : array of int
        For each port, the clock in which the wire from it is inverted first; -1: never.
    received : (ports, bytes) array
        What came to each port, with `BREAK` for a break.
    got : array
        How much that is.
    flags : array
        The errors that each port has seen, a bit for each of `ERRORS`.
    asked : array of bool
        Ports that requested a break in the last clock.
    """

    def __init__(
        self,
        parameters: OsLinkParameters,
        traffic: Traffic,
        *,
        seed: int,
        window: tuple[int, int],
    ) -> None:
        self.parameters, self.traffic = parameters, traffic
        self.ports = len(traffic.size)
        self.lanes = self.ports // 2
        self.each = np.arange(self.ports)
        rng = np.random.default_rng(seed)
        direction, moment = rng.integers(0, 2, self.lanes), rng.integers(*window, self.lanes)
        here = self.each // self.lanes == np.tile(direction, 2)
        self.hit = np.where(here, np.tile(moment, 2), -1)
        self.link = OsLink(self.ports, parameters)
        self.at, self.got, self.flags = np.zeros((3, self.ports), np.int64)
        # Nothing is received much more often than it was sent.
        self.received = np.zeros((self.ports, traffic.data.shape[1] + 100), np.int64)
        self.readers = [FrameReader(ROUTE_BYTES) for _ in range(self.ports)]
        self.asked = np.zeros(self.ports, np.bool_)
        self.clock = 0

    def inputs(self) -> tuple[BoolArray, IntArray, BoolArray, BoolArray]:
        """Return the wires into the ports, the bytes to send, if any, and the readers."""
        n, hit = self.parameters.clocks_per_bit, self.hit
        inverted = (hit >= 0) & (hit <= self.clock) & (self.clock < hit + n)
        link_in = np.roll(self.link.link_out ^ inverted, self.lanes)
        calm = ~self.link.link_break
        return link_in, self.traffic.data[self.each, self.at], self.unsent & calm, calm

    @property
    def unsent(self) -> BoolArray:
        """Return which ports have not given all their bytes."""
        return self.at < self.traffic.size

    def asks(self) -> BoolArray:
        """Let the readers accept their bytes of this clock; return those that request a break."""
        link = self.link
        wanted = link.err_timeout.copy()
        takes = np.flatnonzero(link.rx_valid & ~link.link_break)
        self._record(takes, link.rx_data[takes])
        if self.parameters.breaks:
            broken = np.flatnonzero(link.link_break)
            self._record(broken, np.full(len(broken), BREAK))
            for port in broken.tolist():
                self.readers[port].reset()
            for port, byte in zip(takes.tolist(), link.rx_data[takes].tolist(), strict=True):
                before = self.readers[port].lost
                self.readers[port].push(byte)
                wanted[port] |= self.readers[port].lost > before
        return wanted

    def _record(self, ports: IntArray, values: IntArray) -> None:
        self.received[ports, self.got[ports]] = values
        self.got[ports] += 1

    def step(self) -> None:
        """Go through a clock edge."""
        link = self.link
        link_in, data, valid, ready = self.inputs()
        self.asked = self.asks()
        sends, broken = link.tx_ready & valid, link.link_break
        self.flags |= link.errors
        # A writer gives up the frame that a break has cut.
        self.at = np.where(broken, self.traffic.following[self.each, self.at], self.at + sends)
        link.step(link_in, data, valid, ready, self.asked)
        self.clock += 1

    def run(self, limit: int) -> None:
        """Go on until all is sent and has arrived, but not beyond the clock `limit`."""
        rest = 40 * self.parameters.clocks_per_bit
        while self.clock < limit and rest:
            self.step()
            rest = 40 * self.parameters.clocks_per_bit if self.unsent.any() else rest - 1


def effects(links: Links) -> list[Effect]:
    """Return what happened to the bytes of each link; without breaks, and after `run`."""
    size, lanes = links.traffic.size, links.lanes
    other = np.roll(links.each, lanes)  # the sender to each port
    count = links.got != size[other]

    def either(what: BoolArray) -> BoolArray:
        found: BoolArray = what[:lanes] | what[lanes:]
        return found

    flag = either(links.flags != 0)
    problems = [either(links.unsent), either(count), either(first_wrong(links) < size[other])]
    kinds = np.select(problems, [3, 2, 1], default=0)
    names = list(Effect)
    return [names[2 * kind + bit] for kind, bit in zip(kinds.tolist(), flag.tolist(), strict=True)]


def first_wrong(links: Links) -> IntArray:
    """Return the number of the first byte that each port received wrong; else a large number."""
    sent = links.traffic.data[np.roll(links.each, links.lanes)]
    width = sent.shape[1]
    # Ports that send breaks begin with one.
    got = np.where(links.received[:, :1] == BREAK, links.received[:, 1:], links.received[:, :-1])
    wrong = (got[:, :width] != sent) & (np.arange(width) < links.got[:, None])
    return np.where(wrong.any(1), wrong.argmax(1), 1 << 30)


@dataclass
class Verdict:
    """What a frame's reader made of what came over one direction of a link.

    Attributes
    ----------
    bad : int
        Frames that did not pass.
    missing : int
        Frames that were sent, but did not pass, or not as they were sent.
    false : int
        Frames that passed, but were not sent.
    collisions : int
        Of these, those that have the CRC of what they are: nothing could have found them.
    complete : bool
        The last frame that was sent has passed.
    """

    bad: int = 0
    missing: int = 0
    false: int = 0
    collisions: int = 0
    complete: bool = False


def judge(links: Links) -> list[Verdict]:
    """Return what became of the frames that were sent to each port."""
    verdicts = []
    for port in range(links.ports):
        sent = links.traffic.frames[(port + links.lanes) % links.ports]
        verdicts.append(_verdict(links.received[port, : links.got[port]].tolist(), sent))
    return verdicts


def _verdict(received: list[int], sent: list[bytes]) -> Verdict:
    reader, verdict, place, begun = FrameReader(ROUTE_BYTES), Verdict(), 0, 0
    for at, byte in enumerate(received):
        tokens = reader.reset() if byte == BREAK else reader.push(byte)
        if not (tokens and tokens[-1].last) and byte != BREAK:
            continue
        frame, begun = bytes(each for each in received[begun : at + 1] if each != BREAK), at + 1
        if not tokens:
            continue
        if tokens[-1].bad:
            verdict.bad += 1
        elif frame in sent[place:]:
            found = sent.index(frame, place)
            verdict.missing += found - place
            place = found + 1
        else:
            verdict.false += 1
            # Another implementation than that of the reader.
            due: int = CRC16_IBM_3740().compute(frame[:-2])
            verdict.collisions += due == int.from_bytes(frame[-2:], "little")
    verdict.missing += len(sent) - place
    verdict.complete = place == len(sent)
    return verdict
