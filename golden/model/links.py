"""What is between the routers: wires, or OS-Links."""

from collections import defaultdict, deque

import numpy as np

from golden.arrays import BoolArray, IntArray
from golden.link import OsLink, OsLinkParameters
from golden.link.cells import CellReceiver, CellSender
from golden.link.os_link import ERRORS
from golden.model.flits import Flits

__all__ = ["FlitLinks", "OsLinks"]


class FlitLinks:
    """Wires: what is on a link arrives in the same cycle."""

    def step(self, flits: Flits, credit: IntArray) -> tuple[Flits, IntArray]:
        """Return what arrives in this cycle of what is sent in this cycle."""
        return flits, credit


class OsLinks:
    """An OS-Link for every link of a network, with what makes bytes of flits and credits.

    Parameters
    ----------
    start, end : arrays
        Of every port of a node, the output at which its link starts and the input at which it
        ends; its own place if it has none.
    parameters : OsLinkParameters
    channels, depth, flit_width : int

    Attributes
    ----------
    places : (links,) array
        The ports that have a link.
    ports : OsLink
        Their OS-Link ports.
    errors : (links,) array
        What each has found wrong so far, a bit for each of `golden.link.cells.LINK_ERRORS`.
    """

    def __init__(
        self,
        start: IntArray,
        end: IntArray,
        parameters: OsLinkParameters,
        *,
        channels: int,
        depth: int,
        flit_width: int,
    ) -> None:
        self.start, self.end, self.channels = start, end, channels
        self.places = np.flatnonzero(end != np.arange(len(end)))
        links = len(self.places)
        self.row = np.full(len(end), -1)
        self.row[self.places] = np.arange(links)
        self.partner = self.row[end[self.places]]
        self.sender = CellSender(links, channels=channels, depth=depth, flit_width=flit_width)
        self.receiver = CellReceiver(links, channels=channels, flit_width=flit_width)
        self.ports = OsLink(links, parameters)
        self.every = np.ones(links, np.bool_)
        self.errors = np.zeros(links, np.int64)
        self.tags: defaultdict[tuple[int, int], deque[int]] = defaultdict(deque)

    @property
    def wires(self) -> BoolArray:
        """Return what each port has on its wire, by `places`."""
        return self.ports.link_out

    def step(self, flits: Flits, credit: IntArray) -> tuple[Flits, IntArray]:
        """Go through one cycle; return what arrives in it.

        Parameters
        ----------
        flits : Flits
            What the outputs of routers send.
        credit : array
            The channels of inputs that give back a credit; those of terminals are left out.

        Returns
        -------
        flits : Flits
            What arrives, `place` being the output at which the link starts.
        credit : array
            The channels of inputs of which a credit arrives at the other end of the link.
        """
        arriving, returned = self._arriving(), self._returned()
        row = self.row[flits.place]
        for link, channel, tag in zip(
            row.tolist(), flits.channel.tolist(), flits.tag.tolist(), strict=True
        ):
            self.tags[link, channel].append(tag)
        inputs, channel = np.divmod(credit, self.channels)
        linked = self.row[inputs] >= 0
        ports, sender, receiver = self.ports, self.sender, self.receiver
        own = receiver.bad_packet | receiver.bad_cell.astype(np.int64) << 1
        self.errors |= ports.errors | own << len(ERRORS)
        byte, valid = sender.byte, sender.valid
        received, arrived = ports.rx_data.copy(), ports.rx_valid
        sender.step((row, *flits[1:5]), (self.row[inputs[linked]], channel[linked]), ports.tx_ready)
        ports.step(ports.link_out[self.partner], byte, valid, self.every)
        receiver.step(received, arrived)
        return arriving, returned

    def _arriving(self) -> Flits:
        receiver = self.receiver
        at = np.flatnonzero(receiver.arrived)
        if not len(at):
            return Flits.none()
        channel = receiver.channel[at]
        origin = zip(self.partner[at].tolist(), channel.tolist(), strict=True)
        tag = np.array([self.tags[each].popleft() for each in origin])
        place = self.places[self.partner[at]]
        return Flits(place, channel, receiver.head[at], receiver.tail[at], receiver.flit[at], tag)

    def _returned(self) -> IntArray:
        link, channel = np.nonzero(self.receiver.credits)
        returned: IntArray = self.end[self.places[link]] * self.channels + channel
        return returned
