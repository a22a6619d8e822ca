"""Routing in super rotator graphs, class by class (super-rotator-1996 leaves it open)."""

from math import factorial
from typing import Annotated, Literal

import numpy as np

from fingerpost.golden.algebra.group import permutations
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.header import Field, Layout, bits
from fingerpost.golden.parameters import Parameter, ParameterError, check_choices
from fingerpost.golden.routing.base import Decision, Routing, Straps
from fingerpost.golden.routing.rotator import places, renamed, rotation
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.rotator import SuperRotator

STAY, DOWN, UP, HERE = range(4)
"""The stages of a packet: what it does at its goal, or at once; see `ClassRouting`."""

FACTORIAL = np.array([factorial(i) for i in range(13)])

LARGEST = 20_000_000
"""More letters of straps are refused: they would fill a workstation."""


class ClassRouting(Routing):
    """Within a class as in a rotator graph; between classes over one type B link.

    Class i routes as R_(i+1) does, on its first i + 1 letters, except that a link g_(i+1) to a
    component that does not exist is replaced by g_k: the letter waits behind the others. A packet
    for a higher class first takes a type B link to that leader. A packet for a lower class goes to
    a type B predecessor of its destination, then over the link. Every route has at most 2n hops.

    The terminal names the destination by its vertex number. Header generation looks up the label of
    the goal, the node to reach in the class, and chooses the type B link. So a router has its
    ROMs at its terminal, and the routing units only rename letters by the header.
    On the way only the stage in the header changes: go to the goal and stay; go to the
    goal, then down; go up now; here.

    The letters of class i are named 0..i here, in their order, and stand at the places 0..i; then
    component c is the one of letter c. The letters that all of the class share keep their places.

    Parameters
    ----------
    topology : SuperRotator
    link : "min" or "first"
        The type B link to take: the first of those with the shortest way in the class, or the
        first of all, which spares header generation the comparison.

    Attributes
    ----------
    letters, place : (N, n+1)
        The label of every node within its class, and the place of every letter in it.
    compared : list of int
        The ports of type B links of which header generation has to choose one.

    Raises
    ------
    ValueError
        If `topology` is no super-rotator network, `link` is neither, or there are too many
        labels to hold.
    """

    algorithm = "class"
    families = ("super-rotator",)
    header_cycles = 2

    topology: SuperRotator

    def __init__(
        self,
        topology: Topology,
        *,
        link: Annotated[
            Literal["min", "first"],
            Parameter("Which link leads to a higher class: the nearest, or the first."),
        ] = "min",
    ) -> None:
        self.topology = topology = self._only(topology, SuperRotator)
        check_choices(ClassRouting, self.title, link=link)
        self.link = link
        n, nodes = topology.n, topology.nodes
        if nodes * n * (n + 1) > LARGEST:
            raise ParameterError(
                "algorithm",
                f"Class routing needs at most {LARGEST} letters at the ends of type B links, "
                f"not N n (n+1) = {nodes}*{n}*{n + 1} = {nodes * n * (n + 1)}",
            )
        self.letters = np.tile(np.arange(n + 1), (nodes, 1))
        for i in np.flatnonzero(topology.counts).tolist():
            members = np.arange(topology.base[i], topology.end[i])
            self.letters[members, : i + 1] = permutations(members - topology.base[i], i + 1) - 1
        self.place = places(self.letters)
        self.compared = [
            port
            for i in np.flatnonzero((topology.b_links > 1) & (link == "min")).tolist()
            for port in range(topology.lower[i] - 1, i - 1)
        ]
        heads = self._heads()

        number, letter, port = bits(nodes), bits(n + 1), bits(n - 1)
        first = 2 + port
        self.header = Layout(
            {
                "destination": Field(0, number, "from the terminal: the vertex number"),
                "stage": Field(0, 2, "0 stay at the goal, 1 then go down, 2 go up now, 3 here"),
                "link": Field(2, port, "the port of the type B link to go up by"),
                **{
                    f"place{a}": Field(
                        first + a * letter, letter, f"place of letter {a} in the goal"
                    )
                    for a in range(n + 1)
                },
            }
        )
        across = self.letters[:, 0] < topology.counts[topology.node_class]
        straps = {
            "class": (letter, "the class i", topology.node_class),
            "across": (1, "whether a type A link leads away from here", across.astype(np.int64)),
        }
        for t in range(n + 1):
            straps[f"letter{t}"] = (letter, f"the letter at place {t}", self.letters[:, t])
        for p in self.compared:
            for t in range(n + 1):
                what = f"if port {p} goes up: the letter at place {t} of the node behind it"
                straps[f"head{p}_{t}"] = (letter, what, heads[:, p, t])
        self.straps = Straps(straps)

    def _heads(self) -> IntArray:
        """Return the labels behind the links up, 0 for other ports; shape (N, n-1, n+1)."""
        topology = self.topology
        port = np.arange(topology.n - 1)
        up = port >= topology.node_class[:, None] - 1
        return np.where(up[..., None], self.letters[topology.neighbour[:, port]], 0)

    def tails(self, i: int) -> IntArray:
        """Return the nodes whose type B links lead down from class i; shape (lower nodes, links).

        Of the links to a lower node there are those that may be chosen.
        """
        topology = self.topology
        links = int(topology.b_links[i])
        place = np.arange((topology.nodes - topology.end[i]) * links).reshape(-1, links)
        nodes: IntArray = topology.base[i] + FACTORIAL[i] - 1 - place
        return nodes if self.link == "min" else nodes[:, :1]

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return the vertex number of `destination`; the source does not matter."""
        return self.header.pack(destination=np.asarray(destination))

    def _hops(self, start: IntArray, goal: IntArray) -> IntArray:
        """Return the hops from `start` to `goal`, two nodes of one class."""
        i = self.topology.node_class[start]
        letters = self.letters[start]
        label = renamed(self.place[goal], letters)
        exists = letters < self.topology.counts[i][..., None]
        hops, _ = rotation(label)
        waiting = np.arange(label.shape[-1]) < hops[..., None]
        # A letter that should go to the last place, but cannot, waits for another turn.
        last = np.take_along_axis(label, i[..., None], axis=-1)[..., 0]
        extra = np.zeros_like(hops)
        for t in range(label.shape[-1]):
            beyond = waiting[..., t] & (label[..., t] > last)
            extra += beyond & ~exists[..., t]
            last = np.where(beyond & exists[..., t], label[..., t], last)
        return hops + extra

    @property
    def sent(self) -> tuple[str, ...]:
        return ("destination",)

    def generate_header(self, node: IntArray, header: IntArray) -> tuple[IntArray, IntArray]:
        """Look up the label of the goal, and choose the type B link."""
        topology = self.topology
        destination = self.header.cut("destination", header)
        error = destination >= topology.nodes
        destination = np.minimum(destination, topology.nodes - 1)
        i, j = topology.node_class[node], topology.node_class[destination]
        up, down = i < j, i > j
        high = np.maximum(i, j)
        links = np.where(up | down, topology.b_links[high], 1)
        # The lower node's type B links, counted from the first of all that meet this leader.
        first = (np.where(up, node, destination) - topology.end[high]) * links
        top = topology.base[high] + FACTORIAL[high] - 1

        choice = np.zeros_like(destination)
        goal, fewest = destination, np.full_like(destination, 4 * topology.n)
        for s in range(1 if self.link == "first" else int(topology.b_links.max(initial=1))):
            start = np.where(up, topology.base[high] + first + s, node)
            end = np.where(down, top - first - s, destination)
            there = s < links
            hops = self._hops(np.where(there, start, node), np.where(there, end, node))
            better = there & (hops < fewest)
            choice, goal = np.where(better, s, choice), np.where(better, end, goal)
            fewest = np.where(better, hops, fewest)
        stage = np.where(up, UP, np.where(down, DOWN, STAY))
        link = np.where(up, topology.lower[j] - 1 + choice, 0)
        return self._pack(stage, link, self.place[goal]), error.astype(np.int64)

    def _pack(self, stage: IntArray, link: IntArray, place: IntArray) -> IntArray:
        places = {f"place{a}": place[..., a] for a in range(place.shape[-1])}
        return self.header.join(stage=stage, link=link, **places)

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Decide by the stage, and by the longest increasing suffix of the renamed label."""
        topology = self.topology
        n, i = topology.n, topology.node_class[node]
        stage, link = self.header.cut("stage", header), self.header.cut("link", header)
        place = [self.header.cut(f"place{a}", header) for a in range(n + 1)]

        k, length = rotation(renamed(np.stack(place, axis=-1), self.letters[node]))
        length = np.where((length > i) & (self.straps.value("across")[node] == 0), k, length)
        port = np.where(length > i, topology.a_port, np.maximum(length - 2, 0))
        arrived = k == 0
        port = np.where(arrived, np.where(stage == DOWN, topology.b_port, topology.local), port)
        port = np.where(stage == UP, link, np.where(stage == HERE, topology.local, port))

        after = np.where(stage == UP, STAY, np.where((stage == DOWN) & arrived, HERE, stage))
        return Decision(port, header - stage + after, np.zeros_like(header))

    def on_arrival(self) -> dict[str, str]:
        """Return what the header holds at its destination: what is left of the goal's letters."""
        return dict.fromkeys(self.header, "undefined")

    def constants(self) -> dict[str, object]:
        return {"link": self.link}

    def table_bits(self) -> dict[str, int]:
        """Return the bits of the ROMs at the terminal: labels of the nodes, and at type B links."""
        letter = bits(self.topology.n + 1)
        present = np.flatnonzero(self.topology.counts)[1:].tolist()
        return {
            "labels": self.place.size * letter,
            "tails": sum(self.tails(i).size * (i + 1) * letter for i in present),
        }
