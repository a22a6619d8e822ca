"""A component as a tree of modules, from Amaranth's own tree of statements.

This is the only file that uses modules that are private to Amaranth.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from amaranth.hdl import _ast, _ir, _mem
from amaranth.lib import wiring

from fingerpost.hdl.emit.names import names_from_source
from fingerpost.hdl.emit.printer import expressions as e
from fingerpost.hdl.emit.printer.expressions import Expr, Net, Place, Statement


class Unsupported(ValueError):
    """A construct that the printer does not know, with its place in the source."""

    def __init__(self, what: str, place: Place | None) -> None:
        super().__init__(f"{what} has no Verilog here" + (f": {place[0]}:{place[1]}" if place else ""))


@dataclass(frozen=True, eq=False)
class Port:
    """A port of a module: direction, net, and the path of the member; that of a clock is empty."""

    direction: str
    net: Net
    path: tuple[str | int, ...] = ()
    meaning: str = ""


@dataclass(frozen=True, eq=False)
class Clock:
    """The clock of registers."""

    clk: Expr
    rst: Expr | None
    edge: str
    is_async: bool


@dataclass(frozen=True, eq=False)
class Write:
    """A write port: an enable for each part of a row."""

    clk: Expr
    address: Expr
    data: Expr
    enables: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Read:
    """A read port, with a clock or at once; `data` is the net that it drives."""

    clk: Expr | None
    address: Expr
    enable: Expr
    data: Net
    transparent: bool


@dataclass(frozen=True, eq=False)
class Memory:
    """A memory with its ports."""

    name: str
    width: int
    init: tuple[int, ...]
    attributes: Mapping[str, str]
    writes: tuple[Write, ...]
    reads: tuple[Read, ...]
    place: Place | None


@dataclass(eq=False)
class Module:
    """A module; the connections of an instance are the nets here and the ports there.

    Attributes
    ----------
    own : list
        The signals of Amaranth, with the nets that they consist of and the first bits of these.
    names : dict
        What nets, instances and memories are called in the text.
    """

    path: tuple[str, ...]
    component: Any
    ports: list[Port] = field(default_factory=list)
    comb: list[Statement] = field(default_factory=list)
    clocked: list[tuple[Clock, list[Statement]]] = field(default_factory=list)
    instances: list["Instance"] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    own: list[tuple[Any, tuple[tuple[Net, int], ...]]] = field(default_factory=list)
    names: dict[Any, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Instance:
    """An instance of a module: an expression for each input, a net for each output, by port."""

    name: str
    module: Module
    inputs: Mapping[Port, Expr]
    outputs: Mapping[Port, Net]
    place: Place | None


def place_of(value: Any) -> Place | None:
    """Return where a value or statement is in the source."""
    found = getattr(value, "src_loc", None)
    return (found[0], found[1]) if found else None


def members(component: Any) -> list[tuple[tuple[str | int, ...], bool, Any]]:
    """Return the members of a component: path, whether it is an output, signal."""
    if not isinstance(component, wiring.Component):
        return []
    found = []
    for path, member, value in component.signature.flatten(component):
        signal = _ast.Value.cast(value)
        if isinstance(signal, _ast.Signal) and len(signal):
            found.append((path, member.flow == wiring.Out, signal))
    return found


class Design:
    """A component after elaboration.

    Attributes
    ----------
    design : amaranth.hdl._ir.Design
        From which Amaranth makes its own netlist.
    """

    def __init__(self, component: wiring.Component, name: str) -> None:
        ports = {
            "__".join(map(str, path)): (
                signal,
                _ir.PortDirection.Output if output else _ir.PortDirection.Input,
            )
            for path, output, signal in members(component)
        }
        with names_from_source():
            fragment = _ir.Fragment.get(component, None)
            self.design = fragment.prepare(ports=ports, hierarchy=(name,))
        self.top: Any = self.design.fragment
        self.top_ports = sorted(
            ((name, signal, direction == _ir.PortDirection.Output)
             for name, signal, direction in self.design.ports if len(signal)),
            key=lambda port: (port[0] in ports, (port[0] not in ports) * (port[0] != "clk"))
        )  # fmt: skip
        self.driver: dict[int, Any] = {}
        self.read: set[int] = set()
        self.uses: dict[Any, tuple[dict[int, Any], dict[int, Any]]] = {}
        self._collect(self.top)
        self._inputs = {signal.duid for _, signal, output in self.top_ports if not output}
        self.modules: dict[Any, Module] = {}

    def names(self) -> dict[str, list[tuple[str, int, int]]]:
        """Return where Amaranth's names are in the text: name, first and last bit + 1, by path.

        To be called when the modules have been written.
        """
        found: dict[str, list[tuple[str, int, int]]] = {}
        paths = {self.top: ""}
        for fragment, info in self.design.fragments.items():
            module = self.modules.get(fragment)
            if module is None or fragment not in paths:
                continue
            here, there = "".join(f"{each}." for each in info.name[1:]), paths[fragment]
            for signal, nets in module.own:
                if signal in info.signal_names:
                    found[here + info.signal_names[signal]] = [
                        (there + module.names[net], at, at + net.width)
                        for net, at in nets if net in module.names
                    ]  # fmt: skip
            memories = iter(module.memories)
            for child, _, _ in fragment.subfragments:
                name = self.design.fragments[child].name[-1]
                if isinstance(child, _mem.MemoryInstance):
                    memory = next(memories)
                    for row in range(len(memory.init)):
                        told = f"{there}{module.names[memory]}[{row}]"
                        found[f"{here}{name}[{row}]"] = [(told, 0, memory.width)]
                else:
                    for instance in module.instances:
                        if instance.module is self.modules.get(child):
                            paths[child] = f"{there}{module.names[instance]}."
        return found

    @cached_property
    def module(self) -> Module:
        """The top module; the others are in its instances."""
        return self._module(self.top)

    def _collect(self, fragment: Any) -> tuple[dict[int, Any], dict[int, Any]]:
        """Find the signals that a fragment and those inside it read and drive."""
        reads: dict[int, Any] = {}
        drives: dict[int, Any] = {}

        def use(value: Any, into: dict[int, Any]) -> None:
            for signal in _signals(value):
                into.setdefault(signal.duid, signal)

        def visit(statement: Any) -> None:
            if isinstance(statement, _ast.Assign):
                use(statement.rhs, reads)
                for signal in _targets(statement.lhs, reads):
                    drives.setdefault(signal.duid, signal)
            elif isinstance(statement, _ast.Switch):
                use(statement.test, reads)
                for _, body, _ in statement.cases:
                    for each in body:
                        visit(each)
            else:
                raise Unsupported(type(statement).__name__, place_of(statement))

        for domain, statements in fragment.statements.items():
            for statement in statements:
                visit(statement)
            if domain != "comb":
                self._clock_signals(fragment.domains[domain], reads)
        if isinstance(fragment, _mem.MemoryInstance):
            for port in (*fragment._read_ports, *fragment._write_ports):
                use(port._addr, reads)
                use(port._en, reads)
                use(port._data, drives if port in fragment._read_ports else reads)
                if port._domain != "comb":
                    self._clock_signals(fragment.domains[port._domain], reads, reset=False)
        elif type(fragment) not in (_ir.Fragment, _ir.RequirePosedge):
            raise Unsupported(type(fragment).__name__, place_of(fragment))
        for duid, signal in drives.items():
            if self.driver.setdefault(duid, fragment) is not fragment:
                raise Unsupported(f"{signal.name}, driven in two modules,", place_of(signal))
        self.read |= set(reads)
        for inner, _, _ in fragment.subfragments:
            more = self._collect(inner)
            reads |= {k: v for k, v in more[0].items() if k not in reads}
            drives |= more[1]
        self.uses[fragment] = reads, drives
        return self.uses[fragment]

    @staticmethod
    def _clock_signals(domain: Any, into: dict[int, Any], *, reset: bool = True) -> None:
        into.setdefault(domain.clk.duid, domain.clk)
        if reset and domain.rst is not None:
            into.setdefault(domain.rst.duid, domain.rst)

    def component(self, fragment: Any) -> Any:
        """Return what a fragment was made from."""
        origins = list(fragment.origins or ())
        components = [each for each in origins if isinstance(each, wiring.Component)]
        return (components or origins or [None])[0]

    def constant(self, signal: Any) -> bool:
        """Return whether nothing drives a signal, so that it has its initial value."""
        return signal.duid not in self.driver and signal.duid not in self._inputs

    def ports(self, fragment: Any) -> Iterator[tuple[str, Any, tuple[str | int, ...]]]:
        """Yield the ports of a module: direction, signal, path; its clocks first."""
        if fragment is self.top:
            paths = {signal.duid: path for path, _, signal in members(self.component(fragment))}
            for name, signal, output in self.top_ports:
                yield "output" if output else "input", signal, paths.get(signal.duid, (name,))
            return
        reads, drives = self.uses[fragment]
        declared = members(self.component(fragment))
        known = {signal.duid for _, _, signal in declared}
        outside = self.design.fragments[self.design.fragments[fragment].parent].used_signals
        clocks = {
            signal.duid for domain in fragment.domains.values() for signal in (domain.clk, domain.rst)
            if signal is not None
        }  # fmt: skip
        crossing = [
            ("output" if duid in drives else "input", signal)
            for duid, signal in (reads | drives).items()
            if duid not in known and signal in outside and not self.constant(signal)
        ]
        crossing.sort(key=lambda port: (port[1].duid not in clocks, port[1].name != "clk"))
        for direction, signal in crossing:
            yield direction, signal, (signal.name,)
        for path, output, signal in declared:
            if output and (signal.duid in drives or self.constant(signal)):
                yield "output", signal, path
            elif signal.duid in reads and signal.duid not in drives:
                yield "input", signal, path

    def _module(self, fragment: Any) -> Module:
        lowering = _Lowering(self, fragment)
        self.modules[fragment] = lowering.module
        return lowering.module


def _signals(value: Any) -> Iterator[Any]:
    """Yield the signals that a value reads."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case _ast.Signal() as signal:
                if len(signal):
                    yield signal
            case _ast.Operator(operands=inner) | _ast.Concat(parts=inner):
                waiting += reversed(inner)
            case _ast.Slice(value=inner):
                waiting.append(inner)
            case _ast.Part(value=inner, offset=offset):
                waiting += [offset, inner]
            case _ast.SwitchValue(test=test, cases=cases):
                waiting += [inner for _, inner in reversed(cases)] + [test]
            case _ast.Const():
                pass
            case other:
                raise Unsupported(type(other).__name__, place_of(other))


