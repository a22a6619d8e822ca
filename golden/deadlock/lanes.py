"""Lanes: channels beyond those of the proof, side by side with them."""

from dataclasses import dataclass

import numpy as np

from fingerpost.golden.arrays import IntArray


@dataclass(frozen=True)
class Lanes:
    """How the virtual channels of a link are shared out among the classes of the proof.

    The proof that a network cannot deadlock needs some classes, through which a packet moves up. A
    class may have several channels, its lanes, which come one after the other. A packet keeps its
    lane where it can; the terminal gives its packets the lanes of class 0 in turn, or, with one
    message class, the first one that is free. With several, a head that is not the candidate could
    miss each lane as it gets free. What closes no cycle among classes closes none among lanes.

    Where classes have lanes, routers arbitrate by packet, so that an input with many packets on
    the way gets no more than one with few: an input goes on with its candidate's packet while it
    can, and then takes one for another output if it has one; an output serves first the input whose
    last packet ended first.

    Message classes have all of this once each: copy k has the k-th part of the channels, and no
    packet moves from one copy to another.

    Raises
    ------
    ValueError
        If there are fewer channels than classes, no class, or no copy.
    """

    classes: int
    """The channels that the proof needs."""
    channels: int
    """The channels of a copy, at least as many."""
    copies: int = 1
    """The message classes."""

    def __post_init__(self) -> None:
        if not 1 <= self.classes <= self.channels:
            raise ValueError(
                f"Lanes needs 1 <= classes <= channels, not {self.classes} and {self.channels}"
            )
        if self.copies < 1:
            raise ValueError(f"Lanes needs at least 1 copy, not {self.copies}")

    @property
    def all_channels(self) -> int:
        """Return the virtual channels of a link: those of all copies."""
        return self.copies * self.channels

    @property
    def spare(self) -> bool:
        """Return whether some class has several lanes."""
        return self.channels > self.classes

    @property
    def count(self) -> IntArray:
        """Return the lanes of each class of a copy; the lower ones have one more if it is not even.

        Lower classes are those that more packets use: each begins in class 0.
        """
        share, more = divmod(self.channels, self.classes)
        return share + (np.arange(self.classes) < more).astype(np.int64)

    @property
    def first(self) -> IntArray:
        """Return the first channel of each class of copy 0."""
        return self.count.cumsum() - self.count

    @property
    def next_vc(self) -> IntArray:
        """Return for each channel of a link the one after a VC increment: a class up, if any."""
        own = np.repeat(np.arange(self.classes), self.count)
        lane = np.arange(self.channels) - self.first[own]
        up = np.minimum(own + 1, self.classes - 1)
        next_vc: IntArray = np.where(
            up > own, self.first[up] + lane % self.count[up], self.first[own] + lane
        )
        copy = np.repeat(np.arange(self.copies), self.channels)
        return np.tile(next_vc, self.copies) + copy * self.channels
