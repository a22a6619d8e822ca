"""One module as text."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fingerpost.hdl.emit.printer import expressions as e
from fingerpost.hdl.emit.printer import source
from fingerpost.hdl.emit.printer.expressions import (
    Assign, Case, Expr, If, Net, Place, Statement, Target, whole,
)  # fmt: skip
from fingerpost.hdl.emit.printer.layout import (
    aligned, folded, identifier, literal, span, vector, wrapped,
)  # fmt: skip
from fingerpost.hdl.emit.printer.tree import Clock, Instance, Memory, Module, Unsupported

INLINE = 48
"""Characters of an expression that may stand in the connection of a port."""

LEAVES = 3
"""Assignments to a signal that may be one expression; more are a block."""

LAST = 10**6
"""The place in the order of what comes after the rest."""


@dataclass(eq=False)
class Item:
    """Lines of the body, by their place in the source; perhaps the declaration of a wire."""

    order: tuple[int, int, int]
    says: str
    lines: list[str]
    kind: str
    defines: str = ""

    @cached_property
    def names(self) -> list[str]:
        """The names that occur in it."""
        code = (line.partition("//")[0] for line in self.lines)
        return list(dict.fromkeys(name for line in code for name in re.findall(r"[A-Za-z_]\w*", line)))


@dataclass(eq=False)
class Text:
    """A module without its name: what is equal in equal modules, and what is not."""

    ports: list[str]
    body: list[str]
    places: dict[str, Place] = field(default_factory=dict)


class Writer:
    """Writes a module whose instances have been written."""

    def __init__(self, module: Module, marks: Mapping[Module, str]) -> None:
        self.module, self.marks = module, marks
        self.taken: set[str] = set()
        self.places: dict[str, Place] = {}
        self.items: list[Item] = []
        self.declared: dict[str, str] = {}
        self.constants: dict[str, str] = {}
        self.initial: list[str] = []
        self.unused: list[str] = []
        self.said: set[Place] = set()
        self.hoisted: dict[Expr, str] = {}
        self.shared: set[Expr] = set()
        self.field_wires: dict[tuple[Net, int, int], str] = {}
        self.values: dict[Net, tuple[Expr, Place | None]] = {}
        self.place: Place | None = None
        self.file = ""
        if module.component is not None:
            self.file = source.place_of_class(module.component)[0]
        self.ported = {port.net: port for port in module.ports}
        self.registers = {
            net: clock
            for clock, statements in module.clocked
            for each in statements
            for net in e.written(each)
        }
        self.regs: set[Net] = set(self.registers)

    def write(self) -> Text:
        """Return the text."""
        module = self.module
        self._connect()
        for port in module.ports:
            port.net.name = identifier(port.net.name)
            if port.net.name in self.taken:
                port.net.name = self._unique(port.net.name)
            self.taken.add(port.net.name)
            self.named.add(port.net)
            if port.net.place is not None:
                self.places[port.net.name] = port.net.place
        self.instances = {each: self._unique(each.name) for each in module.instances}
        self.memories = {each: self._unique(each.name) for each in module.memories}
        for net in [*self.registers, *self.values, *(net for block in self.blocks for net in block[0])]:
            self._name(net)
        for memory in module.memories:
            for read in memory.reads:
                self._name(read.data)
        for instance in module.instances:
            for net in instance.outputs.values():
                if net not in self.replaced and net in self.read:
                    self._name(net)
                    self._declare(net, "wire")
        self._share()
        for net, (value, place) in self.values.items():
            self._wire(net, value, place)
        for several, statements in self.blocks:
            self._block(several, statements)
        for instance in module.instances:
            self._instance(instance)
        for memory in module.memories:
            self._memory(memory)
        for clock, statements in self.clocked:
            self._clocked(clock, statements)
        module.names = {net: net.name for net in self.named} | self.instances | self.memories
        return Text(self._ports(), self._body(), self.places)

    # Names.

    def _unique(self, wanted: str, place: Place | None = None) -> str:
        """Return a name that nothing else in the module has."""
        wanted = re.sub("__+", "_", identifier(wanted))
        name, number = wanted, 1
        while name in self.taken:
            number += 1
            name = f"{wanted}_{number}"
        self.taken.add(name)
        if place is not None:
            self.places[name] = place
        return name

    def _name(self, net: Net) -> None:
        if net not in self.named:
            self.named.add(net)
            net.name = self._unique(net.name, net.place)

    @cached_property
    def named(self) -> set[Net]:
        """Nets that have their name."""
        return set()

    def _declare(self, net: Net, kind: str, note: str = "") -> None:
        """Declare a net, unless it is a port."""
        note = note or source.comment_at(net.place)
        if net not in self.ported:
            self.declared[net.name] = f"  {kind} {vector(net.width)}{net.name};" + (f" // {note}" if note else "")

    # What drives the nets, and what is put in their place.

    def _connect(self) -> None:
        """Find the expressions of nets, and the nets that need no name of their own."""
        module = self.module
        driven: dict[Net, list[Statement]] = {}
        for statement in module.comb:
            for net in e.written(statement):
                driven.setdefault(net, []).append(statement)
        groups = self._groups(driven)
        self.blocks: list[tuple[list[Net], list[Statement]]] = []
        for group in groups:
            statements = [s for s in module.comb if any(net in e.written(s) for net in group)]
            for several in self._blocks(group, statements):
                mine = [s for s in statements if any(net in e.written(s) for net in several)]
                if len(several) == 1 and self._is_expression(several[0], mine):
                    (net,) = several
                    value = e.executed(mine, net, e.const(net.init, net.width))
                    self.values[net] = value, self._place_of(mine)
                else:
                    self.blocks.append((several, mine))
        inputs = e.nets(
            [value for each in module.instances for value in each.inputs.values()]
            + [value for memory in module.memories for value in self._memory_values(memory)]
            + [value for clock, _ in module.clocked for value in (clock.clk, clock.rst) if value]
        )
        outputs = {net for each in module.instances for net in each.outputs.values()}
        self.replaced: dict[Net, Expr] = {}
        for net, (value, _) in self.values.items():
            if value.kind == "net" and value.source in outputs and value.source not in self.replaced:
                other = value.source
                if other not in self.ported and (net in self.ported or net not in inputs):
                    self.replaced[other] = whole(net)
        self.aliases = {value.source for value in self.replaced.values()}
        elsewhere = e.nets(self._statement_values())
        for net, (value, _) in self.values.items():
            simple = value.plain or value.value is not None
            if net in self.ported or net in self.aliases:
                continue
            if not net.name or (net in inputs and (simple or net not in elsewhere)):
                self.replaced[net] = value
        substitute = e.Substitution(self.replaced)
        self.values = {
            net: (substitute(value), place)
            for net, (value, place) in self.values.items()
            if net not in self.replaced and net not in self.aliases
        }
        self.blocks = [(several, [e.mapped(s, substitute) for s in own]) for several, own in self.blocks]
        self.clocked = [(c, [e.mapped(s, substitute) for s in own]) for c, own in module.clocked]
        self.substitute = substitute
        self._drop_unread()

    def _drop_unread(self) -> None:
        while True:
            self.read = e.nets(self._all_values())
            dead = [net for net in self.values if net not in self.read and net not in self.ported]
            if not dead:
                return
            for net in dead:
                del self.values[net]

    def _statement_values(self) -> list[Expr]:
        statements = [s for _, own in self.blocks for s in own]
        statements += [s for _, own in self.module.clocked for s in own]
        found = [value for each in statements for value in e.read(each)]
        return found + [value for value, _ in self.values.values()]

    def _all_values(self) -> list[Expr]:
        """Return all expressions of the module, each as often as it occurs."""
        statements = [s for _, own in (*self.blocks, *self.clocked) for s in own]
        found = [value for value, _ in self.values.values()]
        found += [value for each in statements for value in e.read(each)]
        inside = [value for each in self.module.instances for value in each.inputs.values()]
        inside += [value for clock, _ in self.clocked for value in (clock.clk, clock.rst) if value]
        inside += [value for memory in self.module.memories for value in self._memory_values(memory)]
        return found + [self.substitute(value) for value in inside]

    @staticmethod
    def _memory_values(memory: Memory) -> list[Expr]:
        found: list[Expr] = []
        for write in memory.writes:
            found += [write.clk, write.address, write.data, *write.enables]
        for read in memory.reads:
            found += [read.address, read.enable] + ([read.clk] if read.clk else [])
        return found

    @staticmethod
    def _groups(driven: Mapping[Net, list[Statement]]) -> list[list[Net]]:
        """Return the nets that conditions assign together."""
        group: dict[Net, list[Net]] = {net: [net] for net in driven}
        for net, statements in driven.items():
            for statement in statements:
                if isinstance(statement, Assign):
                    continue
                for other in e.written(statement):
                    if group[other] is not group[net]:
                        group[net] += group[other]
                        for each in group[other]:
                            group[each] = group[net]
        return list({id(each): each for each in group.values()}.values())

    def _blocks(self, group: list[Net], statements: list[Statement]) -> list[list[Net]]:
        """Return the nets of each block: all, or each alone.

        `always @*` waits for a change, and in simulation what never changes would leave it at X.
        A register of the module changes at the start.
        """
        read = e.nets(value for each in statements for value in e.read(each))
        if len(group) > 1 and (read.keys() & set(group) or not read.keys() & self.registers.keys()):
            return [[net] for net in group]
        return [group]

    def _is_expression(self, net: Net, statements: list[Statement]) -> bool:
        assigned = [each for each in e.assignments(statements) if each.target.net is net]
        if len(assigned) <= LEAVES or all(isinstance(each, Assign) for each in statements):
            return True
        read = e.nets(value for each in statements for value in e.read(each))
        return not read.keys() & self.registers.keys() and self._table(net, statements) is None

    def _place_of(self, statements: Sequence[Statement]) -> Place | None:
        return next((each.place for each in statements if each.place is not None), None)

    # Expressions that occur more than once.

    def _share(self) -> None:
        """Find the expressions that get a name: those that others share, and variables."""
        uses: Counter[Expr] = Counter()
        variables: dict[Expr, str | None] = {}
        order: list[Expr] = []

        def visit(value: Expr, outer: str | None) -> None:
            uses[value] += 1
            if uses[value] > 1:
                return
            variables[value] = outer
            inner = source.variable_at(value.place) or outer
            for each in value.args:
                visit(each, inner)
            order.append(value)

        owners = {value: net for net, (value, _) in self.values.items() if not value.plain}
        for value in self._all_values():
            visit(value, None)
        costs: dict[Expr, int] = {}
        for value in order:
            own = value.kind not in ("const", "net", "slice", "cat") + (("~",) if value.width == 1 else ())
            cost = own + sum(costs[each] for each in value.args)
            here = source.variable_at(value.place)
            named = here is not None and here != variables[value]
            if cost >= 2 and uses[value] > 1 and value in owners:
                self.hoisted[value] = owners[value].name
                cost = 0
            elif (cost >= 2 and uses[value] > 1) or (named and cost >= 3):
                self.shared.add(value)
                cost = 0
            costs[value] = cost

    def _hoist(self, value: Expr, hint: str = "") -> str:
        """Return the wire of an expression; it gets one if it has none."""
        if value not in self.hoisted:
            name = hint or source.variable_at(value.place) or ""
            function = source.function_at(value.place)
            if not name and function and value.place and value.place[0] != self.file:
                name = function.name.strip("_")
            name = self._unique(name or "value", value.place)
            place = value.place if value.place and value.place[0] == self.file else self.place
            text = self._text(value, define=True)[0]
            self.hoisted[value] = name
            self._define(name, value.width, text, place)
        return self.hoisted[value]

    def _define(self, name: str, width: int, text: str, place: Place | None, note: str = "") -> None:
        lines = wrapped(f"  wire {vector(width)}{name} = ", text)
        if note and len(lines[-1]) + len(note) + 4 <= 120:
            lines[-1] += f" // {note}"
        self._add(lines, "wire", place, defines=name)

    # Expressions as text.

    def text(self, value: Expr) -> str:
        """Return an expression as text."""
        return self._text(value)[0]

    def _text(self, value: Expr, *, define: bool = False) -> tuple[str, str]:
        """Return the text, and its operator: empty for what needs no parentheses."""
        if not define and value in self.hoisted:
            return self.hoisted[value], ""
        if not define and value in self.shared:
            return self._hoist(value), ""
        assert value.width, "an expression without bits"
        args = value.args
        match value.kind:
            case "const":
                assert value.value is not None
                return literal(value.value, value.width), ""
            case "net":
                return value.source.name, ""
            case "slice":
                return self._slice(value)
            case "cat":
                wide = e.widened(value)
                if wide is not None and args[0] not in self.shared and args[0] not in self.hoisted:
                    return self._text(wide)
                return self._cat(args), ""
            case "~":
                return "~" + self._operand(args[0], "~"), "~"
            case "neg":
                return "-" + self._operand(args[0], "-"), "neg"
            case "r&" | "r|" | "r^":
                return value.kind[1] + self._operand(args[0], "r"), "r"
            case "?":
                condition = self._operand(args[0], "?")
                yes, (no, op) = self._operand(args[1], "?"), self._text(args[2])
                return f"{condition} ? {yes} : {no if op in ('', '~', '?') else f'({no})'}", "?"
            case "index":
                name, where = self._indexed(value)
                at = self._scaled(where, value.data)
                return f"{name}[{at}]" if value.width == 1 else f"{name}[{at} +: {value.width}]", ""
            case "s<" | "s<=" | "s>" | "s>=":
                a, b = (f"$signed({self.text(each)})" for each in args)
                return f"{a} {value.kind[1:]} {b}", value.kind
        if value.kind not in (">>", "<<"):
            assert args[0].width == args[1].width
        a, b = (self._operand(each, value.kind) for each in args)
        return f"{a} {value.kind} {b}", value.kind

    def _operand(self, value: Expr, outer: str) -> str:
        text, op = self._text(value)
        if not op or (op == outer and op in ("&", "|", "^", "+")) or (op == "~" and outer not in "~-r"):
            return text
        return f"({text})"

    def _slice(self, value: Expr) -> tuple[str, str]:
        inner, start, stop = value.args[0], value.start, value.start + value.width
        if inner.kind == "net":
            return self._bits(value.source, start, stop), ""
        if inner not in self.hoisted and inner not in self.shared:
            narrow = e.narrowed(inner, start, stop)
            if narrow is not None:
                return self._text(narrow)
        return self._hoist(inner) + span(start, stop), ""

    def _bits(self, net: Net, start: int, stop: int) -> str:
        """Return bits of a net, by its fields if it has some."""
        for (low, high), label in sorted(net.fields.items(), key=lambda f: f[0][1] - f[0][0]):
            if low <= start and stop <= high and (low, high) != (0, net.width):
                key = net, low, high
                if key not in self.field_wires:
                    self.field_wires[key] = self._unique(f"{net.name}_{label}", net.place)
                name = self.field_wires[key]
                return name if (low, high) == (start, stop) else name + span(start - low, stop - low)
        return net.name + span(start, stop)

    def _cat(self, parts: Iterable[Expr]) -> str:
        runs: list[tuple[str, int]] = []
        for part in parts:
            text = self.text(part)
            if runs and runs[-1][0] == text and part.value is None:
                runs[-1] = text, runs[-1][1] + 1
            else:
                runs.append((text, 1))
        texts = [text if count == 1 else f"{{{count}{{{text}}}}}" for text, count in reversed(runs)]
        return texts[0] if len(texts) == 1 else f"{{{', '.join(texts)}}}"

    def _indexed(self, value: Expr) -> tuple[str, Expr]:
        base = value.args[0]
        return base.source.name if base.kind == "net" else self._hoist(base), value.args[1]

    def _scaled(self, offset: Expr, stride: object, start: int = 0) -> str:
        """Return `start` + `offset` * `stride`, wide enough."""
        assert isinstance(stride, int)
        zeros = stride.bit_length() - 1
        if stride == 1 << zeros and not start:
            return self.text(e.cat([e.const(0, zeros), offset]))
        size = (start + e.ones(offset.width) * stride).bit_length()
        product = e.binary("*", e.extended(offset, size), e.const(stride, size))
        if stride == 1 << zeros:
            product = e.extended(e.cat([e.const(0, zeros), offset]), size)
        return self.text(e.binary("+", e.const(start, size), product))

    def _state(self, net: Net, value: int) -> str | None:
        """Return the name of a value of an enumeration or a state."""
        if value not in net.states:
            return None
        said = net.states[value].partition("/")[0]
        name = re.sub(r"\W", "_", f"{net.name}_{said}").upper()
        if name not in self.constants:
            self.taken.add(name)
            self.constants[name] = f"  localparam {vector(net.width)}{name} = {literal(value, net.width)};"
        return name

    def _of(self, net: Net, value: Expr) -> str:
        """Return a value that a net is compared with, or takes."""
        state = None if value.value is None else self._state(net, value.value)
        return state or self.text(value)

    # Items.

    def _add(self, lines: list[str], kind: str, place: Place | None, *, defines: str = "") -> None:
        own = place if place and place[0] == self.file else self.last
        self.last = own
        function = source.function_at(own)
        start = -1 if function is None or function.name == "elaborate" else function.start
        order = (start, own[1] if own else 0, len(self.items))
        self.items.append(Item(order, function.says if function else "", lines, kind, defines))

    last: Place | None = None

    def _wire(self, net: Net, value: Expr, place: Place | None) -> None:
        self.place = place
        text = self._of(net, value) if value.value is not None else self._text(value, define=True)[0]
        if net in self.ported:
            self._add(wrapped(f"  assign {net.name} = ", text), "wire", place)
        else:
            self._define(net.name, net.width, text, place, source.comment_at(net.place))
        self.items[-1].lines[:0] = self._comment(place, "  ")

    def _comment(self, place: Place | None, indent: str) -> list[str]:
        """Return the comment above a place in the source, the first time."""
        if place is None or place in self.said:
            return []
        self.said.add(place)
        return [f"{indent}// {line}" for line in source.comment_above(place)]

    def _table(self, net: Net, statements: Sequence[Statement]) -> Case | None:
        """Return the one case of a table of constants."""
        if len(statements) != 1 or not isinstance(statements[0], Case):
            return None
        plain = all(
            len(body) <= 1 and all(
                isinstance(s, Assign) and s.value.value is not None and s.target == Target(net, 0, net.width)
                for s in body
            )
            for _, body in statements[0].cases
        )  # fmt: skip
        return statements[0] if plain else None

    def _block(self, several: list[Net], statements: list[Statement]) -> None:
        """Print a table as a function, and others as a block."""
        place = self.place = self._place_of(statements)
        if len(several) == 1 and (table := self._table(several[0], statements)):
            self._function(several[0], table)
            return
        lines = [*self._comment(place, "  "), "  always @* begin"]
        for net in several:
            self.regs.add(net)
            self._declare(net, "reg")
            if not self._assigned_first(statements, net):
                lines.append(f"    {net.name} = {self._of(net, e.const(net.init, net.width))};")
        for statement in statements:
            lines += self._statement(statement, set(several), "=", "    ")
        self._add([*lines, "  end"], "always", place)

    @staticmethod
    def _assigned_first(statements: Sequence[Statement], net: Net) -> bool:
        first = next(each for each in statements if net in e.written(each))
        return isinstance(first, Assign) and first.target == Target(net, 0, net.width)

    def _function(self, net: Net, table: Case) -> None:
        name = self._unique(f"{net.name}_of")
        width = table.test.width
        default = e.const(net.init, net.width)
        rows = []
        for patterns, body in table.cases:
            value = body[0].value if body and isinstance(body[0], Assign) else default
            if patterns is None:
                default = value
                break
            rows.append((self._labels(table.test, patterns), self._of(net, value)))
        wild = any("?" in label for label, _ in rows)
        lines = [
            f"  function {vector(net.width)}{name};",
            f"    input {vector(width)}index;",
            f"    {'casez' if wild else 'case'} (index)",
        ]
        for label, text in rows:
            lines += wrapped("      ", f"{label}: {name} = {text}")
        lines += [f"      default: {name} = {self._of(net, default)};", "    endcase", "  endfunction"]
        self._add(lines, "function", table.place)
        called = f"{name}({self.text(table.test)})"
        if net in self.ported:
            self._add([f"  assign {net.name} = {called};"], "wire", table.place)
        else:
            self._define(net.name, net.width, called, table.place, source.comment_at(net.place))

    def _labels(self, test: Expr, patterns: Sequence[str]) -> str:
        labels = []
        for pattern in patterns:
            if "-" in pattern:
                labels.append(f"{len(pattern)}'b{pattern.replace('-', '?')}")
            else:
                value = e.const(int(pattern, 2), len(pattern))
                labels.append(self._of(test.source, value) if test.kind == "net" else self.text(value))
        return ", ".join(labels)

    def _statement(self, statement: Statement, mine: set[Net], sign: str, indent: str) -> list[str]:
        """Return what a statement assigns to some nets."""
        if not any(net in mine for net in e.written(statement)):
            return []
        said = self._comment(statement.place, indent) if len(indent) > 4 or sign == "=" else []
        match statement:
            case Assign(target, value, place):
                self.place = place
                text = self._of(target.net, value) if target.width == target.net.width else self.text(value)
                return said + wrapped(f"{indent}{self._target(target)} {sign} ", text)
            case If(branches):
                return said + self._if(branches, mine, sign, indent)
        wild = any("-" in pattern for patterns, _ in statement.cases for pattern in patterns or ())
        lines = [f"{indent}{'casez' if wild else 'case'} ({self.text(statement.test)})"]
        for patterns, body in statement.cases:
            label = "default" if patterns is None else self._labels(statement.test, patterns)
            inner = [line for s in body for line in self._statement(s, mine, sign, indent + "    ")]
            head, *more = wrapped(f"{indent}  ", f"{label}:", end="")
            if more:
                lines.append(head)
                head = more.pop()
                lines += more
            if len(inner) == 1:
                lines.append(f"{head} {inner[0].strip()}")
            else:
                lines += [f"{head} begin", *inner, f"{indent}  end"] if inner else [f"{head} ;"]
        if all(patterns is not None for patterns, _ in statement.cases):
            lines.append(f"{indent}  default: ;")
        return [*said, *lines, f"{indent}endcase"]

    def _if(
        self, branches: Sequence[tuple[Expr | None, Sequence[Statement]]], mine: set[Net],
        sign: str, indent: str,
    ) -> list[str]:  # fmt: skip
        bodies = [
            (condition, [line for s in body for line in self._statement(s, mine, sign, indent + "  ")])
            for condition, body in branches
        ]
        while bodies and not bodies[-1][1]:
            bodies.pop()
        lines: list[str] = []
        skipped = e.const(0, 1)
        for condition, body in bodies:
            if not body and not lines and condition is not None:
                skipped = e.binary("|", skipped, condition)
                continue
            if not lines and skipped.value != 0:
                other = e.invert(skipped)
                condition = other if condition is None else e.binary("&", other, condition)
            head = "" if condition is None else f"if ({self.text(condition)})"
            if lines:
                closing = lines.pop().strip() if lines[-1] == f"{indent}end" else ""
                head = f"{closing} else {head}".strip()
            if len(body) > 1 or not body or condition is not None and body[0].lstrip().startswith("if "):
                lines += [*wrapped(indent, f"{head} begin", end=""), *body, f"{indent}end"]
            else:
                lines += [*wrapped(indent, head, end=""), *body]
        return lines

    def _target(self, target: Target) -> str:
        net = target.net
        if target.offset is not None:
            at = self._scaled(target.offset, target.stride, target.start)
            return f"{net.name}[{at}]" if target.width == 1 else f"{net.name}[{at} +: {target.width}]"
        full = (target.start, target.width) == (0, net.width)
        return net.name if full else net.name + span(target.start, target.start + target.width)

    def _clocked(self, clock: Clock, statements: list[Statement]) -> None:
        """Print the registers of a clock: those with a reset, then those without."""
        every = dict.fromkeys(net for each in statements for net in e.written(each))
        event = f"{clock.edge} {self.text(self.substitute(clock.clk))}"
        for net in every:
            self._declare(net, "reg")
            self.initial.append(f"    {net.name} = {self._of(net, e.const(net.init, net.width))};")
        for bare in (False, True):
            mine = {net for net in every if bare == (net.reset_less or clock.rst is None)}
            if not mine:
                continue
            body = [line for s in statements for line in self._statement(s, mine, "<=", "      ")]
            if bare or clock.rst is None:
                lines = [f"  always @({event}) begin", *(line[2:] for line in body), "  end"]
            else:
                rst = self.text(self.substitute(clock.rst))
                also = f" or posedge {rst}" if clock.is_async else ""
                if clock.is_async and not clock.rst.plain:
                    raise Unsupported("asynchronous reset by an expression", None)
                resets = [
                    f"      {net.name} <= {self._of(net, e.const(net.init, net.width))};"
                    for net in every if net in mine
                ]  # fmt: skip
                lines = [f"  always @({event}{also})", f"    if ({rst}) begin", *resets]
                lines += ["    end else begin", *body, "    end"]
            self.items.append(Item((LAST, 0, len(self.items)), "", lines, "always"))

    # What is inside.

    def _instance(self, instance: Instance) -> None:
        name = self.instances[instance]
        self.place = instance.place
        rows = []
        for port in instance.module.ports:
            if port.direction == "input":
                value = self.substitute(instance.inputs[port])
                text, op = self._text(value)
                if len(text) > INLINE and op:
                    text = self._hoist(value, f"{name}_{port.net.name}")
            else:
                net = instance.outputs[port]
                value = self.replaced.get(net, whole(net))
                text = self.text(value)
                if net in self.replaced:
                    self._declare(value.source, "wire")
                elif net not in self.read and net not in self.ported:
                    # Yosys 0.70 stops at an empty connection of an output (opt_hier).
                    self._name(net)
                    self.unused.append(f"  wire {vector(net.width)}{net.name};")
                    text = net.name
            rows.append((port.net.name, text))
        size = max(len(port) for port, _ in rows)
        lines = [*self._comment(instance.place, "  "), f"  {self.marks[instance.module]} {name} ("]
        for number, (port_name, text) in enumerate(rows):
            comma = "," if number < len(rows) - 1 else ""
            lines += wrapped(f"    .{port_name:{size}} (", f"{text}){comma}", end="")
        self._add([*lines, "  );"], "instance", instance.place)

    def _memory(self, memory: Memory) -> None:
        name = self.memories[memory]
        place = self.place = memory.place
        rows, width = len(memory.init), memory.width
        for key, value in memory.attributes.items():
            self.declared[f"{name}: {key}"] = f'  (* {key} = "{value}" *)'
        self.declared[name] = f"  reg {vector(width)}{name} [0:{rows - 1}];"
        if place is not None:
            self.places[name] = place
        if len(set(memory.init)) == 1 and rows > 1:
            row = self._unique(f"{name}_row")
            self.declared[row] = f"  integer {row};"
            self.initial.append(f"    for ({row} = 0; {row} < {rows}; {row} = {row} + 1)")
            self.initial.append(f"      {name}[{row}] = {literal(memory.init[0], width)};")
        else:
            self.initial += [
                f"    {name}[{row}] = {literal(value, width)};" for row, value in enumerate(memory.init)
            ]

        def text(value: Expr, hint: str = "") -> str:
            value = self.substitute(value)
            if not value.width:
                return "0"
            found, op = self._text(value)
            return self._hoist(value, f"{name}_{hint}") if op and hint else found

        for write in memory.writes:
            lines = []
            address = text(write.address, "write_addr")
            part = width // len(write.enables)
            for number, enable in enumerate(write.enables):
                of = "" if part == width else span(number * part, (number + 1) * part)
                data = e.bits(self.substitute(write.data), number * part, (number + 1) * part)
                row = f"{name}[{address}]{of}"
                lines += [f"    if ({text(enable)})", *wrapped(f"      {row} <= ", text(data))]
            begin, end = (" begin", ["  end"]) if len(write.enables) > 1 else ("", [])
            self._add([f"  always @(posedge {text(write.clk)}){begin}", *lines, *end], "always", place)
        for read in memory.reads:
            address = text(read.address, "read_addr")
            target, row = read.data, f"{name}[{address}]"
            if read.clk is None:
                if target in self.ported:
                    self._add([f"  assign {target.name} = {row};"], "wire", place)
                else:
                    self._define(target.name, width, row, place)
                continue
            if read.transparent:
                kept = self._unique(f"{target.name}_row")
                self.declared[kept] = f"  reg {vector(read.address.width)}{kept};"
                into, row = kept, address
                self._declare(target, "wire")
                self._add([f"  assign {target.name} = {name}[{kept}];"], "wire", place)
            else:
                into = target.name
                self.regs.add(target)
                self._declare(target, "reg")
            lines = [f"  always @(posedge {text(read.clk)})", f"    {into} <= {row};"]
            if self.substitute(read.enable).value != 1:
                lines[1:] = [f"    if ({text(read.enable)})", f"      {into} <= {row};"]
            self._add(lines, "always", place)

    # The whole.

    def _ports(self) -> list[str]:
        rows = []
        said: set[str] = set()
        size = max((len(vector(port.net.width)) for port in self.module.ports), default=0)
        for port in self.module.ports:
            net = port.net
            kind = "output reg " if port.direction == "output" and net in self.regs else f"{port.direction:10} "
            meaning = port.meaning or source.meaning(self.module.component, port.path)
            parts = [label for at, label in sorted(net.fields.items(), reverse=True) if at != (0, net.width)]
            if meaning in said and not port.meaning:
                meaning = ""
            said.add(meaning)
            if parts:
                meaning = f"{{{', '.join(parts)}}} {meaning}".strip()
            rows.append((f"  {kind} {vector(net.width):{size}}{net.name}", meaning))
        length = max((len(text) for text, _ in rows), default=0) + 2
        lines = []
        for number, (text, meaning) in enumerate(rows):
            text += "," if number < len(rows) - 1 else ""
            if len(meaning) > 115 - length:
                lines += [f"  // {part}" for part in folded(meaning)]
                meaning = ""
            lines.append(f"{text:{length}}// {meaning}" if meaning else text)
        return lines

    def _body(self) -> list[str]:
        """Return the lines of the body: declarations, then the parts in their order in the source."""
        order: dict[Net, int] = {}
        for net, _, _ in self.field_wires:
            order.setdefault(net, len(order))
        fields = [
            Item((-2, 0, number), "", [f"  wire {vector(high - low)}{name} = {net.name}{span(low, high)};"],
                 "wire", name)
            for number, ((net, low, high), name) in enumerate(
                sorted(self.field_wires.items(), key=lambda field: (order[field[0][0]], field[0][1]))
            )
        ]  # fmt: skip
        items = _definitions_first(sorted([*fields, *self.items], key=lambda item: item.order))
        defined: set[str] = set()
        later = {item.defines: item for item in items if item.defines}
        for item in items:  # what is read before its definition is declared on top
            for name in item.names:
                if name in later and name not in defined and later[name] is not item:
                    head = re.match(r"  wire (\[.*?\] )?", _code(later[name]))
                    assert head
                    self.declared[name] = f"{head[0]}{name};"
                    later[name].lines = [re.sub(r"^  wire (\[.*?\] )?", "  assign ", line) for line in later[name].lines]
                    del later[name]
            defined.add(item.defines)
        lines = [*self.constants.values(), *aligned(list(self.declared.values()))]
        if self.unused:
            lines += ["", "  // Outputs that are not used.", *aligned(self.unused)]
        before, said = "", set[str]()
        for item in items:
            if item.says and item.says not in said:
                said.add(item.says)
                lines += ["", *(f"  // {part}" for part in folded(item.says))]
            elif item.kind != "wire" or before != "wire":
                lines.append("")
            lines += item.lines
            before = item.kind
        if self.initial:
            lines += ["", "  initial begin", *self.initial, "  end"]
        return [line for at, line in enumerate(lines) if line or (at and lines[at - 1])]


def _code(item: Item) -> str:
    return next(line for line in item.lines if not line.lstrip().startswith("//"))


def _definitions_first(items: list[Item]) -> list[Item]:
    """Return items so that a wire stands before what reads it, if it can."""
    result: list[Item] = []
    place = {item.defines: item for item in items if item.defines}
    started: set[Item] = set()

    def put(item: Item) -> None:
        if item in started:
            return
        started.add(item)
        for name in item.names:
            if name in place:
                put(place[name])
        result.append(item)

    for item in items:
        put(item)
    return result
