"""One module as text."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fingerpost.hdl.emit.printer import expressions as e
from fingerpost.hdl.emit.printer import source
from fingerpost.hdl.emit.printer.expressions import Assign, Expr, Net, Place, Statement, Switch
from fingerpost.hdl.emit.printer.layout import (
    aligned,
    folded,
    identifier,
    literal,
    noted,
    span,
    vector,
    wrapped,
)
from fingerpost.hdl.emit.printer.tree import Clock, Instance, Memory, MemoryPort, Module

INLINE = 48
"""Characters of an expression that may stand in the connection of a port."""

BRANCHES = 3
"""Branches of a case that may be one expression; more are a function or a block."""

WIRE = re.compile(r"  wire ((?:\[.*?\] )?)(?=\w+ =)")

Order = tuple[int, int, int]

FIELDS, REGISTERS = (-2, 0), (10**6, 0)
"""Where fields and registers stand; between them is what has a place in the source, by that."""


@dataclass(eq=False)
class Item:
    """Lines of the body; perhaps the definition of a wire, perhaps behind a comment."""

    order: Order
    lines: list[str]
    defines: str = ""
    says: str = ""

    def words(self) -> set[str]:
        """Return the names that occur in it."""
        return {word for line in self.lines for word in re.findall(r"\w+", line.partition("//")[0])}


class Writer:
    """Writes a module; `marks` stand for the names of those whose instances are in it."""

    def __init__(self, module: Module, marks: Mapping[Module, str]) -> None:
        self.module, self.marks = module, marks
        self.taken: set[str] = set()
        self.items: list[Item] = []
        self.declared: dict[str, str] = {}
        self.constants: dict[Net, dict[int, str]] = {}
        self.initial: list[str] = []
        self.unused: list[str] = []
        self.hoisted: dict[Expr, str] = {}
        self.shared: set[Expr] = set()
        self.fields: dict[tuple[Net, int, int], str] = {}
        self.said: set[Place] = set()
        self.last: Place | None = None
        self.file = source.place_of_class(module.component)[0]
        self.ported = {port.net: port for port in module.ports}
        self.registers = e.written(*(each for _, several in module.clocked for each in several))
        self.regs = set(self.registers)

    def write(self) -> tuple[list[str], list[str]]:
        """Return the lines of ports and body; the nets then have their names there."""
        module = self.module
        for port in module.ports:
            port.net.name = self._unique(port.net.name)
        inside: list[Instance | Memory] = [*module.instances, *module.memories]
        names: dict[Any, str] = {each: self._unique(each.name) for each in inside}
        self._connect()
        read = [port.data.net for each in module.memories for port in each.reads if port.data.net]
        driven = [*self.registers, *self.values, *self.tables, *self.blocks]
        for net in [*driven, *read, *self.aliases, *self.outputs]:
            if net not in self.ported and net not in self.replaced and net not in names:
                names[net] = net.name = self._unique(net.name)
        module.names = names = names | {net: net.name for net in self.ported}
        self._share()
        for net, (value, place) in self.values.items():
            self._wire(net, self._of(net, value, define=True), place, source.comment_at(net.place))
        for net, switch in self.tables.items():
            self._table(net, switch)
        for net, statements in self.blocks.items():
            self._block(net, statements)
        for instance in module.instances:
            self._instance(instance, names[instance])
        for memory in module.memories:
            self._memory(memory, names[memory])
        for clock, several in module.clocked:
            self._clocked(clock, several)
        return self._ports(), self._body()

    def _unique(self, wanted: str) -> str:
        """Return a name that nothing else in the module has."""
        wanted, number = identifier(wanted), 1
        name = wanted
        while name in self.taken:
            number += 1
            name = f"{wanted}_{number}"
        self.taken.add(name)
        return name

    # What drives the nets, and what is put in their place.

    def _inside(self) -> list[Expr]:
        """Return what instances and memories are connected to, and clocks."""
        module, found = self.module, list[Expr | None]()
        for instance in module.instances:
            found += [value for port, value in instance.connections.items() if port.is_input]
        for memory in module.memories:
            for port in (*memory.writes, *memory.reads):
                found += [port.address, port.enable, port.clk]
            found += [port.data for port in memory.writes]
        found += [each for clock, _ in module.clocked for each in (clock.clk, clock.rst)]
        return [value for value in found if value]

    def _own(self) -> list[Expr]:
        """Return the expressions of nets and in statements."""
        clocked = (several for _, several in self.module.clocked)
        statements = [self.tables.values(), *self.blocks.values(), *clocked]
        found = [value for value, _ in self.values.values()]
        return found + [value for each in statements for value in e.read(each)]

    def _connect(self) -> None:
        """Find the expressions of nets, and the nets that need no name of their own."""
        self.values: dict[Net, tuple[Expr, Place | None]] = {}
        self.tables: dict[Net, Switch] = {}
        self.blocks: dict[Net, tuple[Statement, ...]] = {}
        self.replaced = dict(self.module.parts)
        for net in e.written(*self.module.comb):
            mine = e.only(self.module.comb, [net])
            if table := _table(mine):
                self.tables[net] = table
            elif _has_cases(mine) and e.nets(e.read(mine)).keys() & self.registers.keys():
                self.blocks[net] = mine
            else:
                self.values[net] = e.executed(mine, net, e.initial(net)), mine[0].place
        inside, own = (e.nets(each, self.resolved) for each in (self._inside(), self._own()))
        self.outputs = dict.fromkeys(
            value.net for each in self.module.instances for port, value in each.connections.items()
            if not port.is_input and value.net
        )  # fmt: skip
        self.aliases = dict[Net, None]()
        for net, (value, _) in self.values.items():
            other = value.net
            if other is None or other in {**self.ported, **self.replaced}:
                continue
            if other in self.outputs and (net in self.ported or net in own.keys() - inside.keys()):
                self.replaced[other] = e.whole(net)
                self.aliases[net] = None
        for net, (value, _) in self.values.items():
            again = value.net and value.net.name == net.name
            passed = again or not net.name or (net in inside and (value.plain or net not in own))
            if passed and net not in {**self.ported, **self.aliases}:
                self.replaced[net] = value
        for net in self.aliases:
            del self.values[net]
        before = None
        while before != (before := len(self.values)):  # leave out what nothing reads
            self.read = e.nets([*self._own(), *self._inside()], self.resolved) | self.ported
            self.values = {
                net: value for net, value in self.values.items()
                if net in self.ported or (net in self.read and net not in self.replaced)
            }  # fmt: skip

    def resolved(self, value: Expr) -> Expr:
        """Return what stands in the place of an expression."""
        net = (value.args[0] if value.kind == "slice" else value).net
        if net is None or net not in self.replaced:
            return value
        if value.net:
            return self.resolved(self.replaced[net])
        return self.resolved(e.bits(self.replaced[net], value.data, value.data + value.width))

    def _share(self) -> None:
        """Find the expressions that get a name: those that others share, and variables."""
        uses: Counter[Expr] = Counter()
        outer: dict[Expr, str] = {}
        order: list[Expr] = []

        def visit(value: Expr, variable: str) -> None:
            value = self.resolved(value)
            uses[value] += 1
            if uses[value] == 1:
                outer[value] = variable
                for each in value.args:
                    visit(each, source.variable_at(value.place) or variable)
                order.append(value)

        for value in [*self._own(), *self._inside()]:
            visit(value, "")
        owners = {value: net.name for net, (value, _) in self.values.items()}
        costs: dict[Expr, int] = {}
        for value in order:
            costs[value] = sum(costs[self.resolved(each)] for each in value.args)
            costs[value] += value.kind not in ("const", "net", "slice", "cat", "~")
            often = costs[value] >= 2 and uses[value] > 1
            if often and value in owners:
                self.hoisted[value] = owners[value]
            elif often or (
                costs[value] >= 3 and source.variable_at(value.place) not in ("", outer[value])
            ):
                self.shared.add(value)
            else:
                continue
            costs[value] = 0

    def _hoist(self, value: Expr, name: str = "") -> str:
        """Return the wire of an expression; it gets one if it has none."""
        if value not in self.hoisted:
            foreign = value.place is not None and value.place[0] != self.file
            name = name or source.variable_at(value.place)
            if not name and (foreign or source.is_returned(value.place)):
                name = source.function_at(value.place).name.strip("_")
            name = self.hoisted[value] = self._unique(name or "value")
            text = self._text(value, define=True)[0]
            net = Net(name, value.width)
            self._wire(net, text, self.last if foreign else value.place)
        return self.hoisted[value]

    # Expressions as text.

    def text(self, value: Expr) -> str:
        """Return an expression as text."""
        return self._text(value)[0] if value.width else "0"

    def _text(self, value: Expr, *, define: bool = False) -> tuple[str, str]:
        """Return the text, and its operator: empty for what needs no parentheses."""
        value = self.resolved(value)
        if not define and (value in self.hoisted or value in self.shared):
            return self._hoist(value), ""
        assert value.width, "an expression without bits"
        args, kind = value.args, value.kind
        if value.value is not None:
            return literal(value.value, value.width), ""
        if value.net:
            return value.net.name, ""
        match kind:
            case "slice":
                return self._slice(value)
            case "cat":
                wide = e.widened(value)
                if wide and not {args[0]} & (self.shared | self.hoisted.keys()):
                    return self._text(wide)
                return self._cat(args), ""
            case "~" | "r&" | "r|" | "r^":
                return kind[-1] + self._operand(args[0], "unary"), kind[0]
            case "?":
                condition, yes = (self._operand(each, "?") for each in args[:2])
                no, op = self._text(args[2])
                return f"{condition} ? {yes} : {no if op in ('', '~', '?') else f'({no})'}", "?"
            case "index":
                base = self.resolved(args[0])
                name = (
                    base.net.name if base.net else self._hoist(base, "" if base.place else "table")
                )
                return name + self._selection(base, args[1], value.data, 0, value.width), ""
        assert kind in ("<<", ">>") or args[0].width == args[1].width
        a, b = (self._operand(each, kind) for each in args)
        if kind in ("==", "!=") and args[1].value is not None:
            b = self._of(args[0].net, args[1])
        return f"{a} {kind} {b}", kind

    def _operand(self, value: Expr, outer: str) -> str:
        text, op = self._text(value)
        bare = not op or (op == outer and op in "&|^+") or (op == "~" and outer != "unary")
        return text if bare else f"({text})"

    def _slice(self, value: Expr) -> tuple[str, str]:
        inner, start, stop = value.args[0], value.data, value.data + value.width
        if inner.net:
            return self._bits(inner.net, start, stop), ""
        narrow = e.narrowed(inner, start, stop)
        if narrow and inner not in self.hoisted and inner not in self.shared:
            return self._text(narrow)
        return self._hoist(inner) + span(start, stop), ""

    def _bits(self, net: Net, start: int, stop: int) -> str:
        """Return bits of a net, by its fields if it has some."""
        around = [each for each in net.fields if each[0] <= start and stop <= each[1]]
        if not around:
            return net.name + span(start, stop)
        low, high = min(around, key=lambda each: each[1] - each[0])
        key = net, low, high
        if key not in self.fields:
            self.fields[key] = self._unique(f"{net.name}_{net.fields[low, high]}")
        whole = (low, high) == (start, stop)
        return self.fields[key] + ("" if whole else span(start - low, stop - low))

    def _cat(self, parts: Iterable[Expr]) -> str:
        runs: list[tuple[str, int]] = []
        for part in parts:
            text = self._text(part)[0]
            again = bool(runs) and runs[-1][0] == text
            runs[-again or len(runs) :] = [(text, runs[-1][1] + 1 if again else 1)]
        texts = [text if count == 1 else f"{{{count}{{{text}}}}}" for text, count in reversed(runs)]
        return texts[0] if len(texts) == 1 else f"{{{', '.join(texts)}}}"

    def _selection(self, base: Expr, offset: Expr, stride: int, start: int, width: int) -> str:
        """Return the selection of bits from `start` + `offset` * `stride` on, wide enough."""
        size = max(start + e.ones(offset.width) * stride, base.width - 1).bit_length()
        zeros = stride.bit_length() - 1
        first = e.extended(e.cat([e.const(0, zeros), offset]), size)
        if stride != 1 << zeros:
            first = e.binary("*", e.extended(offset, size), e.const(stride, size))
        text = self._text(e.binary("+", first, e.const(start, size)))[0]
        return f"[{text}]" if width == 1 else f"[{text} +: {width}]"

    def _of(self, net: Net | None, value: Expr, *, define: bool = False) -> str:
        """Return a value that a net is compared with, or takes: its name if it has one."""
        if net is None or value.value is None or value.value not in net.states:
            return self._text(value, define=define)[0]
        name = re.sub(r"\W", "_", f"{net.name}_{net.states[value.value]}").upper()
        self.taken.add(name)
        text = f"  localparam {vector(net.width)}{name} = {literal(value.value, net.width)};"
        self.constants.setdefault(net, {})[value.value] = text
        return name

    # Items.

    def _is_own(self, place: Place | None) -> bool:
        return place is not None and place[0] == self.file

    def _nearest(self, *parts: Assign | Net) -> Place | None:
        """Return the place of the first that is in the component's own file, else of the first."""
        return next((each.place for each in parts if self._is_own(each.place)), parts[0].place)

    def _add(self, lines: list[str], place: Place | None, defines: str = "") -> None:
        self.last = place if self._is_own(place) else self.last
        function = source.function_at(self.last)
        start = -1 if function.name == "elaborate" else function.start
        order = (start, self.last[1] if self.last else 0, len(self.items))
        self.items.append(Item(order, lines, defines, function.says))

    def _wire(self, net: Net, text: str, place: Place | None, note: str = "") -> None:
        """Define a wire, or assign an output."""
        head = f"wire {vector(net.width)}" if net not in self.ported else "assign "
        lines = wrapped(f"  {head}{net.name} = ", text)
        if len(lines[-1]) + len(note) < 116 and net not in self.ported:
            lines[-1] = noted(lines[-1], note)
        lines[:0] = self._comment(place, "  ")
        self._add(lines, place, net.name if net not in self.ported else "")

    def _declare(self, net: Net, kind: str) -> None:
        if net not in self.ported:
            line = f"  {kind} {vector(net.width)}{net.name};"
            self.declared[net.name] = noted(line, source.comment_at(net.place))

    def _comment(self, place: Place | None, indent: str) -> list[str]:
        """Return the comment above a place in the source, the first time."""
        said = [] if place is None or place in self.said else source.comment_above(place)
        self.said |= {place} if place else set()
        return [f"{indent}// {line}" for line in said]

    def _table(self, net: Net, switch: Switch) -> None:
        """Print a table of constants as a function."""
        assert switch.test
        name, index = self._unique(f"{net.name}_of"), Net("index", switch.test.width)
        target = e.Target(Net(name, net.width), 0, net.width)
        beyond = None, (Assign(target, e.initial(net), None),)
        whole = Switch(e.whole(index), (*switch.branches, beyond), None)
        table = e.mapped([whole], lambda each: [Assign(target, each.value, None)])
        lines = [f"  function {vector(net.width)}{name};", f"    input {vector(index.width)}index;"]
        lines += [line for each in table for line in self._statement(each, "=", "    ")]
        self._add([*lines, "  endfunction"], switch.place)
        text = f"{name}({self.text(switch.test)})"
        self._wire(net, text, switch.place, source.comment_at(net.place))

    def _block(self, net: Net, statements: Sequence[Statement]) -> None:
        """Print other large cases as a block."""
        self.regs.add(net)
        self._declare(net, "reg")
        lines = [*self._comment(statements[0].place, "  "), "  always @* begin"]
        lines.append(f"    {net.name} = {self._of(net, e.initial(net))};")
        lines += [line for each in statements for line in self._statement(each, "=", "    ")]
        self._add([*lines, "  end"], statements[0].place)

    def _statement(self, statement: Statement, sign: str, indent: str) -> list[str]:
        """Return a statement as text."""
        lines = self._comment(statement.place, indent)
        if isinstance(statement, Assign):
            t = statement.target
            where = "" if t.full else span(t.start, t.start + t.width)
            if t.offset:
                where = self._selection(e.whole(t.net), t.offset, t.stride, t.start, t.width)
            text = self._of(t.net if t.full else None, statement.value)
            return lines + wrapped(f"{indent}{t.net.name}{where} {sign} ", text)
        if statement.test is None:
            return lines + self._if(statement, sign, indent)
        lines.append(f"{indent}case ({self.text(statement.test)})")
        for label, body in statement.branches:
            head = f"{indent}  default:"
            if isinstance(label, tuple):
                names = ", ".join(self._label(statement.test, each) for each in label)
                *more, head = wrapped(f"{indent}  ", f"{names}:", end="")
                lines += more
            inner = [line for s in body for line in self._statement(s, sign, indent + "    ")]
            if len(inner) == 1:
                lines.append(f"{head} {inner[0].strip()}")
            else:
                lines += [f"{head} begin", *inner, f"{indent}  end"] if inner else [f"{head} ;"]
            if label is None:
                break
        else:
            lines.append(f"{indent}  default: ;")
        return [*lines, f"{indent}endcase"]

    def _if(self, switch: Switch, sign: str, indent: str) -> list[str]:
        lines: list[str] = []
        for condition, body in switch.conditions():
            inner = [line for s in body for line in self._statement(s, sign, indent + "  ")]
            head = f"if ({self.text(condition)})" if condition else ""
            if lines:
                ends = lines[-1] == f"{indent}end"
                head = f"{lines.pop().strip() if ends else ''} else {head}".strip()
            alone = len(inner) == 1 and not inner[0].lstrip().startswith("if ")
            head, end = (head, []) if alone else (f"{head} begin", [f"{indent}end"])
            lines += [*wrapped(indent, head, end=""), *inner, *end]
        return lines

    def _label(self, test: Expr, pattern: str) -> str:
        return self._of(test.net, e.const(int(pattern or "0", 2), test.width))

    def _clocked(self, clock: Clock, statements: Sequence[Statement]) -> None:
        """Print the registers of a clock: those with a reset, then those without."""
        event, rst = f"posedge {self.text(clock.clk)}", clock.rst and self.resolved(clock.rst)
        if clock.is_async and rst and not rst.plain:
            raise e.UnsupportedError("asynchronous reset by an expression", statements[0].place)
        every = list(e.written(*statements))
        values = {net: self._of(net, e.initial(net)) for net in every}
        places = dict[Net, Place | None]()
        for net, value in values.items():
            self._declare(net, "reg")
            places[net] = self._nearest(next(e.assignments(e.only(statements, [net]))), net)
            self.initial.append(noted(f"    {net.name} = {value};", source.shown(places[net])))
        for bare in (False, True):
            mine = [net for net in every if bare == (net.reset_less or not rst)]
            indent = "    " if bare else "      "
            own = e.only(statements, mine)
            body = [line for each in own for line in self._statement(each, "<=", indent)]
            lines = [f"  always @({event}) begin", *body, "  end"]
            if rst and not bare:
                also = f" or posedge {self.text(rst)}" if clock.is_async else ""
                lines = [f"  always @({event}{also})", f"    if ({self.text(rst)}) begin"]
                lines += [f"      {net.name} <= {values[net]};" for net in mine]
                lines += ["    end else begin", *body, "    end"]
            if mine:
                here = next((places[net] for net in mine if self._is_own(places[net])), None)
                says = source.function_at(here).says
                self.items.append(Item((*REGISTERS, len(self.items)), lines, says=says))

    # What is inside.

    def _instance(self, instance: Instance, name: str) -> None:
        rows = []
        for port, given in instance.connections.items():
            value = self.resolved(given)
            (text, op), net = self._text(value), value.net
            fields = sorted(port.net.fields, reverse=True)
            if value.value is not None and sum(stop - low for low, stop in fields) == value.width:
                text = f"{{{', '.join(self.text(e.bits(value, *each)) for each in fields)}}}"
            if port.is_input and op and len(text) > INLINE:
                text = self._hoist(value, f"{name}_{port.net.name}")
            elif not port.is_input and net in self.read:
                self._declare(net, "wire")
            elif not port.is_input:  # Yosys 0.70 stops at an empty connection (opt_hier)
                text = net.name if net else self._unique(f"{name}_{port.net.name}")
                self.unused.append(f"  wire {vector(port.net.width)}{text};")
            rows.append((port.net.name, text))
        size = max(len(port) for port, _ in rows)
        lines = [*self._comment(instance.place, "  "), f"  {self.marks[instance.module]} {name} ("]
        for port_name, text in rows:
            lines += wrapped(f"    .{port_name:{size}} (", text, end="),")
        lines[-1] = lines[-1].removesuffix(",")
        self._add([*lines, "  );"], instance.place)

    def _memory(self, memory: Memory, name: str) -> None:
        width, place = memory.width, memory.place
        for key, value in memory.attributes.items():
            self.declared[f"{name} {key}"] = f'  (* {key} = "{value}" *)'
        line = f"  reg {vector(width)}{name} [0:{len(memory.init) - 1}];"
        self.declared[name] = noted(line, source.shown(place))
        if len(set(memory.init)) == 1 < len(memory.init):
            row = self._unique(f"{name}_row")
            self.declared[row] = f"  integer {row};"
            self.initial.append(
                f"    for ({row} = 0; {row} < {len(memory.init)}; {row} = {row} + 1)"
            )
            self.initial.append(f"      {name}[{row}] = {literal(memory.init[0], width)};")
        else:
            rows = enumerate(memory.init)
            self.initial += [f"    {name}[{row}] = {literal(value, width)};" for row, value in rows]

        def row_of(port: MemoryPort, hint: str) -> str:
            address = self.resolved(port.address)
            if address.plain or not address.width:
                return f"{name}[{self.text(address)}]"
            return f"{name}[{self._hoist(address, f'{name}_{hint}')}]"

        def at_edge(port: MemoryPort, target: str, value: str) -> None:
            lines = [f"  always @(posedge {self.text(port.clk)})"]
            if self.resolved(port.enable).value != 1:
                lines.append(f"    if ({self.text(port.enable)})")
            head = f"{'  ' * (len(lines) + 1)}{target} <= "
            self._add([*lines, *wrapped(head, value)], place)

        for port in memory.writes:
            at_edge(port, row_of(port, "write_addr"), self.text(port.data))
        for port in memory.reads:
            net, row = port.data.net, row_of(port, "read_addr")
            if net is None:
                raise e.UnsupportedError("memory that is read into several signals", place)
            if not port.clk.width:
                self._wire(net, row, place)
                continue
            self.regs.add(net)
            self._declare(net, "reg")
            at_edge(port, net.name, row)

    # The whole.

    def _ports(self) -> list[str]:
        rows, said = [], set[str]()
        size = max((len(vector(net.width)) for net in self.ported), default=0)
        for net, port in self.ported.items():
            kind = "input" if port.is_input else "output reg" if net in self.regs else "output"
            meaning = port.clock or source.meaning(self.module.component, port.path)
            meaning = "" if meaning in said and not port.clock else meaning
            said.add(meaning)
            if net.fields:
                fields = sorted(net.fields.items(), reverse=True)
                names = "".join(
                    f"{name}{' | ' if below and below[0][1] > low else ', '}"
                    for ((low, _), name), below in zip(fields, [*fields[1:], None], strict=True)
                )
                meaning = f"{{{names[:-2]}}} {meaning}".strip()
            rows.append((f"  {kind:10} {vector(net.width):{size}}{net.name},", meaning))
        if rows:
            rows[-1] = rows[-1][0][:-1], rows[-1][1]
        length = max((len(text) for text, _ in rows), default=0) + 1
        lines = []
        for text, meaning in rows:
            if length + len(meaning) > 116:
                lines += [*(f"  // {part}" for part in folded(meaning)), text]
            else:
                lines.append(f"{text:{length}}// {meaning}" if meaning else text)
        return lines

    def _body(self) -> list[str]:
        """Return the lines: declarations, then the parts in their order in the source."""
        nets = list(dict.fromkeys(net for net, _, _ in self.fields))
        for (net, low, high), name in sorted(
            self.fields.items(), key=lambda x: (nets.index(x[0][0]), x[0][1])
        ):
            line = f"  wire {vector(high - low)}{name} = {net.name}{span(low, high)};"
            self.items.append(Item((*FIELDS, len(self.items)), [line], name))
        items = sorted(self.items, key=lambda item: item.order)
        later = {item.defines: item for item in items if item.defines}
        for item in items:  # what is read before its definition is declared on top
            for name in sorted(item.words() & later.keys() - {item.defines}):
                lines = later.pop(name).lines
                at, found = next((i, m) for i, line in enumerate(lines) if (m := WIRE.match(line)))
                self.declared[name], size = f"  wire {found[1]}{name};", found.end()
                heads = {found[0]: "  assign ", " " * size: " " * 9}
                lines[at:] = [heads.get(x[:size], x[:size]) + x[size:] for x in lines[at:]]
            later.pop(item.defines, None)
        lines = [text for named in self.constants.values() for _, text in sorted(named.items())]
        lines += aligned(list(self.declared.values()))
        if self.unused:
            lines += ["", "  // Outputs that are not used.", *aligned(self.unused)]
        wires, said = False, {""}
        for item in items:
            code = [line for line in item.lines if not line.startswith("  //")]
            wire = code[0].startswith(("  wire ", "  assign "))
            if item.says not in said:
                said.add(item.says)
                told = (part for line in item.says.splitlines() for part in folded(line))
                lines += ["", *(f"  // {part}".rstrip() for part in told)]
            elif not (wire and wires and code == item.lines):
                lines.append("")
            lines += item.lines
            wires = wire
        if self.initial:
            lines += ["", "  initial begin", *self.initial, "  end"]
        return lines[1:] if lines[:1] == [""] else lines


def _table(statements: Sequence[Statement]) -> Switch | None:
    """Return the switch that statements are, if it is a table of constants."""
    (first, *others) = statements
    if others or isinstance(first, Assign) or not first.test or len(first.branches) <= BRANCHES:
        return None
    bodies = [body for _, body in first.branches]
    constant = (len(each) == 1 and isinstance(each[0], Assign) and each[0].value.value is not None
                and each[0].target.full for each in bodies)  # fmt: skip
    return first if all(constant) else None


def _has_cases(statements: Sequence[Statement]) -> bool:
    """Return whether there is a large case in statements.

    It becomes a block if a register is read: `always @*` waits for a change, which a register makes
    at the start. What never changes would stay X in a simulation. As one expression the cases cost
    more: the registers of a mailbox 8 % more LUTs.
    """
    return any(
        (each.test is not None and len(each.branches) > BRANCHES)
        or any(_has_cases(body) for _, body in each.branches)
        for each in statements if isinstance(each, Switch)
    )  # fmt: skip