def _targets(lhs: Any, reads: dict[int, Any]) -> Iterator[Any]:
    """Yield the signals that are assigned; what selects among them is read."""
    match lhs:
        case _ast.Signal():
            if len(lhs):
                yield lhs
        case _ast.Slice(value=inner):
            yield from _targets(inner, reads)
        case _ast.Operator(operator="u" | "s", operands=(inner,)):
            yield from _targets(inner, reads)
        case _ast.Concat(parts=parts):
            for part in parts:
                yield from _targets(part, reads)
        case _ast.Part(value=inner, offset=offset):
            reads |= {s.duid: s for s in _signals(offset) if s.duid not in reads}
            yield from _targets(inner, reads)
        case _ast.SwitchValue(test=test, cases=cases):
            reads |= {s.duid: s for s in _signals(test) if s.duid not in reads}
            for _, inner in cases:
                yield from _targets(inner, reads)
        case _:
            raise Unsupported(f"assignment to {type(lhs).__name__}", place_of(lhs))


def _fields(signal: Any) -> dict[tuple[int, int], str]:
    """Return the names of the fields of a signal with a layout, by their bits."""
    found: dict[tuple[int, int], str] = {}

    def visit(form: Any, path: tuple[str, ...]) -> None:
        if isinstance(form, _ast.Format.Struct | _ast.Format.Array):
            inner = form._fields
            for name, each in inner.items() if isinstance(inner, dict) else enumerate(inner):
                visit(each, (*path, str(name)))
            value = form._value
        elif isinstance(form, _ast.Format.Enum):
            value = form._value
        else:
            values = [chunk[0] for chunk in form._chunks if not isinstance(chunk, str)]
            value = values[0] if len(values) == 1 else None
        at = 0
        inner_value: Any = value
        while isinstance(inner_value, _ast.Slice | _ast.Operator):
            at += inner_value.start if isinstance(inner_value, _ast.Slice) else 0
            inner_value = (
                inner_value.value if isinstance(inner_value, _ast.Slice) else inner_value.operands[0]
            )
        if path and inner_value is signal and len(value):
            found.setdefault((at, at + len(value)), "_".join(path))

    visit(signal._format, ())
    return found


