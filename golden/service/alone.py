"""Routers of the model, each alone: what they send is taken, what they get is made, by hand."""

import numpy as np

from fingerpost.golden.flit import Flits
from fingerpost.golden.model.model import Model
from fingerpost.golden.network.network import Network
from fingerpost.golden.service.neighbours import Neighbours


class Alone:
    """All routers of a network side by side, none linked to another.

    Before each step `neighbours` replaces the flits and credits on all links. So routers are
    isolated, and one model tries many routers at once.

    Raises
    ------
    ValueError
        If the routers are linked by OS-Links.
    """

    def __init__(self, network: Network, neighbours: Neighbours) -> None:
        if network.link.jitter_reason:
            raise ValueError(f"Alone needs routers that are wired, not {network.link!r}")
        topology = network.topology
        self.model, self.neighbours = Model(network), neighbours
        self.local, self.ports = topology.local, topology.degree + 1
        self.channels = network.virtual_channels
        self.link_dst = np.arange(
            topology.nodes * self.ports
        )  # the input where an output's link ends
        self.link_src = self.link_dst.copy()  # the output where an input's link starts
        here, by = np.nonzero(topology.neighbour >= 0)
        links = here * self.ports + by
        self.link_dst[links] = (
            topology.neighbour[here, by] * self.ports + topology.arrival_port[here, by]
        )
        self.link_src[self.link_dst[links]] = links
        self.now = 0

    def cycle(self) -> None:
        """Go through one cycle."""
        model, sides, local = self.model, self.neighbours, self.local
        link, ejected = model.link, model.ejected
        place, channel, data = (
            np.concatenate([getattr(link, name), getattr(ejected, name)])
            for name in ("port_index", "channel", "data")
        )
        sides.take(place, channel, data, self.now)
        output, channel = np.divmod(sides.give(self.now), self.channels)
        ejected_to = output // self.ports * model.classes + channel
        linked = output % self.ports != local
        model.credit = self.link_dst[output[linked]] * self.channels + channel[linked]
        sent = sides.send(self.now)
        linked_in = sent.port_index % self.ports != local
        arriving = Flits(*(column[linked_in] for column in sent))
        model.link = arriving._replace(port_index=self.link_src[arriving.port_index])
        injected = Flits(*(column[~linked_in] for column in sent))
        model.step(injected, ejected_to[~linked])
        sides.give_back(model.credit)
        self.now += 1

    def run(self, cycles: int) -> None:
        """Go through many cycles."""
        for _ in range(cycles):
            self.cycle()
