"""A component as a tree of modules, from Amaranth's own tree of statements.

In `hdl` this is the only file that uses modules that are private to Amaranth.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from amaranth.hdl import _ast, _ir, _mem
from amaranth.lib import wiring

from fingerpost.hdl.emit.names import names_from_source
from fingerpost.hdl.emit.printer import expressions as e
from fingerpost.hdl.emit.printer.expressions import Assign, Expr, Net, Place, Statement, Target


@dataclass(frozen=True, eq=False)
class Port:
    """A port: its net, the path of the member, and what it is if it is of a clock."""

    is_input: bool
    net: Net
    path: tuple[str | int, ...]
    clock: str


@dataclass(frozen=True, eq=False)
class Clock:
    """The clock of registers: its net, and its reset."""

    clk: Expr
    rst: Expr | None
    is_async: bool


@dataclass(frozen=True, eq=False)
class MemoryPort:
    """A port of a memory; one for reading drives a net, at once if its clock has no bits."""

    clk: Expr
    address: Expr
    enable: Expr
    data: Expr


@dataclass(frozen=True, eq=False)
class Memory:
    """A memory with its ports."""

    name: str
    width: int
    init: tuple[int, ...]
    attributes: Mapping[str, str]
    writes: list[MemoryPort]
    reads: list[MemoryPort]
    place: Place | None


@dataclass(frozen=True, eq=False)
class Instance:
    """An instance of a module, with what its ports are connected to: for an output a net."""

    name: str
    module: "Module"
    connections: Mapping[Port, Expr]
    place: Place | None


@dataclass(eq=False)
class Module:
    """A module.

    `parts` are the nets that some nets consist of; `names` is what nets, instances and memories are
    called in the text, once it is written.
    """

    component: Any
    ports: list[Port] = field(default_factory=list)
    comb: tuple[Statement, ...] = ()
    clocked: list[tuple[Clock, tuple[Statement, ...]]] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    parts: dict[Net, Expr] = field(default_factory=dict)
    names: dict[Any, str] = field(default_factory=dict)


def place_of(value: Any) -> Place | None:
    """Return where a value or statement is in the source."""
    found = getattr(value, "src_loc", None)
    return (found[0], found[1]) if found else None


def members(component: Any) -> dict[int, tuple[Any, tuple[str | int, ...], bool]]:
    """Return the members of a component: signal, path, whether it is an output."""
    flat = component.signature.flatten(component) if isinstance(component, wiring.Component) else ()
    cast = [
        (_ast.Value.cast(value), path, member.flow == wiring.Out) for path, member, value in flat
    ]
    return {each[0].duid: each for each in cast if len(each[0])}


class Design:
    """A component after elaboration; `design` is that of Amaranth, which its netlist is made of."""

    def __init__(self, component: wiring.Component, name: str) -> None:
        ports = {
            "__".join(map(str, path)): (signal, _ir.PortDirection("output" if out else "input"))
            for signal, path, out in members(component).values()
        }
        with names_from_source():
            fragment = _ir.Fragment.get(component, None)
            self.design = fragment.prepare(ports=ports, hierarchy=(name,))
        self.info, self.top = self.design.fragments, self.design.fragment
        self.inputs = {
            signal.duid for _, signal, direction in self.design.ports
            if direction == _ir.PortDirection.Input
        }  # fmt: skip
        self.driver: dict[int, tuple[str, ...]] = {}
        for each, info in self.info.items():
            self._check(each, info)
        self.lowered: dict[Any, _Lowering] = {}
        self.module = self.lower(self.top).module

    def _check(self, fragment: Any, info: Any) -> None:
        """Refuse what is not known; note in which module each signal is driven."""
        statements = [each for several in fragment.statements.values() for each in several]
        driven = [signal for each in statements for signal in each._lhs_signals()]
        module = info.name
        if isinstance(fragment, _mem.MemoryInstance):
            driven = [
                signal for port in fragment._read_ports for signal in port._data._lhs_signals()
            ]
            module = info.name[:-1]
        elif type(fragment) not in (_ir.Fragment, _ir.RequirePosedge):
            raise e.UnsupportedError(type(fragment).__name__, place_of(fragment))
        for domain in fragment.domains.values():
            if domain.clk_edge != "pos":
                raise e.UnsupportedError("falling edge", place_of(domain.clk))
        for signal in driven:
            if self.driver.setdefault(signal.duid, module) != module:
                raise e.UnsupportedError(
                    f"signal that is driven in two modules: {signal.name}", place_of(signal)
                )

    def lower(self, fragment: Any) -> "_Lowering":
        """Return a fragment as a module."""
        self.lowered[fragment] = _Lowering(self, fragment)
        return self.lowered[fragment]

    def ports(self, fragment: Any) -> Iterator[tuple[bool, Any, tuple[str | int, ...]]]:
        """Yield the ports of a module: whether it is an input, signal, path; clocks first."""
        info = self.info[fragment]
        declared = members(component_of(fragment))
        if fragment is self.top:
            outside = {signal.duid: signal for _, signal, _ in self.design.ports}
        else:
            outside = {signal.duid: signal for signal in self.info[info.parent].used_signals}
        own = [signal for signal in info.used_signals if signal.duid in outside]
        domains = fragment.domains.values()
        clocks = {
            each.duid for domain in domains for each in (domain.clk, domain.rst) if each is not None
        }
        own.sort(key=lambda signal: (signal.duid not in clocks, signal.name != "clk", signal.name))
        for signal in own:
            if signal.duid not in declared and len(signal) and not self.constant(signal):
                yield not self._inside(signal, info), signal, (signal.name,)
        for signal, path, out in declared.values():
            inside = self._inside(signal, info)
            used = signal in info.used_signals or fragment is self.top
            if (out and (inside or self.constant(signal))) or (not out and used and not inside):
                yield not out, signal, path

    def _inside(self, signal: Any, info: Any) -> bool:
        """Return whether a signal is driven in a fragment, or inside it."""
        return self.driver.get(signal.duid, ())[: len(info.name)] == info.name

    def constant(self, signal: Any) -> bool:
        """Return whether nothing drives a signal, so that it has its initial value."""
        return signal.duid not in self.driver and signal.duid not in self.inputs


def component_of(fragment: Any) -> Any:
    """Return what a fragment was made from; without what changes its resets or domains."""
    origins = [getattr(each, "_elaboratable_", each) for each in fragment.origins or ()] or [None]
    return next((each for each in origins if isinstance(each, wiring.Component)), origins[0])


def _static(lhs: Any) -> list[tuple[Any, int, int]] | None:
    """Return the bits that are assigned, lowest first, or None if they depend on a signal."""
    match lhs:
        case _ if not len(lhs):
            return []
        case _ast.Signal():
            return [(lhs, 0, len(lhs))]
        case _ast.Concat(parts=parts):
            every = [_static(part) for part in parts]
            return None if None in every else [piece for part in every for piece in part or ()]
        case _ast.Slice(value=inner, start=start, stop=stop):
            pieces, at = [], 0
            for signal, low, high in _static(inner) or ():
                if start < at + high - low and at < stop:
                    pieces.append((signal, low + max(start - at, 0), min(high, low + stop - at)))
                at += high - low
            return pieces or None
    return None


def _fields(form: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the fields of a signal with a layout: first and last bit + 1, and name."""
    inner = getattr(form, "_fields", {})
    for name, each in inner.items() if isinstance(inner, dict) else enumerate(inner):
        yield from _fields(each, (*path, str(name)))
    values = [chunk[0] for chunk in getattr(form, "_chunks", ()) if not isinstance(chunk, str)]
    where = _static(getattr(form, "_value", values[0] if len(values) == 1 else None))
    if path and where:
        yield where[0][1:], "_".join(path)


