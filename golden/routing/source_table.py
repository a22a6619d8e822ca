"""Paths looked up at the source: shortest ones, or those that you give."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Annotated, Literal

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.header import Field, Layout, bits
from fingerpost.golden.parameters import Parameter, ParameterError, check_choices
from fingerpost.golden.routing.balance import next_hops
from fingerpost.golden.routing.base import Decision, Form, NodeTable, Routing, Straps
from fingerpost.golden.routing.given import Lookup, Row, Rows, follow, vc_increments
from fingerpost.golden.routing.router_cost import SHIFT, TABLE, block_rams
from fingerpost.golden.topology.base import Topology

LARGEST = 25_000_000
"""More entries of all tables are refused: they would take minutes."""

LONGEST_WORD = 62
"""Bits of a path in the header, at most."""

Where = Annotated[
    Literal["auto", "luts", "ram"],
    Parameter(
        "Where the source has its table of paths: LUTs, or block RAM, a cycle later; "
        "auto: what costs less."
    ),
]


class BySource(Routing):
    """Routing by words that the source looks up: the ports to take, and a 1 above the last.

    The next port is lowest in the word; a router takes it and moves the others down.

    Attributes
    ----------
    port_width : int
        Bits of a port.
    words : (terminals, terminals)
        The paths as words, from and to terminals by their numbers.
    """

    families = ()  # any

    def _prepare(self, topology: Topology, table: str) -> None:
        """Check that paths are not too many, and that a table can be where it is asked for."""
        if table == "ram" and topology.local_ports > 1:
            raise ParameterError(
                "table",
                f"{self.title} needs table: luts where nodes have several terminals, not ram: a "
                "block RAM beside a router answers one of them",
            )
        self.topology, terminals = topology, len(topology.terminal_nodes)
        self.port_width = bits(topology.degree)
        if terminals**2 > LARGEST:
            raise ParameterError(
                "algorithm",
                f"{self.title} needs at most {LARGEST} entries, one for each pair of terminals, "
                f"not {terminals}*{terminals} = {terminals**2}",
            )

    @property
    def _most(self) -> int:
        """Return the most hops of a path."""
        return (LONGEST_WORD - 1) // self.port_width

    def _forms(self, longest: int) -> list[Form]:
        """Return what looking up paths of so many hops costs a router, in LUTs and block RAM."""
        width = self.port_width * longest + 1
        rows = len(self.topology.terminal_nodes)
        shifts = round(SHIFT * width * self.topology.all_ports)
        luts = Form("luts", shifts + width * rows // TABLE, 0, width, header_cycles=1, key="table")
        blocks = block_rams(rows, width)
        ram = Form("ram", shifts + bits(rows), blocks, width, header_cycles=2, key="table")
        return [luts, ram] if self.topology.local_ports == 1 else [luts]

    def _lay_out(self, words: IntArray, forms: Sequence[Form], form: Form) -> None:
        """Make header and tables of the words."""
        n, terminals = self.topology.nodes, self.topology.terminal_nodes
        self.words, self.forms, self.form = words, forms, form
        self.header_cycles = form.header_cycles
        self.header = Layout(
            {
                "word": Field(0, form.header_width, "the ports still to take, a 1"),
                "destination": Field(
                    0,
                    bits(len(terminals)),
                    "from the terminal: number of the destination, counting nodes with "
                    "terminals only",
                ),
            }
        )
        entries, width = np.ones((n, len(terminals)), np.int64), form.header_width
        entries[terminals] = words
        what = "the path to destination {}, as a word"
        straps = {f"word{i}": (width, what.format(i), row) for i, row in enumerate(entries.T)}
        in_luts = form.path == "luts"
        self.straps = Straps(straps if in_luts else {})
        self.node_table = None if in_luts else NodeTable(entries, width)

    @property
    def destinations(self) -> IntArray:
        return self.topology.terminal_nodes

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return the number of the destination; the source does not matter."""
        number = np.searchsorted(self.topology.terminal_nodes, np.asarray(destination))
        return self.header.pack(destination=number)

    @property
    def sent(self) -> tuple[str, ...]:
        return ("destination",)

    def generate_header(self, node: IntArray, header: IntArray) -> tuple[IntArray, IntArray]:
        """Look up the path from the node to the destination."""
        terminals = self.topology.terminal_nodes
        destination = self.header.cut("destination", header)
        source = np.minimum(np.searchsorted(terminals, node), len(terminals) - 1)
        word = self.words[source, np.minimum(destination, len(terminals) - 1)]
        return self.header.join(word=word), (destination >= len(terminals)).astype(np.int64)

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Take the next port of the word."""
        word, width = self.header.cut("word", header), self.port_width
        port = np.where(word == 1, self.topology.local, word & ((1 << width) - 1))
        return Decision(port, self.header.join(word=word >> width), (word == 0).astype(np.int64))

    def on_arrival(self) -> dict[str, str]:
        return {"word": "0", "destination": "undefined"}

    def constants(self) -> dict[str, object]:
        return {"table": "ram" if self.node_table else "luts"}

    def table_bits(self) -> dict[str, int]:
        """Return the bits of the words at one node."""
        return {"words": self.header["word"].width * len(self.topology.terminal_nodes)}


def select(forms: Sequence[Form], table: str) -> Form:
    """Return the form that `table` asks for; of `auto` the one that costs least."""
    least = min(forms, key=attrgetter("cost"))
    return next((form for form in forms if form.path == table), least)


class SourceTable(BySource):
    """Paths from a table at the source: your own, or the balanced shortest ones of `Table`.

    Parameters
    ----------
    topology : Topology
    routes : sequence of (node, destination, port), (source) or (source, virtual channel) behind
        Your own routes; rows that no packet needs may be left out. With channels packets change
        them as these say.
    table : "auto", "luts" or "ram"
        Where words are: among the straps of a node, which become LUTs, or in block RAM beside the
        router. "auto" takes what costs less.

    Attributes
    ----------
    longest : int
        The hops of the longest route.

    Raises
    ------
    ParameterError
        If some route does not arrive, does not fit in a header, or changes channels in a way that
        routers cannot, or tables would be too large.
    """

    algorithm = "source-table"

    def __init__(
        self,
        topology: Topology,
        *,
        routes: Annotated[
            Sequence[Row] | None,
            Parameter(
                "Routes of your own; shortest ones if absent.",
                "the name of a CSV file beside this one, with columns node, destination, port or "
                "next, and perhaps source and channel",
                in_file=True,
            ),
        ] = None,
        table: Where = "auto",
    ) -> None:
        check_choices(SourceTable, self.title, table=table)
        self._prepare(topology, table)
        rows = Rows(topology, routes, self.title) if routes is not None else None
        lookup = rows.port if rows else self._shortest()
        found = follow(topology, lookup, self.title, self._most)
        self.longest = len(found.port)
        self._increments: BoolArray | None = None
        if rows and rows.has_channels:
            self._increments = vc_increments(topology, rows, found, self.title)
        words = np.ones(found.port.shape[1:], np.int64)
        for port in found.port[::-1]:
            words = np.where(port >= 0, words << self.port_width | port, words)
        forms = self._forms(self.longest)
        self._lay_out(words, forms, select(forms, table))

    def _shortest(self) -> Lookup:
        """Return the ports of balanced shortest paths."""
        hop, terminals = next_hops(self.topology, balanced=True), self.topology.terminal_nodes
        return lambda node, destination, source: hop[
            np.searchsorted(terminals, destination), node
        ].astype(np.int64)

    def vc_increments(self) -> BoolArray | None:
        return self._increments

    def constants(self) -> dict[str, object]:
        return {"longest": self.longest, **super().constants()}
