"""What is joined to what in the Verilog of a network and of its bench: the text that we write."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

CONSTANT = ""
"""The net of a constant."""

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
DECLARATION = re.compile(
    r"\b(?:input|output|wire)\s+(?:\[(\d+):0\]\s*)?(\w+)(?:\s*=\s*([^;]*))?\s*[;,]?"
)
ASSIGNMENT = re.compile(r"\bassign\s+([^=]+?)\s*=\s*([^;]+);")
CONNECTIONS = r"((?:\s*\.\w+\([^()]*\)\s*,?)*)\s*"
INSTANCE = re.compile(rf"\b(\w+)\s+(?:#\({CONNECTIONS}\)\s*)?(\w+)\s*\({CONNECTIONS}\);")
CONNECTION = re.compile(r"\.(\w+)\(([^()]*)\)")
DIRECTION = re.compile(r"\b(input|output)\s+(?:\[\d+:0\]\s*)?(\w+)")
FRAME = re.compile(r"\bmodule\s+(\w+)\s*\(|\bendmodule\b")
LITERAL = re.compile(r"(\d+)'(?:h([0-9a-f]+)|d(\d+)|b([01]+))")
PART = re.compile(r"([\w.]+)(?:\[(\d+)(?:\s*\+:\s*(\d+))?\])?")
REPEATED = re.compile(r"\{\s*(\d+)\s*\{(.*)\}\s*\}", re.S)

HEADER = re.compile(r"^module (\w+)\s*(?:#\(.*?\)\s*)?\((.*?)\);", re.M | re.S)
PORT = re.compile(r"^\s*(input|output)\s+(?:\[(\d+):0\]\s*)?(\w+)\s*;", re.M)
IN_HEADER = re.compile(r"\b(input|output)\s+(?:reg\s+)?(?:\[(\d+):0\]\s*)?(\w+)")


class WiringError(ValueError):
    """The Verilog has something that is not in what we write."""


class Slice(NamedTuple):
    """Bits of a net; of a constant, `low` is its value."""

    net: str
    low: int
    width: int


class Port(NamedTuple):
    """A port of a module."""

    name: str
    output: bool
    width: int


class Instance(NamedTuple):
    """A module that stands somewhere, and what its ports and parameters are connected to.

    `scope` is what the names of nets in the text around it begin with.
    """

    module: str
    name: str
    connections: Mapping[str, str]
    parameters: Mapping[str, str]
    scope: str = ""


def ports(verilog: str) -> dict[str, tuple[Port, ...]]:
    """Return the ports of the first module of a file, by the name of the module.

    They are declared in its header or, as Yosys writes them, behind it.

    Raises
    ------
    WiringError
        If there is no module, or its ports are declared in another form.
    """
    verilog = COMMENT.sub("", verilog)
    header = HEADER.search(verilog)
    if header is None:
        raise WiringError("Wiring needs a module in every file")
    body = verilog[header.end() : verilog.index("endmodule", header.end())]
    here = list(IN_HEADER.finditer(header[2]))
    names = {match[3] for match in here} or set(re.findall(r"\w+", header[2]))
    found = {
        match[3]: Port(match[3], match[1] == "output", int(match[2] or 0) + 1)
        for match in here or PORT.finditer(body)
    }
    if set(found) != names:
        raise WiringError(f"Wiring needs ports of {header[1]} that are declared line by line")
    return {header[1]: tuple(found.values())}


class Wiring:
    """Modules as text, which join others, and where the bits of a net come from.

    Parameters
    ----------
    top : str
        Verilog: the module around all, with inputs clk, rst and given, and an output seen.
    inside : iterable of str
        Verilog of modules of the same kind, which stand inside.
    modules : mapping
        The ports of the modules that stand at nodes, by name.

    Attributes
    ----------
    nodes : list of Instance
        What stands at the nodes.
    inputs : set of str
        The inputs of the top: there the search for a source ends.

    Raises
    ------
    WiringError
        If there is something in the text that is not understood.
    """

    def __init__(
        self, top: str, inside: Iterable[str], modules: Mapping[str, tuple[Port, ...]]
    ) -> None:
        self.modules = modules
        self.widths: dict[str, int] = {}
        self.drivers: dict[str, dict[int, tuple[int, list[Slice]]]] = {}
        self.inputs = {"clk", "rst", "given"}
        self._texts = {_name(text): text for text in inside}
        self.nodes: list[Instance] = []
        self._scope(top, "")
        for node in self.nodes:
            for port in modules[node.module]:
                if port.output and node.connections.get(port.name):
                    target = self.slices(node.connections[port.name], node.scope)
                    if target:
                        self._drive(target, [Slice(f"{node.name}.{port.name}", 0, port.width)])

    def _scope(self, text: str, scope: str) -> None:
        """Take the declarations and assignments of a module, and of the modules in it."""
        text = FRAME.sub(" ", COMMENT.sub("", text))
        found = [
            Instance(
                each[1],
                scope + each[3],
                dict(CONNECTION.findall(each[4])),
                dict(CONNECTION.findall(each[2] or "")),
                scope,
            )
            for each in INSTANCE.finditer(text)
        ]
        text = INSTANCE.sub(" ", text)
        assigned = [(left, right) for left, right in ASSIGNMENT.findall(text)]
        text = ASSIGNMENT.sub(" ", text)
        for width, name, value in DECLARATION.findall(text):
            self.widths[scope + name] = int(width or 0) + 1
            if value:
                assigned.append((name, value))
        rest = DECLARATION.sub(" ", text).replace(")", " ").replace(";", " ").split()
        if rest:
            raise WiringError(f"Wiring needs Verilog as it is generated, not {rest[0]!r}")
        for instance in found:
            if instance.module in self._texts:
                self._enter(instance)
            else:
                self.nodes.append(instance)
        for left, right in assigned:
            self._drive(self.slices(left, scope), self.slices(right, scope))

    def _enter(self, instance: Instance) -> None:
        """Take the module of an instance, and join its ports to what is around it."""
        text, scope = self._texts[instance.module], f"{instance.name}."
        self._scope(text, scope)
        directions = {found[2]: found[1] for found in DIRECTION.finditer(COMMENT.sub("", text))}
        for name, expression in instance.connections.items():
            within = [Slice(scope + name, 0, self.widths[scope + name])]
            around = self.slices(expression, instance.scope)
            if directions[name] == "input":
                self._drive(within, around)
            else:
                self._drive(around, within)

    def slices(self, expression: str, scope: str) -> list[Slice]:
        """Return the bits of an expression, lowest first.

        Raises
        ------
        WiringError
            If it is none that we write, or has a name that is not declared.
        """
        expression = expression.strip()
        if not expression:
            return []
        if expression.startswith("{"):
            repeated = REPEATED.fullmatch(expression)
            if repeated:
                return self.slices(repeated[2], scope) * int(repeated[1])
            several = reversed(list(_parts(expression[1:-1])))
            return [piece for part in several for piece in self.slices(part, scope)]
        literal = LITERAL.fullmatch(expression)
        if literal:
            value = next(
                int(digits, base)
                for digits, base in zip(literal.groups()[1:], (16, 10, 2), strict=True)
                if digits is not None
            )
            return [Slice(CONSTANT, value, int(literal[1]))]
        part = PART.fullmatch(expression)
        if part is None or scope + part[1] not in self.widths:
            raise WiringError(f"Wiring needs names that are declared, not {expression!r}")
        name = scope + part[1]
        if part[2] is None:
            return [Slice(name, 0, self.widths[name])]
        return [Slice(name, int(part[2]), int(part[3] or 1))]

    def _drive(self, targets: list[Slice], sources: list[Slice]) -> None:
        """Note where the bits of nets come from; what has another width is cut or extended by 0."""
        for target in targets:
            pieces, sources = _take(sources, target.width)
            self.drivers.setdefault(target.net, {})[target.low] = target.width, pieces

    @cached_property
    def origins(self) -> dict[tuple[str, str], list[Slice]]:
        """Return where the bits of each input of each node come from, by node and port."""
        return {
            (node.name, port.name): self.sources(
                self.slices(node.connections[port.name], node.scope)
            )
            for node in self.nodes
            for port in self.modules[node.module]
            if not port.output
        }

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        return {net: sorted(parts) for net, parts in self.drivers.items()}

    def sources(self, wanted: list[Slice]) -> list[Slice]:
        """Return where bits come from: from outputs of nodes, inputs of the bench, or constants.

        Raises
        ------
        WiringError
            If nothing drives a bit.
        """
        found: list[Slice] = []
        for piece in wanted:
            if piece.net not in self.drivers:
                if piece.net in self.widths and piece.net not in self.inputs:
                    raise WiringError(f"Wiring needs a driver for {piece.net}")
                found.append(piece)
                continue
            low, end = piece.low, piece.low + piece.width
            while low < end:
                start, width, pieces = self._driver(piece.net, low)
                stop = min(end, start + width)
                _, behind = _take(pieces, low - start)
                inside, _ = _take(behind, stop - low)
                found += self.sources(inside)
                low = stop
        return found

    def _driver(self, net: str, bit: int) -> tuple[int, int, list[Slice]]:
        drivers = self.drivers[net]
        if bit not in drivers:
            places = self._places[net]
            start = places[max(0, bisect_right(places, bit) - 1)]
        else:
            start = bit
        width, pieces = drivers[start]
        if not start <= bit < start + width:
            raise WiringError(f"Wiring needs a driver for bit {bit} of {net}")
        return start, width, pieces


def _name(verilog: str) -> str:
    """Return the name of the first module of a text."""
    found = FRAME.search(COMMENT.sub("", verilog))
    if found is None or found[1] is None:
        raise WiringError("Wiring needs a module in every text")
    return found[1]


def _parts(text: str) -> Iterator[str]:
    """Yield what stands between the commas that are in no brackets."""
    depth = start = 0
    for found in re.finditer(r"[{},]", text):
        depth += {"{": 1, "}": -1, ",": 0}[found[0]]
        if found[0] == "," and not depth:
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]


def _take(pieces: list[Slice], width: int) -> tuple[list[Slice], list[Slice]]:
    """Return the lowest bits of some, and the others; zeros stand for what is missing."""
    taken: list[Slice] = []
    for number, piece in enumerate(pieces):
        if not width:
            return taken, pieces[number:]
        if piece.width > width:
            net, low, whole = piece
            rest = whole - width
            if net == CONSTANT:
                taken.append(Slice(net, low & (1 << width) - 1, width))
                return taken, [Slice(net, low >> width, rest), *pieces[number + 1 :]]
            taken.append(Slice(net, low, width))
            return taken, [Slice(net, low + width, rest), *pieces[number + 1 :]]
        taken.append(piece)
        width -= piece.width
    return [*taken, Slice(CONSTANT, 0, width)] if width else taken, []
