"""Decisions of routing units and of deflection routers: every one, or routes made of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.deflection.wiring import Wiring
from fingerpost.golden.engine import engine
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.terminal.single_flit import SingleFlitTerminal
from fingerpost.golden.topology.base import NodeType
from fingerpost.golden.traffic import Traffic
from fingerpost.hdl.deflection.node import node_parameters, node_ports, node_verilog
from fingerpost.hdl.deflection.router import DeflectionRouter
from fingerpost.hdl.deflection.table import table_name, table_verilog
from fingerpost.hdl.emit.routers import node_names, router_names
from fingerpost.hdl.emit.verilog import module_verilog
from fingerpost.hdl.lib.ports import Port, identifier, part
from fingerpost.hdl.routing import header_generator, routing_unit
from fingerpost.testbench.benches.bench import OfNetwork
from fingerpost.testbench.packing import Columns
from fingerpost.testbench.sources import no_inline, unit_bench, wire_fields

UNIT_TESTS = "fingerpost.testbench.benches.unit_cocotb"
"""The module with the cocotb tests of these benches."""

COPIES = {20_000: 128, 100_000: 32}
"""Decisions in one access, by the greatest length of a unit's Verilog: cocotb's cost is
per access, hardly per bit, but simulators compile each copy by itself."""

FEWEST_COPIES = 8
"""For units that are longer still."""


@dataclass(frozen=True)
class UnitSources(OfNetwork):
    """Routing units side by side, each behind its header generator."""

    top: ClassVar[str] = "unit_bench"
    counted: ClassVar[str] = "decisions"

    def modules(self) -> dict[str, str]:
        """Return header generator and unit."""
        name = identifier(self.network.name)
        return {
            "unit.v": module_verilog(routing_unit(self.network.routing), f"{name}_unit"),
            "header_generator.v": module_verilog(
                header_generator(self.network.routing), f"{name}_header_generator"
            ),
            "bench.vlt": no_inline(f"{name}_unit", f"{name}_header_generator"),
        }

    def sources(self) -> dict[str, str]:
        """Return header generator, unit, and as many of both as simulators compile soon."""
        texts = self.modules()
        length = sum(map(len, texts.values()))
        copies = next((count for most, count in COPIES.items() if length <= most), FEWEST_COPIES)
        return texts | {"bench.v": unit_bench(self.network, copies)}


@dataclass(frozen=True, kw_only=True)
class UnitBench(UnitSources):
    """The decisions of all nodes, or of some of them.

    Attributes
    ----------
    nodes : int, optional
        Ask only so many, drawn by the seed.
    """

    level: ClassVar[str] = "unit"
    nodes: int | None = None

    @property
    def test(self) -> str:
        """Return the module and the name of the cocotb test."""
        return f"{UNIT_TESTS}::decides_like_golden"


@dataclass(frozen=True, kw_only=True)
class CompiledUnitBench(UnitBench):
    """The same as `UnitBench`, question by question, without cocotb; many units are one vector."""

    engine: ClassVar[str] = "compiled"

    def sources(self) -> dict[str, str]:
        """Return header generator and unit, one of each."""
        return {name: text for name, text in self.modules().items() if name.endswith(".v")} | {
            "bench.v": unit_bench(self.network, 1)
        }


@dataclass(frozen=True, kw_only=True)
class PathBench(UnitSources):
    """Routes chained hop by hop.

    Attributes
    ----------
    start, end : sequences of int, optional
        The nodes at which routes start and end; by default they start at all terminals of a small
        network, or the first of each orbit, and end at all.
    """

    level: ClassVar[str] = "path"
    facts: ClassVar[tuple[str, ...]] = ("routes", "mean_hops", "max_hops")
    start: Sequence[int] | None = None
    end: Sequence[int] | None = None

    @property
    def test(self) -> str:
        """Return the module and the name of the cocotb test."""
        return f"{UNIT_TESTS}::arrives_as_golden_does"


FULL = 0.8
"""The share of inputs with a flit where flits may come by all at once."""

MOST = 32
"""Nodes that are tried in cocotb, if nothing is said."""

HIGH = "eject__ready", "link_up"
"""Inputs tied to 1; others that carry no question are tied to 0."""


def given_fields(network: DeflectionNetwork) -> tuple[tuple[str, int], ...]:
    """Return the fields of what is given at an input: the link, and the next epoch of the node."""
    return (*wire_fields(network), ("next_epoch", 1))


class DeflectionQuestions:
    """The model of all routers, whose links carry what is asked.

    First every number of a destination arrives alone at every input, so that what is wanted
    decides; then flits arrive at most inputs at once, so that priorities do. What is ejected is
    not compared. To be iterated once.

    Parameters
    ----------
    network : DeflectionNetwork
    nodes : array
        Those that are tried, in rising order.
    contended : int
        Cycles with flits at most inputs.
    seed : int

    Attributes
    ----------
    cycles : int
        How long it takes, until the last flit has left.
    rows : int
        Ports of all nodes that are tried.
    """

    def __init__(
        self, network: DeflectionNetwork, nodes: IntArray, *, contended: int, seed: int
    ) -> None:
        # Terminals of packets of one flit take what is at home, and send nothing.
        self.network = replace(network, terminal=SingleFlitTerminal(network.ejections))
        self.rng = np.random.default_rng(seed)
        self.wiring, degree = Wiring(network), network.topology.degree
        node = self.wiring.node
        tried = np.isin(node, nodes)
        place = np.searchsorted(nodes, node)
        # The slots of what is tried, and the rows of their inputs and outputs.
        self.slot, self.rows = np.flatnonzero(tried), len(nodes) * degree
        self.into = (place * degree + self.wiring.input)[tried]
        self.out = (place * degree + self.wiring.output)[tried]
        # The number of the terminal at each node.
        self.home = np.full(network.topology.nodes, -1)
        self.home[network.topology.terminals] = np.arange(len(network.topology.terminals))
        self.cycles_alone = (1 << network.destination_width) * degree
        self.cycles = self.cycles_alone + contended + network.hop_cycles
        # Packets that are never sent have the data of what is asked; they are used in turn.
        self.turns = network.hop_cycles + 2
        packets = Traffic(
            self.network, 1.0, -(-self.turns * len(self.slot) // len(network.topology.terminals))
        )
        self.model: Any = engine(self.network, [packets])
        self.model.runs[0].stop()

    def __iter__(self) -> Iterator[tuple[Columns, Columns]]:
        """Yield for each cycle what is given and what leaves, by node and port."""
        for cycle in range(self.cycles):
            leaves = self._leaves()  # before what is asked takes its place on the links
            yield self._ask(cycle if cycle < self.cycles_alone else None), leaves
            self.model.run(1)

    def _ask(self, alone: int | None) -> Columns:
        """Put flits on links: by number to a destination at one input of each node, or any."""
        slots, rng, wiring = len(self.slot), self.rng, self.wiring
        valid: BoolArray
        if alone is None:
            destination = rng.integers(1 << self.network.destination_width, size=slots)
            valid = rng.random(slots) < FULL
        else:
            number, slot = divmod(alone, self.network.topology.degree)
            destination, valid = np.full(slots, number), wiring.local[self.slot] == slot
        # A flit is at home if its key says so: the key is 0 there and nowhere else.
        here = destination == self.home[wiring.node[self.slot]]
        key = np.where(here, 0, rng.integers(1, 1 << self.network.distance_width, size=slots))
        data = rng.integers(1 << min(62, self.network.flit_width), size=slots)
        columns = {"valid": valid, "epoch": rng.integers(2, size=slots), "key": key}
        columns |= {"destination": destination}
        arrays, now = self.model.arrays, self.model.runs[0].now
        tag = now % self.turns * slots + np.arange(slots)
        arrays.packets["data"][tag] = data
        links = self._links()
        links["valid"] = False
        for name, column in (columns | {"tag": tag}).items():
            links[name][wiring.source[self.slot]] = column
        next_epoch = int(rng.integers(2))
        arrays.clock["count"] = next_epoch << self.network.epoch
        asked = {name: np.zeros(self.rows, np.int64) for name in (*columns, "data")}
        for name, column in (columns | {"data": data}).items():
            asked[name][self.into] = column
        return asked | {"next_epoch": np.full(self.rows, next_epoch)}

    def _leaves(self) -> Columns:
        """Return what leaves in this cycle."""
        links, found = self._links()[self.slot], {}
        columns = {name: links[name] for name in ("valid", "epoch", "key", "destination")}
        columns["data"] = self.model.arrays.packets["data"][links["tag"]]
        for name, column in columns.items():
            found[name] = np.zeros(self.rows, np.int64)
            found[name][self.out] = column
        return found

    def _links(self) -> NDArray[Any]:
        """Return what is on the links in this cycle, by slot."""
        links: NDArray[Any] = self.model.arrays.routers.links[0, self.model.runs[0].now & 1]
        return links


@dataclass(frozen=True, kw_only=True)
class DeflectionUnitBench(OfNetwork):
    """Routers with their tables, to which any flits come; nothing is injected.

    What comes is that of `DeflectionQuestions`.

    Attributes
    ----------
    nodes : int, optional
        At most so many nodes, drawn by the seed; if nothing is said `most`, or all.
    contended : int
        Cycles with flits at most inputs.
    """

    level: ClassVar[str] = "unit"
    top: ClassVar[str] = "network_bench"
    counted: ClassVar[str] = "decisions"
    most: ClassVar[int | None] = MOST
    network: Any = field(kw_only=False)  # a DeflectionNetwork; by place, as in other benches
    nodes: int | None = None
    contended: int = 500

    @property
    def test(self) -> str:
        """Return the module and the name of the cocotb test."""
        return f"{UNIT_TESTS}::deflects_like_golden"

    def chosen(self) -> IntArray:
        """Return the nodes that are tried."""
        nodes = self.network.topology.nodes
        some = np.random.default_rng(self.seed).permutation(nodes)
        return np.sort(some[: self.most if self.nodes is None else self.nodes])

    def questions(self) -> DeflectionQuestions:
        """Return what is given to them, and what must leave."""
        return DeflectionQuestions(
            self.network, self.chosen(), contended=self.contended, seed=self.seed
        )

    def sources(self) -> dict[str, str]:
        """Return routers, tables, and nodes side by side."""
        network = self.network
        routers, names, files = router_names(network), node_names(network), dict[str, str]()
        ports = dict[NodeType, list[Port]]()
        for node_type in network.topology.node_types:
            router = DeflectionRouter(network, node_type)
            module, name = routers[node_type], names[node_type]
            files[f"{module}.v"] = module_verilog(router, module)
            files[f"{name}.v"] = node_verilog(router, name, module)
            ports[node_type] = node_ports(router)
        files[f"{table_name(network)}.v"] = table_verilog(network)
        files["bench.v"] = self._bench(network, names, ports)
        return files | {"bench.vlt": no_inline(*names.values())}

    def _bench(
        self,
        network: DeflectionNetwork,
        names: dict[NodeType, str],
        ports: dict[NodeType, list[Port]],
    ) -> str:
        """Return the top: rows by node and port, of `given_fields` and of `wire_fields`."""
        chosen, local = self.chosen().tolist(), network.topology.local
        given, seen = (
            sum(width for _, width in fields)
            for fields in (given_fields(network), wire_fields(network))
        )
        instances, zeros = [], []
        for place, node in enumerate(chosen):
            node_type, first = network.topology.node_type[node], place * local
            joined = ", ".join(_joined(ports[node_type], first, given, seen))
            module = f"{names[node_type]} {node_parameters(network, node)}"
            instances.append(f"  {module} node_{node}(\n    .clk(clk), .rst(rst), {joined}\n  );")
            zeros += [
                f"  assign {part('seen', first + port, seen)} = {seen}'d0;"
                for port in range(local)
                if port not in node_type.outputs
            ]
        rows = len(chosen) * local
        every = "\n".join([*instances, *zeros])
        return f"""// Nodes side by side. Port p of the n-th: row n*{local} + p.
module network_bench(
  input clk, input rst, input [{rows * given - 1}:0] given,
  output [{rows * seen - 1}:0] seen
);
{every}
endmodule
"""


@dataclass(frozen=True, kw_only=True)
class CompiledDeflectionUnitBench(DeflectionUnitBench):
    """The same as `DeflectionUnitBench`, cycle by cycle, without cocotb; all nodes are tried."""

    engine: ClassVar[str] = "compiled"
    most: ClassVar[int | None] = None


def _joined(ports: Iterable[Port], first: int, given: int, seen: int) -> Iterator[str]:
    """Yield the connections of a node whose first port is that row; rows have so many bits."""
    for port in ports:
        side, _, rest = port.name.partition("__")
        connection = f"{{{port.bits}{{1'b{int(port.name in HIGH)}}}}}"
        if side in ("inputs", "outputs"):
            at, what = rest.split("__")
            vector, width = ("given", given) if side == "inputs" else ("seen", seen)
            bit = (first + int(at)) * width + (what != "valid")
            connection = f"{vector}[{bit} +: {port.bits}]"
        elif port.direction == "output":
            connection = ""
        elif port.name == "epoch":
            connection = f"given[{first * given + given - 1}]"
        yield f".{port.name}({connection})"
