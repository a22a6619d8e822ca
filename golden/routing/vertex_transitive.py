"""Vertex-transitive routing on Borel Cayley graphs (vertex-transitivity-1992, Table 2)."""

from operator import attrgetter
from typing import Annotated, Literal

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.header import Field, Layout, bits
from fingerpost.golden.parameters import Parameter, ParameterError, check_choices
from fingerpost.golden.routing.balance import balanced_links, link_load, nearer
from fingerpost.golden.routing.base import Decision, Routing, Straps
from fingerpost.golden.routing.router_cost import by_absolute, by_hop, by_source
from fingerpost.golden.topology.base import Topology, distances
from fingerpost.golden.topology.metacyclic import Metacyclic

LARGEST = 100_000_000
"""More straps than this are refused: 800 MB."""

LONGEST = 31
"""Hops of a path that fits in a header: two bits each, and one that ends it."""


class VertexTransitive(Routing):
    """The way from i to j is that from 0 to j' = i^-1 j, and every node has the table from 0.

    A header names an element by its class c and by x, where it is a_c * T^x: x = a^-c m in terms
    of the label m*q + c. The terminal names the destination j; from the first hop on the header
    names j', the rest of the path, and 0 is the destination. Both steps of Table 2 remove an
    element (t, y) on the left: the source i from j (step 1) or the link g from j' (steps 3 and 1).
    In these terms that needs no product: (c - t mod k, x - a^-c y mod p). One row of subtrahends
    for each class suffices.

    Instead the header can name j throughout, and every node removes itself from j (Eq. (5)).

    Parameters
    ----------
    topology : Metacyclic
    table : "balanced" or "first"
        Which of the links on shortest paths is taken: all links carry the same load as nearly as
        can be, or the first in the order A, B, A^-1, B^-1.
    path : "auto", "hop" or "source"
        Every node looks up the next link; or the source looks up all of them, as a word of two
        bits a link, next link lowest, with a 1 above the last. The routes are the same. "auto"
        takes the one that costs less, as `Form` weighs them; `path` is then that one.
    address : "relative" or "absolute"
        The header names the rest of the way, or always the destination. The routes are the same.

    Attributes
    ----------
    distance : (k, p)
        The hops from 0 to the element (c, x).
    mask : (k, p)
        The table of 1992 (Fig. 2): bit l says that a shortest path to (c, x) begins with link l.
    link : (k, p)
        The link that is taken; 0 at the identity, where unused.
    words : (k, p)
        For ``path="source"``: the whole paths, coded as in the header.
    step : (k, 4)
        What a link takes off x in each class, a^-c y mod p.
    load : (4,)
        The hops that take each link on the routes from 0 to all others, and so in the network,
        at every node, when each node sends a packet to each other.

    Raises
    ------
    ValueError
        If `topology` is no borel or metacyclic network or too large, or options are none of those,
        or do not go together.
    """

    algorithm = "vertex-transitive"
    symmetric = True
    families = ("borel", "metacyclic")

    topology: Metacyclic

    def __init__(
        self,
        topology: Topology,
        *,
        table: Annotated[
            Literal["balanced", "first"],
            Parameter("Which of several shortest first links the table holds."),
        ] = "balanced",
        path: Annotated[
            Literal["auto", "hop", "source"],
            Parameter(
                "Decided at every hop, or the whole path at the source; auto: what costs less."
            ),
        ] = "auto",
        address: Annotated[
            Literal["relative", "absolute"],
            Parameter("The header names the rest of the way, or the destination."),
        ] = "relative",
    ) -> None:
        self.topology = topology = self._only(topology, Metacyclic)
        check_choices(VertexTransitive, self.title, table=table, path=path, address=address)
        if (path, address) == ("source", "absolute"):
            raise ParameterError(
                "path", f"{self.title} needs path hop with address absolute, not source"
            )
        n, p, k = topology.nodes, topology.p, topology.k
        if n * k > LARGEST:
            raise ParameterError(
                "algorithm",
                f"{self.title} needs at most {LARGEST} straps, one at each node for each "
                f"class, not n*k = {n}*{k} = {n * k}",
            )
        self.table, self.address = table, address
        y = np.array([y for _, y in topology.generators])
        self.step: IntArray = topology.power[-np.arange(k) % k, None] * y % p
        label = np.arange(n)
        self.distance = np.empty((k, p), np.int64)
        self.distance[self.locate(label)] = distances(topology.neighbour, 0)
        self.diameter = int(self.distance.max())
        if path == "source" and self.diameter > LONGEST:
            raise ParameterError(
                "path",
                f"{self.title} needs a diameter of at most {LONGEST} with path source, for two "
                f"bits a hop in the header, not {self.diameter}",
            )

        self.forms = [by_hop(p, k)]
        if self.diameter <= LONGEST:
            self.forms.append(by_source(p, k, self.diameter))
        self.chosen = path == "auto"
        if self.chosen:
            best = min(self.forms, key=attrgetter("cost")).path
            path = "source" if best == "source" and address == "relative" else "hop"
        self.path = path
        self.form = by_absolute(p, k) if address == "absolute" else self.forms[path == "source"]

        c, x = np.divmod(label, p)
        onward = self._rest(c[:, None], x[:, None], np.arange(4))
        rest, left = onward[0] * p + onward[1], self.distance.ravel()
        mask = nearer(rest, left)
        link = balanced_links(rest, left) if table == "balanced" else mask.argmax(axis=1)
        self.mask = (mask << np.arange(4)).sum(axis=1).reshape(k, p)
        self.link = link.reshape(k, p)
        self.load = link_load(rest, left, link)

        c_width, x_width = bits(k), bits(p)
        if address == "absolute":
            self.header = Layout.sequence(
                c=(c_width, "class of the destination"),
                x=(x_width, "a^-c m of the destination"),
            )
        elif path == "hop":
            self.header_cycles = 1
            self.header = Layout.sequence(
                c=(c_width, "class of the rest j' of the way; from the terminal, of j"),
                x=(x_width, "a^-c m of it"),
            )
        else:
            self.header_cycles = 2
            self.words = _words(rest, left, link).reshape(k, p)
            self.header = Layout(
                {
                    "word": Field(0, 2 * self.diameter + 1, "the links still to take, a 1"),
                    "c": Field(0, c_width, "from the terminal: class of the destination"),
                    "x": Field(c_width, x_width, "from the terminal: a^-c m of the destination"),
                }
            )
        m, c = np.divmod(label, k)
        straps = {"c": (c_width, "the node's class, j mod q", c)}
        for i in range(k):
            what = f"a^-{i} m: what the way here takes off x"
            straps[f"step{i}"] = x_width, what, topology.power[-i % k] * m % p
        self.straps = Straps(straps)

    def within(self, width: int) -> "VertexTransitive":
        """Return the same routes by hop, if a path that ``path="auto"`` has chosen is too wide."""
        if not self.chosen or self.header.width <= width:
            return self
        return VertexTransitive(self.topology, table=self.table, path="hop", address=self.address)

    @property
    def relative(self) -> bool:  # type: ignore[override]
        """Return whether the header is all that a decision on the way depends on."""
        return self.address == "relative"

    def locate(self, label: IntArray | int) -> tuple[IntArray, IntArray]:
        """Return c and x = a^-c m mod p of the node m*q + c."""
        m, c = np.divmod(label, self.topology.k)
        return c, self.topology.power[-c % self.topology.k] * m % self.topology.p

    def _rest(self, c: IntArray, x: IntArray, link: IntArray) -> tuple[IntArray, IntArray]:
        """Return what is left of (c, x) after a link: g^-1 j' (Table 2, steps 3 and 1)."""
        after: IntArray = (c - self.topology.shift[link]) % self.topology.k
        return after, (x - self.step[c, link]) % self.topology.p

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        c, x = self.locate(np.asarray(destination))
        return self.header.pack(c=c, x=x)

    def _read(self, header: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Return c and x of a header, and 1 for those that are none; their c and x mean nothing."""
        p, k = self.topology.p, self.topology.k
        c, x = self.header.cut("c", header), self.header.cut("x", header)
        return np.minimum(c, k - 1), np.minimum(x, p - 1), ((c >= k) | (x >= p)).astype(np.int64)

    def _way(self, node: IntArray, c: IntArray, x: IntArray) -> tuple[IntArray, IntArray]:
        """Return j', the way from a node to j (Eq. (5), that is Table 2, step 1)."""
        p, k = self.topology.p, self.topology.k
        m1, c1 = np.divmod(node, k)
        return (c - c1) % k, (x - self.topology.power[-c % k] * m1) % p

    @property
    def sent(self) -> tuple[str, ...]:
        return ("c", "x")

    def generate_header(self, node: IntArray, header: IntArray) -> tuple[IntArray, IntArray]:
        """Name j' instead of j, and look up the whole path if so wanted."""
        if self.address == "absolute":
            return super().generate_header(node, header)
        c, x, error = self._read(header)
        c, x = self._way(node, c, x)
        if self.path == "source":
            return self.header.join(word=self.words[c, x]), error
        return self.header.join(c=c, x=x), error

    def _choose(self, c: IntArray, x: IntArray, selection: IntArray | None) -> IntArray:
        """Return the link to take on the way to (c, x), which is not 0."""
        return self.link[c, x]

    def _take(self, c: IntArray, x: IntArray, link: IntArray, error: IntArray) -> Decision:
        """Return the decision to take `link`, unless there is no way to go."""
        arrived = (c == 0) & (x == 0)
        port = np.where(arrived, self.topology.local, link)
        c, x = self._rest(c, x, link)
        return Decision(port, np.where(arrived, 0, self.header.join(c=c, x=x)), error)

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Decide by row j' of the table (Table 2), or by the word that the source looked up."""
        if self.address == "absolute":
            c, x, error = self._read(header)
            c, x = self._way(node, c, x)
            port = self._take(c, x, self._choose(c, x, selection), error).port
            return Decision(port, header & ((1 << self.header.width) - 1), error)
        if self.path == "hop":
            c, x, error = self._read(header)
            return self._take(c, x, self._choose(c, x, selection), error)
        word = self.header.cut("word", header)
        arrived = word == 1
        port = np.where(arrived, self.topology.local, word & 3)
        return Decision(port, self.header.join(word=word >> 2), (word == 0).astype(np.int64))

    def on_arrival(self) -> dict[str, str]:
        """Return what the header holds at its destination: the rest of the way is nothing."""
        if self.address == "absolute":
            return super().on_arrival()
        if self.path == "hop":
            return {"c": "0", "x": "0"}
        return {"word": "0", "c": "undefined", "x": "undefined"}

    def constants(self) -> dict[str, object]:
        """Return the form, and the hops of the n-1 routes from a node that take each link."""
        load = dict(zip(self.topology.port_names, self.load.tolist(), strict=True))
        return {"path": self.path, "link_load": load}

    def table_bits(self) -> dict[str, int]:
        """Return the bits of the table from 0 to all nodes: two a row, or two a hop."""
        n = self.topology.nodes
        if self.path == "source":
            return {"words": self.header["word"].width * n}
        if self.address == "absolute":
            return {"links": 2 * n}
        return {"links": 2 * n, "steps": self.step.size * bits(self.topology.p)}


def _words(rest: IntArray, distance: IntArray, link: IntArray) -> IntArray:
    """Return the way from 0 to every node, coded as in the header."""
    word = np.ones_like(distance)
    for hops in range(1, int(distance.max()) + 1):
        node = np.flatnonzero(distance == hops)
        word[node] = word[rest[node, link[node]]] << 2 | link[node]
    return word


def first_free(mask: IntArray, preferred: IntArray, free: IntArray) -> IntArray:
    """Return the port that a packet takes of those of a mask, some of which are free.

    That is the preferred one if it is free, else the lowest that is, else the preferred one.
    """
    allowed = mask & free
    lowest = np.bitwise_count((allowed & -allowed) - 1).astype(np.int64)
    return np.where((allowed >> preferred & 1) | (allowed == 0), preferred, lowest)


def each_alone(mask: IntArray, preferred: IntArray, ports: int) -> tuple[IntArray, IntArray]:
    """Return for each packet the masks in which one of its ports is free, and their packets.

    The preferred port comes first, as `first_free` prefers them. A mask without ports has its
    preferred one.
    """
    rows = np.arange(len(mask))
    found = (mask[:, None] >> np.arange(ports) & 1).astype(np.bool_)
    found[rows, preferred] = False
    packet, port = np.nonzero(found)
    packet, port = np.concatenate([rows, packet]), np.concatenate([preferred, port])
    order = packet.argsort(kind="stable")
    return packet[order], 1 << port[order]


class Adaptive(VertexTransitive):
    """Vertex-transitive routing by any of the shortest paths, as the ports are free.

    The paper's table marks all links that lead to shortest paths. A packet takes the balanced
    link of `VertexTransitive` if it is free, else the lowest that is, else it waits for the
    balanced one.

    Parameters
    ----------
    topology : Metacyclic
    """

    algorithm = "adaptive"
    selection = "free"

    def __init__(self, topology: Topology) -> None:
        super().__init__(topology, path="hop")
        self.forms, self.form = (), None

    def _choose(self, c: IntArray, x: IntArray, selection: IntArray | None) -> IntArray:
        """Choose among the links of the mask by the ports that are free."""
        link = self.link[c, x]
        return link if selection is None else first_free(self.mask[c, x], link, selection)

    def selections(
        self, node: IntArray, arrival: IntArray, header: IntArray
    ) -> tuple[IntArray, IntArray | None]:
        """Return one selection for each link of the mask: it alone is free."""
        c, x, _ = self._read(header)
        return each_alone(self.mask[c, x], self.link[c, x], 4)

    def table_bits(self) -> dict[str, int]:
        """Return the bits of the table: four a row for the links, two for the balanced one."""
        return {"masks": 4 * self.topology.nodes, **super().table_bits()}