def _part(net: Net, start: int, stop: int) -> Net:
    """Return a net for some bits of a net."""
    bits = str(start) if stop == start + 1 else f"{stop - 1}_{start}"
    field_name = net.fields.get((start, stop), bits)
    init = net.init >> start & e.ones(stop - start)
    inner = {
        (low - start, high - start): name.removeprefix(f"{field_name}_")
        for (low, high), name in net.fields.items()
        if name.startswith(f"{field_name}_") and (start, stop) != (low, high)
    }
    name = f"{net.name}_{field_name}"
    return Net(name, stop - start, init, net.place, inner, reset_less=net.reset_less)


def _states(signal: Any) -> dict[int, str]:
    """Return the names of the states of a machine, which Amaranth numbers from 0 on."""
    found: dict[int, str] = {}
    while callable(signal.decoder) and len(found) < 1 << len(signal):
        try:
            found[len(found)] = signal.decoder(len(found)).partition("/")[0]
        except KeyError:
            break
    return found


class _Lowering:
    """Turns one fragment into a module."""

    def __init__(self, design: Design, fragment: Any) -> None:
        self.design, self.fragment = design, fragment
        self.module = Module(component_of(fragment))
        self.nets: dict[int, Net] = {}
        self.split = self.module.parts
        self.values: dict[int, tuple[Any, Expr]] = {}
        separator = "__" if fragment is design.top else "_"
        self.ported, self.constant = set[int](), set[Net]()
        meanings = dict[int, str]()
        for domain in fragment.domains.values():
            meanings[domain.clk.duid] = "rising edge"
            if domain.rst is not None:
                how = "asynchronous" if domain.async_reset else "synchronous"
                meanings[domain.rst.duid] = f"{how}, active high"
        for is_input, signal, path in design.ports(fragment):
            net = self._net(signal)
            net.name = separator.join(map(str, path))
            self.ported.add(signal.duid)
            if not is_input and design.constant(signal):
                self.constant.add(net)
            self.module.ports.append(Port(is_input, net, path, meanings.get(signal.duid, "")))
        self.inside: dict[Any, Instance | Memory] = {}
        for child, given, _ in fragment.subfragments:
            name = given or design.info[child].name[-1]
            if isinstance(child, _mem.MemoryInstance):
                self.inside[child] = memory = self._memory(child, name)
                self.module.memories.append(memory)
            elif type(child) is _ir.Fragment and (below := design.lower(child)).module.ports:
                self.inside[child] = instance = self._instance(below, child, name)
                self.module.instances.append(instance)
        self._statements()

    # Signals.

    def _net(self, signal: Any) -> Net:
        if signal.duid not in self.nets:
            form, width = signal._format, len(signal)
            states = form._variants if isinstance(form, _ast.Format.Enum) else _states(signal)
            self.nets[signal.duid] = Net(
                signal.name.replace("__", "_"), width,
                signal.init & e.ones(width), place_of(signal),
                {where: name for where, name in _fields(form) if where != (0, width)},
                {value & e.ones(width): name for value, name in states.items()},
                bool(signal.reset_less),
            )  # fmt: skip
        return self.nets[signal.duid]

    def signal(self, signal: Any) -> Expr:
        """Return a signal: of its parts, or its initial value if nothing drives it."""
        if not len(signal) or (self.design.constant(signal) and signal.duid not in self.ported):
            return e.const(signal.init, len(signal))
        return e.whole(self._net(signal))

    def _statements(self) -> None:
        """Turn the statements; signals become several nets that have several domains.

        So do those that statements assign by their fields, unless they are ports.
        """
        domains = {
            domain: tuple(low for each in statements for low in self._statement(each, domain))
            for domain, statements in self.fragment.statements.items()
        }
        ranges: dict[Net, dict[tuple[int, int], str]] = {}
        for domain, statements in domains.items():
            for assign in e.assignments(statements):
                t = assign.target
                stop = t.net.width if t.offset else t.start + t.width
                ranges.setdefault(t.net, {})[t.start, stop] = domain
        ported = {port.net for port in self.module.ports}
        for net, found in ranges.items():
            owner = [""] * net.width
            for (start, stop), domain in found.items():
                owner[start:stop] = [domain] * (stop - start)
            whole_fields = net not in ported and all(each in net.fields for each in found)
            if len({*found.values()}) > 1 or ({*found.values()} == {"comb"} and whole_fields):
                ends = {at for at in range(1, net.width) if owner[at] != owner[at - 1]}
                ends |= {0, net.width, *(at for each in found if each in net.fields for at in each)}
                self.split[net] = e.cat(
                    e.whole(_part(net, *each)) if owner[each[0]] else e.bits(e.initial(net), *each)
                    for each in pairwise(sorted(ends))
                )
        own = {domain: e.mapped(each, self._parts) for domain, each in domains.items()}
        self.module.comb = own.pop("comb", ())
        self.module.clocked = [
            (self._clock(self.fragment.domains[domain]), each)
            for domain, each in own.items()
            if each
        ]
        for port in self.module.ports:
            value = self.split.get(port.net)
            if port.net in self.constant:
                value = e.initial(port.net)
            if value is not None:
                self.module.comb += (Assign(Target(port.net, 0, port.net.width), value, None),)

    def _parts(self, assign: Assign) -> Iterator[Assign]:
        """Yield an assignment to a net as assignments to its parts."""
        t = assign.target
        if t.net not in self.split:
            yield assign
            return
        for at, part in e.placed(self.split[t.net].args):
            low, high = max(t.start, at), min(t.start + t.width, at + part.width)
            if low < high and part.net:
                value = e.bits(assign.value, low - t.start, high - t.start)
                yield Assign(Target(part.net, low - at, high - low), value, assign.place)

    # Values.

    def value(self, value: Any) -> Expr:
        """Return a value of Amaranth as an expression of the same width."""
        if id(value) not in self.values:
            found = self._value(value)
            assert found.width == len(value), value
            if not found.plain:
                found.place = found.place or place_of(value)
            self.values[id(value)] = value, found
        return self.values[id(value)][1]

    def _value(self, value: Any) -> Expr:
        match value:
            case _ast.Const():
                return e.const(value.value, len(value))
            case _ast.Signal():
                return self.signal(value)
            case _ast.Slice():
                return e.bits(self.value(value.value), value.start, value.stop)
            case _ast.Concat():
                return e.cat(self.value(part) for part in value.parts)
            case _ast.Operator():
                return self._operator(value)
            case _ast.Part():
                return self._part(value)
            case _ast.SwitchValue():
                found = e.const(0, len(value))
                for condition, each in reversed(self._switch(value.test, value.cases).conditions()):
                    wide = self._wide(each, len(value))
                    found = wide if condition is None else e.mux(condition, wide, found)
                return found
        raise e.UnsupportedError(type(value).__name__, place_of(value))

    def _wide(self, value: Any, width: int) -> Expr:
        return e.extended(self.value(value), width, signed=value.shape().signed)

    def _part(self, value: Any) -> Expr:
        """Return bits from an offset on; zeros, if it is so large that there are none."""
        offset, size, stride = self.value(value.offset), len(value.value), value.stride
        low = (-(-size // stride) - 1).bit_length()
        if value.value.shape().signed or low > offset.width:
            low = offset.width
        reach = max(e.ones(low) * stride + value.width, size)
        wide, near = self._wide(value.value, reach), e.bits(offset, 0, low)
        beyond = e.reduced("|", e.bits(offset, low, offset.width))
        return e.mux(beyond, e.const(0, value.width), e.index(wide, near, stride, value.width))

    def _operator(self, value: Any) -> Expr:
        op, operands, width = value.operator, value.operands, len(value)
        shape = _ast.Shape._unify([each.shape() for each in operands])
        signed = any(each.shape().signed for each in operands)
        match op, operands:
            case (("u" | "s"), (inner,)):
                return self.value(inner)
            case (("b" | "r|" | "r&" | "r^"), (inner,)):
                return e.reduced("|" if op == "b" else op[1], self.value(inner))
            case "~", (inner,):
                return e.invert(self.value(inner))
            case "-", (inner,):
                return e.binary("-", e.const(0, width), self._wide(inner, width))
            case (("&" | "|" | "^" | "+" | "-" | "*"), (a, b)):
                return e.binary(op, self._wide(a, width), self._wide(b, width))
            case (("<" | ">="), (a, _ast.Const(value=0))) if signed:
                sign = self.value(a[-1])
                return sign if op == "<" else e.invert(sign)
            case (("==" | "!=" | "<" | "<=" | ">" | ">="), (a, b)) if not signed or op in (
                "==",
                "!=",
            ):
                return e.binary(op, self._wide(a, shape.width), self._wide(b, shape.width))
            case (("<<" | ">>"), (a, b)) if op == "<<" or not signed:
                return e.shifted(op, self._wide(a, width), self.value(b))
        raise e.UnsupportedError(
            f"operator {op} of {', '.join(map(repr, operands))}", place_of(value)
        )

    # Statements.

    def _switch(self, test: Any, cases: Any, place: Place | None = None) -> Any:
        """Return a switch of Amaranth: of conditions if its bits are conditions."""
        if len(cases) == 2 and cases[0][0] == ("0" * len(test),) and cases[1][0] is None:
            return e.Switch(
                None, ((self.value(test.any()), cases[1][1]), (None, cases[0][1])), place
            )
        patterns = [pattern for labels, _ in cases for pattern in labels or ()]
        parts = test.parts if isinstance(test, _ast.Concat) else [test]
        one_hot = all(set(each) <= {"1", "-"} and each.count("1") == 1 for each in patterns)
        single = all(len(labels or "1") == 1 for labels, _ in cases)
        if len(parts) == len(test) and one_hot and single:
            conditions = (
                labels and self.value(parts[labels[0][::-1].index("1")]) for labels, _ in cases
            )
            branches = tuple(zip(conditions, (body for _, body in cases), strict=True))
            return e.Switch(None, branches, place)
        whole = e.Switch(self.value(test), tuple(cases), place)
        if len(test) == 1 or any("-" in pattern for pattern in patterns):
            return e.Switch(None, tuple(whole.conditions()), place)
        return whole

    def _statement(self, statement: Any, domain: str) -> list[Statement]:
        place = place_of(statement)
        if isinstance(statement, _ast.Assign):
            value = self._wide(statement.rhs, len(statement.lhs))
            return self._assign(statement.lhs, value, domain, place)
        if not isinstance(statement, _ast.Switch):
            raise e.UnsupportedError(type(statement).__name__, place)
        cases = [
            (patterns, tuple(low for each in body for low in self._statement(each, domain)))
            for patterns, body, _ in statement.cases
        ]
        return [self._switch(statement.test, cases, place)]

    def _assign(self, lhs: Any, value: Expr, domain: str, place: Place | None) -> list[Statement]:
        parts = _static(lhs)
        if parts is not None:
            found: list[Statement] = []
            for signal, start, stop in parts:
                part, value = (
                    e.bits(value, *at) for at in ((0, stop - start), (stop - start, value.width))
                )
                found.append(Assign(Target(self._net(signal), start, stop - start), part, place))
            return found
        if isinstance(lhs, _ast.Part) and domain != "comb":
            base, offset = _static(lhs.value) or [], self.value(lhs.offset)
            reach = e.ones(offset.width) * lhs.stride + lhs.width
            if len(base) == 1 and reach <= len(lhs.value):
                signal, start, _ = base[0]
                target = Target(self._net(signal), start, lhs.width, offset, lhs.stride)
                return [Assign(target, value, place)]
        raise e.UnsupportedError("assignment to bits that depend on a signal", place)

    def _clock(self, domain: Any) -> Clock:
        rst = None if domain.rst is None else self.signal(domain.rst)
        return Clock(self.signal(domain.clk), rst, bool(domain.async_reset))

    # What is inside.

    def _instance(self, below: "_Lowering", child: Any, name: str) -> Instance:
        declared, connections = members(component_of(child)), {}
        signals = [signal for _, signal, _ in self.design.ports(child)]
        for signal, port in zip(signals, below.module.ports, strict=True):
            connections[port] = self.signal(signal)
            if signal.duid in declared and signal.duid not in self.ported:
                self._net(signal).name = f"{name}_{port.net.name}"
        place = next(each[2] for each in self.fragment.subfragments if each[0] is child)
        return Instance(name, below.module, connections, place and (place[0], place[1]))

    def _memory(self, memory: Any, name: str) -> Memory:
        data, place = memory._data, place_of(memory)
        width = _ast.Shape.cast(data._shape).width
        ports: list[list[MemoryPort]] = []
        for several in memory._write_ports, memory._read_ports:
            ports.append([])
            for port in several:
                domain = None if port._domain == "comb" else memory.domains[port._domain]
                if len(port._en) > 1 or getattr(port, "_transparent_for", None):
                    raise e.UnsupportedError(
                        "memory with transparent ports or several enables", place
                    )
                clk = e.const(0, 0) if domain is None else self.signal(domain.clk)
                values = (self.value(each) for each in (port._addr, port._en, port._data))
                ports[-1].append(MemoryPort(clk, *values))
        attributes = {str(key): str(value) for key, value in memory._attrs.items()}
        rows = tuple(int(row) & e.ones(width) for row in data._init._raw)
        return Memory(name, width, rows, attributes, ports[0], ports[1], place)