def _states(signal: Any) -> dict[int, str]:
    """Return the names of the values of a signal that holds a state or an enumeration."""
    if isinstance(signal._format, _ast.Format.Enum):
        return {value & e.ones(len(signal)): name for value, name in signal._format._variants.items()}
    return {}


class _Lowering:
    """Turns one fragment into a module."""

    def __init__(self, design: Design, fragment: Any) -> None:
        self.design, self.fragment = design, fragment
        path = design.design.fragments[fragment].name[1:]
        self.module = Module(path, design.component(fragment))
        self.nets: dict[int, Net] = {}
        self.split: dict[int, Expr] = {}
        self.lowered: dict[int, tuple[Any, Expr]] = {}
        separator = "__" if fragment is design.top else "_"
        self.live = design.read | {s.duid for _, s, _ in design.top_ports}
        clocks = {
            signal.duid: meaning
            for domain in fragment.domains.values()
            for signal, meaning in (
                (domain.clk, "rising edge" if domain.clk_edge == "pos" else "falling edge"),
                (domain.rst, "asynchronous, active high" if domain.async_reset
                 else "synchronous, active high"),
            )
            if signal is not None
        }  # fmt: skip
        ports: dict[int, Port] = {}
        for direction, signal, member in design.ports(fragment):
            net = self._net(signal)
            net.name = separator.join(map(str, member))
            ports[signal.duid] = Port(direction, net, member, clocks.get(signal.duid, ""))
        self.module.ports, self.ported = list(ports.values()), ports
        self._split()
        children = [each for each in fragment.subfragments if type(each[0]) is _ir.Fragment]
        inner = [(design._module(child), child, name, place) for child, name, place in children]
        for domain, statements in fragment.statements.items():
            lowered = [low for each in statements for low in self._statement(each)]
            if domain == "comb":
                self.module.comb = lowered
            elif lowered:
                self.module.clocked.append((self._clock(fragment.domains[domain]), lowered))
        for module, child, name, place in inner:
            if module.ports:
                self.module.instances.append(self._instance(module, child, name, place))
        for child, name, _ in fragment.subfragments:
            if isinstance(child, _mem.MemoryInstance):
                self.module.memories.append(self._memory(child, name or "memory"))
        for duid, port in ports.items():
            if port.direction == "output" and self.split.get(duid, e.whole(port.net)).kind != "net":
                target = e.Target(port.net, 0, port.net.width)
                self.module.comb.append(e.Assign(target, self.split[duid], None))
            elif port.direction == "output" and duid not in design.driver:
                target = e.Target(port.net, 0, port.net.width)
                self.module.comb.append(e.Assign(target, e.const(port.net.init, port.net.width), None))

    # Signals.

    def _net(self, signal: Any) -> Net:
        if signal.duid not in self.nets:
            self.nets[signal.duid] = net = Net(
                signal.name, len(signal), signal.init & e.ones(len(signal)), place_of(signal),
                _fields(signal), _states(signal), bool(signal.reset_less),
            )  # fmt: skip
            self.module.own.append((signal, ((net, 0),)))
        return self.nets[signal.duid]

    def _signal(self, signal: Any) -> Expr:
        """Return a signal: of its parts, or its initial value if nothing drives it."""
        if not len(signal):
            return e.const(0, 0)
        if signal.duid in self.split:
            return self.split[signal.duid]
        if self.design.constant(signal) and signal.duid not in self.ported:
            return e.const(signal.init, len(signal))
        return e.whole(self._net(signal))

    def _split(self) -> None:
        """Make several nets of a signal whose bits are driven in several domains.

        And of one that is assigned by its fields, where no port needs it whole.
        """
        ranges: dict[int, dict[tuple[int, int], str]] = {}
        signals: dict[int, Any] = {}
        dynamic: set[int] = set()

        def visit(domain: str, statement: Any) -> None:
            if isinstance(statement, _ast.Switch):
                for _, body, _ in statement.cases:
                    for each in body:
                        visit(domain, each)
                return
            for signal in _targets(statement.lhs, {}):
                signals[signal.duid] = signal
            parts = _static(statement.lhs)
            if parts is None:
                dynamic.update(signal.duid for signal in _targets(statement.lhs, {}))
            for signal, start, stop in parts or ():
                ranges.setdefault(signal.duid, {})[start, stop] = domain

        for domain, statements in self.fragment.statements.items():
            for statement in statements:
                visit(domain, statement)
        for duid, found in ranges.items():
            signal = signals[duid]
            fields, domains = _fields(signal), set(found.values())
            by_field = duid not in self.ported and domains == {"comb"} and all(
                part in fields for part in found
            )
            if duid in dynamic or (len(domains) == 1 and not (by_field and len(found) > 1)):
                continue
            cuts = {0, len(signal), *(at for part in found for at in part)}
            if len(domains) > 1:  # as few parts as the domains need
                owner = [next((d for (a, b), d in found.items() if a <= at < b), "comb")
                         for at in range(len(signal))]  # fmt: skip
                cuts = {0, len(signal), *(at for at in range(1, len(signal)) if owner[at] != owner[at - 1]),
                        *(at for (a, b), _ in found.items() if (a, b) in fields for at in (a, b))}  # fmt: skip
            places = sorted(cuts)
            name = self._net(signal).name
            parts = []
            for start, stop in zip(places, places[1:], strict=False):
                label = fields.get((start, stop), f"{start}" if stop == start + 1 else f"{stop - 1}_{start}")
                parts.append((Net(f"{name}_{label}", stop - start, (signal.init >> start) & e.ones(stop - start),
                                  place_of(signal), reset_less=bool(signal.reset_less)), start))  # fmt: skip
            self.split[duid] = e.cat(e.whole(net) for net, _ in parts)
            self.module.own = [
                (s, tuple(parts)) if s is signal else (s, of) for s, of in self.module.own
            ]

    # Values.

    def value(self, value: Any) -> Expr:
        """Return a value of Amaranth as an expression of the same width."""
        known = self.lowered.get(id(value))
        if known is None:
            known = self.lowered[id(value)] = value, self._lowered(value)
            assert known[1].width == len(value), value
            if known[1].place is None and not known[1].plain:
                known[1].place = place_of(value)
        return known[1]

    def _lowered(self, value: Any) -> Expr:
        match value:
            case _ast.Const():
                return e.const(value.value, len(value))
            case _ast.Signal():
                return self._signal(value)
            case _ast.Slice():
                return e.bits(self.value(value.value), value.start, value.stop)
            case _ast.Concat():
                return e.cat(self.value(part) for part in value.parts)
            case _ast.Operator():
                return self._operator(value)
            case _ast.Part():
                inner, offset = value.value, self.value(value.offset)
                reach = e.ones(offset.width) * value.stride + value.width
                wide = self._wide(inner, max(reach, len(inner)))
                return e.index(wide, offset, value.stride, value.width)
            case _ast.SwitchValue():
                found = e.const(0, len(value))
                branches = self._branches(value.test, [(p, each) for p, each in value.cases])
                for condition, each in reversed(branches):
                    new = self._wide(each, len(value))
                    found = new if condition is None else e.mux(condition, new, found)
                return found
        raise Unsupported(type(value).__name__, place_of(value))

    def _wide(self, value: Any, width: int) -> Expr:
        return e.extended(self.value(value), width, signed=value.shape().signed)

    def _operator(self, value: Any) -> Expr:
        op, operands, width = value.operator, value.operands, len(value)
        signed = any(each.shape().signed for each in operands)
        match op, operands:
            case ("u" | "s"), (inner,):
                return self.value(inner)
            case ("b" | "r|" | "r&" | "r^"), (inner,):
                return e.reduced("|" if op == "b" else op[1], self.value(inner))
            case "~", (inner,):
                return e.invert(self.value(inner))
            case "-", (inner,):
                return e.negate(self._wide(inner, width))
            case ("&" | "|" | "^" | "+" | "-" | "*"), (a, b):
                return e.binary(op, self._wide(a, width), self._wide(b, width))
            case ("==" | "!=" | "<" | "<=" | ">" | ">="), (a, b):
                shape = _ast.Shape._unify((a.shape(), b.shape()))
                wide = self._wide(a, shape.width), self._wide(b, shape.width)
                compare = e.signed_compare if shape.signed and op not in ("==", "!=") else e.binary
                return compare(op, *wide)
            case ("<<" | ">>"), (a, b) if op == "<<" or not signed:
                return e.shifted(op, self._wide(a, width), self.value(b))
            case ("//" | "%"), (a, b) if not signed:
                size = max(len(a), len(b))
                zero = e.binary("==", self.value(b), e.const(0, len(b)))
                verilog = "/" if op == "//" else "%"
                found = e.bits(e.binary(verilog, self._wide(a, size), self._wide(b, size)), 0, width)
                # Amaranth's quotient and remainder of 0 are 0.
                return e.mux(zero, e.const(0, width), found)
        raise Unsupported(f"operator {op} of signed values", place_of(value))

    def _branches(self, test: Any, cases: list[tuple[Any, Any]]) -> list[tuple[Expr | None, Any]]:
        """Return the cases of a switch with their conditions; None: always."""
        parts = test.parts if isinstance(test, _ast.Concat) else None
        branches: list[tuple[Expr | None, Any]] = []
        if len(cases) == 2 and cases[0][0] == ("0" * len(test),) and cases[1][0] is None:
            return [(e.reduced("|", self.value(test)), cases[1][1]), (None, cases[0][1])]  # a Mux
        for patterns, body in cases:
            if patterns is None:
                branches.append((None, body))
                break
            if parts and len(patterns) == 1 and self._one_hot(patterns[0]) and len(parts) == len(test):
                branches.append((self.value(parts[patterns[0][::-1].index("1")]), body))
            else:
                branches.append((e.matches(self.value(test), patterns), body))
        return branches

    @staticmethod
    def _one_hot(pattern: str) -> bool:
        return pattern.count("1") == 1 and pattern.count("-") == len(pattern) - 1

    # Statements.

    def _statement(self, statement: Any) -> list[Statement]:
        place = place_of(statement)
        if isinstance(statement, _ast.Assign):
            if not any(s.duid in self.live or s.duid in self.ported for s in _targets(statement.lhs, {})):
                return []
            return self._assign(statement.lhs, self._wide(statement.rhs, len(statement.lhs)), place)
        cases = [
            (patterns, tuple(low for each in body for low in self._statement(each)))
            for patterns, body, _ in statement.cases
        ]
        while cases and not cases[-1][1] and cases[-1][0] is None:
            cases.pop()
        if not any(body for _, body in cases):
            return []
        return [self._switch(statement.test, cases, place)]

    def _switch(self, test: Any, cases: list[tuple[Any, Any]], place: Place | None) -> Statement:
        """Return an if where the test is one of conditions, else a case."""
        every = [pattern for patterns, _ in cases for pattern in patterns or ()]
        if len(test) == 1 or all(map(self._one_hot, every)) and isinstance(test, _ast.Concat):
            return e.If(tuple(self._branches(test, cases)), place)
        return e.Case(self.value(test), tuple(cases), place)

    def _assign(self, lhs: Any, value: Expr, place: Place | None) -> list[Statement]:
        match lhs:
            case _ast.Operator(operator="u" | "s", operands=(inner,)):
                return self._assign(inner, value, place)
            case _ast.Concat():
                found, at = [], 0
                for part in lhs.parts:
                    found += self._assign(part, e.bits(value, at, at + len(part)), place)
                    at += len(part)
                return found
            case _ast.SwitchValue():
                cases = [
                    (p, tuple(self._assign(each, e.extended(value, len(each)), place)))
                    for p, each in lhs.cases
                ]
                return [self._switch(lhs.test, cases, place)]
            case _ast.Part():
                offset, size = self.value(lhs.offset), len(lhs.value)
                if parts := self._dynamic(lhs, offset):
                    net, start = parts
                    return [e.Assign(e.Target(net, start, lhs.width, offset, lhs.stride), value, place)]
                chosen: list[tuple[Any, Any]] = []
                for number in range(min(-(-size // lhs.stride), 1 << offset.width)):
                    low = number * lhs.stride
                    high = min(low + lhs.width, size)
                    body = self._assign(lhs.value[low:high], e.bits(value, 0, high - low), place)
                    chosen.append(((f"{number:0{offset.width}b}" if offset.width else "",), tuple(body)))
                return [self._switch(lhs.offset, chosen, place)]
        parts = _static(lhs)
        if parts is None:
            raise Unsupported("assignment to a part of several signals", place)
        found, at = [], 0
        for signal, start, stop in parts:
            found += self._pieces(signal, start, e.bits(value, at, at + stop - start), place)
            at += stop - start
        return found

    def _dynamic(self, lhs: Any, offset: Expr) -> tuple[Net, int] | None:
        """Return net and first bit of a value of which a part can be selected by its first bit.

        No more than a single bit may be outside; then it is not written.
        """
        parts = _static(lhs.value)
        if not parts or len(parts) > 1 or parts[0][0].duid in self.split or not offset.width:
            return None
        ((signal, start, stop),) = parts
        reach = e.ones(offset.width) * lhs.stride + lhs.width
        if reach <= stop - start or (lhs.width == 1 and 1 < stop == len(signal)):
            return self._net(signal), start
        return None

    def _pieces(self, signal: Any, start: int, value: Expr, place: Place | None) -> list[Statement]:
        """Return assignments to bits of a signal, which may be of several nets."""
        if not value.width or not (signal.duid in self.live or signal.duid in self.ported):
            return []
        stop = start + value.width
        parts = [(self._net(signal), 0)]
        if signal.duid in self.split:
            parts = next(list(of) for s, of in self.module.own if s is signal)
        found: list[Statement] = []
        for net, at in parts:
            low, high = max(start, at), min(stop, at + net.width)
            if low < high:
                target = e.Target(net, low - at, high - low)
                found.append(e.Assign(target, e.bits(value, low - start, high - start), place))
        return found

    def _clock(self, domain: Any) -> Clock:
        rst = None if domain.rst is None else self._signal(domain.rst)
        edge = {"pos": "posedge", "neg": "negedge"}[domain.clk_edge]
        return Clock(self._signal(domain.clk), rst, edge, bool(domain.async_reset))

    # What is inside.

    def _instance(self, module: Module, child: Any, name: Any, place: Any) -> Instance:
        inputs: dict[Port, Expr] = {}
        outputs: dict[Port, Net] = {}
        name = name or self.design.design.fragments[child].name[-1]
        for (direction, signal, member), port in zip(self.design.ports(child), module.ports, strict=True):
            if direction == "input":
                inputs[port] = self._signal(signal)
                continue
            net = outputs[port] = self._net(signal)
            if signal.duid not in self.ported:
                net.name = f"{name}_{port.net.name}"
        return Instance(name, module, inputs, outputs, (place[0], place[1]) if place else None)

    def _memory(self, memory: Any, name: str) -> Memory:
        data, place = memory._data, place_of(memory)
        writes = tuple(
            Write(
                self._signal(memory.domains[port._domain].clk),
                self.value(port._addr),
                self.value(port._data),
                tuple(self.value(bit) for bit in port._en),
            )
            for port in memory._write_ports
        )
        reads = []
        for port in memory._read_ports:
            if not isinstance(port._data, _ast.Signal):
                target = _static(port._data)
                if not target or len(target) != 1 or target[0][1:] != (0, len(target[0][0])):
                    raise Unsupported("memory that is read into a part of a signal", place)
                signal = target[0][0]
            else:
                signal = port._data
            if port._transparent_for and len(port._transparent_for) != len(writes):
                raise Unsupported("port that is transparent for some writes", place)
            clk = None
            if port._domain != "comb":
                domain = memory.domains[port._domain]
                clk = self._signal(domain.clk)
                if domain.clk_edge != "pos":
                    raise Unsupported("memory at the falling edge", place)
            reads.append(
                Read(clk, self.value(port._addr), self.value(port._en), self._net(signal),
                     bool(port._transparent_for))  # fmt: skip
            )
        width = _ast.Shape.cast(data._shape).width
        attributes = {str(key): str(value) for key, value in memory._attrs.items()}
        raw = tuple(int(row) & e.ones(width) for row in data._init._raw)
        return Memory(name, width, raw, attributes, writes, tuple(reads), place)


def _static(lhs: Any) -> list[tuple[Any, int, int]] | None:
    """Return the bits that are assigned, lowest first, or None if they depend on a signal."""
    match lhs:
        case _ast.Signal():
            return [(lhs, 0, len(lhs))] if len(lhs) else []
        case _ast.Operator(operator="u" | "s", operands=(inner,)):
            return _static(inner)
        case _ast.Concat(parts=parts):
            every = [_static(part) for part in parts]
            return None if None in every else [piece for part in every for piece in part or ()]
        case _ast.Slice(value=value, start=start, stop=stop):
            inner = _static(value)
            if inner is None:
                return None
            pieces, at = [], 0
            for signal, low, high in inner:
                a, b = max(start, at), min(stop, at + high - low)
                if a < b:
                    pieces.append((signal, low + a - at, low + b - at))
                at += high - low
            return pieces
    return None


def snake(name: str) -> str:
    """Return the name of a class as one of a module."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
