"""Deflection routers with their tables, to which any flits come: what leaves is compared."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.deflection.state import Wiring
from fingerpost.golden.engine import engine
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.terminal.single_flit import SingleFlitTerminal
from fingerpost.golden.traffic import Traffic
from fingerpost.hdl.deflection.node import node_parameters, node_ports, node_verilog
from fingerpost.hdl.deflection.router import DeflectionRouter
from fingerpost.hdl.deflection.table import table_name, table_verilog
from fingerpost.hdl.emit.printer import module_verilog
from fingerpost.hdl.emit.routers import node_names, router_names
from fingerpost.hdl.lib.ports import identifier
from fingerpost.testbench.benches.bench import LockStepBench, OfNetwork
from fingerpost.testbench.lock_step import END, Chunk, Group, Layout, Script, Turn, stacked
from fingerpost.testbench.packing import Columns, bits_of
from fingerpost.testbench.sources import Isolated, isolated_bench, no_inline, wire_fields

FULL = 0.8
"""The share of inputs with a flit where flits may come by all at once."""

MOST = 32
"""Nodes that are tried in cocotb, if nothing is said."""

HIGH = "eject__ready", "link_up"
"""Inputs tied to 1; others that carry no question are tied to 0."""


class DeflectionTurn(Turn):
    """The model of all routers, whose links carry what is asked.

    First every number of a destination arrives alone at every input, so that what is wanted
    decides; then flits arrive at most inputs at once, so that priorities do. What is ejected is
    not compared.

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
    decisions : int
        Flits that have left.
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
        self.decisions = 0
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

    def chunk(self, most: int) -> Chunk:
        some = min(most, self.cycles - self.cycle)
        return stacked([self._cycle() for _ in range(some)]) if some else END

    def _cycle(self) -> tuple[Columns, Sequence[Columns]]:
        leaves = self._leaves()  # before what is asked takes its place on the links
        asked = self._ask(self.cycle if self.cycle < self.cycles_alone else None)
        self.model.run(1)
        self.cycle += 1
        self.decisions += int(leaves["valid"].sum())
        return asked, [leaves]

    def report(self) -> dict[str, Any]:
        return {"decisions": self.decisions}

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


class DeflectionScript(Script):
    """All questions to some nodes, after one reset; see `DeflectionTurn`."""

    def __init__(
        self, network: DeflectionNetwork, nodes: IntArray, *, contended: int, seed: int
    ) -> None:
        self._arguments: dict[str, Any] = {"contended": contended, "seed": seed}
        self.network, self.nodes = network, nodes
        fields, ports = wire_fields(network), network.topology.local
        links = Group(fields, nodes.tolist(), ports, network.link.payload)
        self.layout = Layout(links.rows, (*fields, ("next_epoch", 1)), (links,))
        alone = (1 << network.destination_width) * network.topology.degree
        self.cycles = alone + contended + network.hop_cycles

    def turns(self) -> Iterator[DeflectionTurn]:
        yield DeflectionTurn(self.network, self.nodes, **self._arguments)


@dataclass(frozen=True, kw_only=True)
class DeflectionUnitBench(LockStepBench, OfNetwork):
    """Routers with their tables, to which any flits come; nothing is injected."""

    level: ClassVar[str] = "unit"
    counted: ClassVar[str] = "decisions"
    network: Any = field(kw_only=False)  # a DeflectionNetwork; by place, as in other benches
    nodes: int | None = None
    """At most so many nodes, drawn by the seed; if nothing is said all if they are compiled, else
    `MOST`."""
    contended: int = 500
    """Cycles with flits at most inputs."""

    def script(self) -> DeflectionScript:
        """Return what is given to the nodes that are tried, and what must leave."""
        some = np.random.default_rng(self.seed).permutation(self.network.topology.nodes)
        most = None if self.engine == "compiled" else MOST
        nodes = np.sort(some[: most if self.nodes is None else self.nodes])
        return DeflectionScript(self.network, nodes, contended=self.contended, seed=self.seed)

    def sources(self) -> dict[str, str]:
        """Return routers, tables, and nodes side by side."""
        network, script = self.network, self.script()
        local, given = network.topology.local, bits_of(script.layout.given)
        routers, names, files = router_names(network), node_names(network), dict[str, str]()
        found = {}
        for node_type in network.topology.node_types:
            router = DeflectionRouter(network, node_type)
            module, name = routers[node_type], names[node_type]
            files[f"{module}.v"] = module_verilog(router, module)
            files[f"{name}.v"] = node_verilog(router, name, module)
            found[node_type] = node_ports(router)
        files[f"{table_name(network)}.v"] = table_verilog(network)
        isolated = []
        for place, node in enumerate(script.nodes.tolist()):
            node_type, first = network.topology.node_type[node], place * local
            rows = {f"inputs__{port}": first + port for port in node_type.inputs}
            rows |= {f"outputs__{port}": first + port for port in node_type.outputs}
            ports = found[node_type]
            others = {port.name: f"{{{port.bits}{{1'b1}}}}" for port in ports if port.name in HIGH}
            others["epoch"] = f"given[{first * given + given - 1}]"
            module = f"{names[node_type]} {node_parameters(network, node)}"
            isolated.append(Isolated(node, module, ports, rows, others))
        files |= isolated_bench(f"{identifier(network.name)}_isolated", isolated, script.layout)
        return files | {"bench.vlt": no_inline(*names.values())}
