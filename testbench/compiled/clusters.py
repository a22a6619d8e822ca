"""Join modules with combinational paths between them, so that the rest goes in any order."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import networkx as nx

from fingerpost.testbench.compiled.gates import paths
from fingerpost.testbench.compiled.wiring import CONSTANT, Instance, Port, Slice, Wiring


class Clustered(NamedTuple):
    """Verilog: a module for each kind of cluster, what joins them, and the bench around that."""

    kinds: dict[str, str]
    network: str
    bench: str


@dataclass
class _Cluster:
    """Instances that are joined, in the order of the text."""

    members: list[Instance]
    parameters: list[tuple[int, str, str]] = field(default_factory=list)
    given: list[tuple[int, str, int, Slice]] = field(default_factory=list)
    """What comes from outside: constants, and nets of others."""
    shape: tuple[object, ...] = ()
    """All that clusters of a kind have in common."""


def clustered(wiring: Wiring, verilog: Mapping[str, str], folder: Path) -> Clustered:
    """Return Verilog of the same behaviour, without combinational paths between its modules.

    A module and those that read an output of it that depends on its inputs within a cycle are
    joined into one.

    Parameters
    ----------
    wiring : Wiring
        Of a top with inputs clk, rst and given, and an output seen.
    verilog : mapping
        The text that has each module, of those that stand inside others too.
    folder : Path
        Where what was found out of modules is remembered.

    Raises
    ------
    BenchError
        If Yosys cannot read the Verilog.
    ToolError
        If there is no Yosys.
    """
    return _Writer(wiring, verilog, folder).written()


class _Writer:
    """Finds the clusters of a wiring, and writes them as Verilog."""

    def __init__(self, wiring: Wiring, verilog: Mapping[str, str], folder: Path) -> None:
        self.wiring, self.verilog = wiring, verilog
        self.sources = wiring.origins
        self.clusters = self._clusters(self._late(folder))
        self.home = {
            member.name: (number, at)
            for number, cluster in enumerate(self.clusters)
            for at, member in enumerate(cluster.members)
        }
        for number, cluster in enumerate(self.clusters):
            self._look_at(number, cluster)

    def _late(self, folder: Path) -> dict[str, set[str]]:
        """Return by module the outputs that follow from inputs of the same cycle."""
        varying: dict[str, dict[str, bool]] = {}
        for node in self.wiring.nodes:
            found = varying.setdefault(node.module, {})
            for port in self.wiring.modules[node.module]:
                if not port.output:
                    pieces = self.sources[node.name, port.name]
                    found[port.name] = found.get(port.name, False) or any(
                        piece.net not in (CONSTANT, "clk") for piece in pieces
                    )
        return {
            module: {
                output
                for _, output in paths(
                    module, self._text([module]), [name for name in found if found[name]], folder
                )
            }
            for module, found in varying.items()
        }

    def _text(self, modules: Iterable[str]) -> str:
        """Return the text of modules and of all that stand in them."""
        waiting, found = list(modules), dict[str, None]()
        while waiting:
            text = self.verilog[waiting.pop(0)]
            if text not in found:
                found[text] = None
                waiting += sorted(self.verilog.keys() & re.findall(r"\w+", text))
        return "\n".join(found)

    def _clusters(self, late: Mapping[str, set[str]]) -> list[_Cluster]:
        modules = {node.name: node.module for node in self.wiring.nodes}
        joined = nx.Graph()
        joined.add_nodes_from(modules)
        for (reader, _), pieces in self.sources.items():
            for piece in pieces:
                source, _, port = piece.net.rpartition(".")
                if source in modules and port in late[modules[source]]:
                    joined.add_edge(source, reader)
        parts = nx.connected_components(joined)
        home = {name: number for number, part in enumerate(parts) for name in part}
        together: dict[int, list[Instance]] = {}
        for node in self.wiring.nodes:
            together.setdefault(home[node.name], []).append(node)
        return [_Cluster(members) for members in together.values()]

    def _look_at(self, number: int, cluster: _Cluster) -> None:
        """Find what comes into a cluster, and its shape."""
        shape: list[object] = []
        for at, member in enumerate(cluster.members):
            shape.append((member.module, *member.parameters))
            cluster.parameters += [(at, *each) for each in member.parameters.items()]
            for port in self.wiring.modules[member.module]:
                for part, piece in enumerate(self.sources.get((member.name, port.name), ())):
                    inside = self._inside(number, piece)
                    if inside is None:
                        cluster.given.append((at, port.name, part, piece))
                    shape.append((inside or piece.net == CONSTANT, piece.width))
        cluster.shape = tuple(shape)

    def _inside(self, number: int, piece: Slice) -> str | None:
        """Return what a net is called in a cluster; None if it comes from outside."""
        if piece.net in ("clk", "rst"):
            return piece.net
        source, _, port = piece.net.rpartition(".")
        home, at = self.home.get(source, (None, 0))
        return _part(f"m{at}__{port}", piece) if home == number else None

    def written(self) -> Clustered:
        """Return all as text."""
        by_shape: dict[tuple[object, ...], list[int]] = {}
        for number, cluster in enumerate(self.clusters):
            by_shape.setdefault(cluster.shape, []).append(number)
        seen = self.wiring.sources(self.wiring.slices("seen", ""))
        read = {piece.net for piece in seen}
        for cluster in self.clusters:
            read |= {piece.net for *_, piece in cluster.given}
        kinds: dict[str, str] = {}
        lines: list[str] = []
        for kind, numbers in enumerate(by_shape.values()):
            name = f"cluster_{kind}"
            kinds[name], instances = self._kind(name, numbers, read)
            lines += instances
        given = self.wiring.widths["given"]
        width = sum(piece.width for piece in seen)
        ports = f"input clk, input rst, input [{given - 1}:0] given, output [{width - 1}:0] seen"
        network = "\n".join(
            [
                f"module network({ports});",
                *lines,
                f"  assign seen = {_joined(map(self._around, seen))};",
                "endmodule\n",
            ]
        )
        inside = ", ".join(f".{name}({name})" for name in ("clk", "rst", "given", "seen"))
        bench = f"module bench({ports});\n  network n({inside});\nendmodule\n"
        return Clustered(kinds, network, bench)

    def _kind(self, name: str, numbers: Sequence[int], read: set[str]) -> tuple[str, list[str]]:
        """Return the module of a kind of clusters, and the instances of these."""
        several = [self.clusters[number] for number in numbers]
        first = several[0]
        # What is the same in all is written where it is used.
        literal = {
            key[:3]: _constant(key[3])
            for key, *others in zip(*(cluster.given for cluster in several), strict=True)
            if key[3].net == CONSTANT and all(other[3] == key[3] for other in others)
        }
        own = [
            at
            for at, rows in enumerate(zip(*(each.parameters for each in several), strict=True))
            if any(row != rows[0] for row in rows)
        ]
        outputs = [
            (at, port)
            for at, member in enumerate(first.members)
            for port in self.wiring.modules[member.module]
            if port.output
            and any(f"{each.members[at].name}.{port.name}" in read for each in several)
        ]
        ports = ["input clk", "input rst"]
        ports += [
            f"input [{piece.width - 1}:0] m{at}__{port}__{part}"
            for at, port, part, piece in first.given
            if (at, port, part) not in literal
        ]
        ports += [f"output [{port.width - 1}:0] m{at}__{port.name}" for at, port in outputs]
        lines = [f"module {name} {self._parameters(first, own)}(", ",\n".join(ports), ");"]
        for at, member in enumerate(first.members):
            lines += self._member(numbers[0], at, member, literal, own, outputs)
        inside = self._text(member.module for member in first.members)
        text = "\n".join([*lines, "endmodule\n", inside])
        instances = []
        for number, cluster in zip(numbers, several, strict=True):
            for at, port in outputs:
                instances.append(f"  wire [{port.width - 1}:0] c{number}_m{at}__{port.name};")
            joined = [".clk(clk)", ".rst(rst)"]
            joined += [
                f".m{at}__{port}__{part}({self._around(piece)})"
                for at, port, part, piece in cluster.given
                if (at, port, part) not in literal
            ]
            joined += [f".m{at}__{port.name}(c{number}_m{at}__{port.name})" for at, port in outputs]
            values = ", ".join(".m{}__{}({})".format(*cluster.parameters[place]) for place in own)
            with_values = f" #({values})" if values else ""
            instances.append(f"  {name}{with_values} c{number}({', '.join(joined)});")
        return text, instances

    def _parameters(self, cluster: _Cluster, own: Sequence[int]) -> str:
        """Return the declaration of the parameters that a kind of clusters has."""
        declared = []
        for place in own:
            at, name, value = cluster.parameters[place]
            (whole,) = self.wiring.slices(value, "")
            declared.append(f"parameter [{whole.width - 1}:0] m{at}__{name} = 0")
        return f"#({', '.join(declared)}) " if declared else ""

    def _member(
        self,
        number: int,
        at: int,
        member: Instance,
        literal: Mapping[tuple[int, str, int], str],
        own: Sequence[int],
        outputs: Sequence[tuple[int, Port]],
    ) -> Iterator[str]:
        """Yield how a module stands in a cluster."""
        values = []
        for place, (of, name, value) in enumerate(self.clusters[number].parameters):
            if of == at:
                values.append(f".{name}({f'm{at}__{name}' if place in own else value})")
        joined = []
        for port in self.wiring.modules[member.module]:
            name = f"m{at}__{port.name}"
            if port.output:
                if (at, port) not in outputs:
                    yield f"  wire [{port.width - 1}:0] {name};"
                joined.append(f".{port.name}({name})")
                continue
            parts = [
                self._inside(number, piece) or literal.get((at, port.name, part), f"{name}__{part}")
                for part, piece in enumerate(self.sources[member.name, port.name])
            ]
            joined.append(f".{port.name}({_joined(parts)})")
        with_values = f" #({', '.join(values)})" if values else ""
        yield f"  {member.module}{with_values} m{at}({', '.join(joined)});"

    def _around(self, piece: Slice) -> str:
        """Return what bits are called in the network."""
        if piece.net == CONSTANT:
            return _constant(piece)
        source, _, port = piece.net.rpartition(".")
        if source not in self.home:
            return _part(piece.net, piece)
        number, at = self.home[source]
        return _part(f"c{number}_m{at}__{port}", piece)


def _joined(parts: Iterable[str]) -> str:
    """Return bits side by side; the lowest come first."""
    several = list(parts)
    return several[0] if len(several) == 1 else f"{{{', '.join(reversed(several))}}}"


def _part(name: str, piece: Slice) -> str:
    return f"{name}[{piece.low} +: {piece.width}]"


def _constant(piece: Slice) -> str:
    return f"{piece.width}'h{piece.low:x}"
