"""Expressions of exact widths, and statements: what Amaranth's are turned into to be printed.

Every operand has exactly the width that its operator needs, so Verilog's rules for widths of
contexts never matter. Equal expressions are one object, so that what occurs twice can be counted.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, reduce
from itertools import pairwise
from typing import Any

Place = tuple[str, int]
"""A file and a line of the source."""


class UnsupportedError(ValueError):
    """A construct that the printer does not know, with its place in the source."""

    def __init__(self, what: str, place: Place | None) -> None:
        super().__init__(f"Printer knows no {what}, as in {place[0]}:{place[1]}" if place else what)


@dataclass(eq=False)
class Net:
    """A signal of one module.

    `fields` names bits by the first and the last + 1, `states` names values. The name is that of
    the source, perhaps none, until the module is written; then that in the text.
    """

    name: str
    width: int
    init: int = 0
    place: Place | None = None
    fields: Mapping[tuple[int, int], str] = field(default_factory=dict)
    states: Mapping[int, str] = field(default_factory=dict)
    reset_less: bool = False


@dataclass(eq=False)
class Expr:
    """An expression.

    The kind is ``const``, ``net``, ``slice``, ``cat`` (whose first operand is the lowest),
    ``index`` (operands: value and offset), ``?``, or an operator of Verilog: with one operand
    ``~``, ``r&``, ``r|``, ``r^``. The data are the value, the net, the first bit of a
    slice, or the stride of an index.
    """

    kind: str
    width: int
    args: tuple["Expr", ...] = ()
    data: Any = 0
    place: Place | None = None

    @property
    def value(self) -> int | None:
        """The value of a constant."""
        return self.data if self.kind == "const" else None

    @property
    def net(self) -> Net | None:
        """The net that this is."""
        return self.data if self.kind == "net" else None

    @property
    def plain(self) -> bool:
        """Whether this is a net, a slice of one, or a constant: no logic."""
        return (self.args[0] if self.kind == "slice" else self).kind in ("net", "const")


@cache
def _made(kind: str, width: int, args: tuple[Expr, ...] = (), data: object = 0) -> Expr:
    return Expr(kind, width, args, data)


forget = _made.cache_clear
"""Forget all expressions, so that they need no memory any more."""


def ones(width: int) -> int:
    """Return the largest number of a width."""
    return (1 << width) - 1


def const(value: int, width: int) -> Expr:
    """Return a constant."""
    return _made("const", width, (), value & ones(width))


def initial(net: Net) -> Expr:
    """Return the initial value of a net."""
    return const(net.init, net.width)


def whole(net: Net) -> Expr:
    """Return all bits of a net."""
    return _made("net", net.width, (), net)


def bits(value: Expr, start: int, stop: int) -> Expr:
    """Return some bits."""
    assert 0 <= start <= stop <= value.width
    if (start, stop) == (0, value.width):
        return value
    if value.value is not None or start == stop:
        return const((value.value or 0) >> start, stop - start)
    if value.kind == "slice":
        return bits(value.args[0], value.data + start, value.data + stop)
    if value.kind == "cat":
        return cat(
            bits(part, max(start - low, 0), min(stop - low, part.width))
            for low, part in placed(value.args)
            if low < stop and start < low + part.width
        )
    return _made("slice", stop - start, (value,), start)


def placed(parts: Iterable[Expr]) -> Iterator[tuple[int, Expr]]:
    """Yield the parts of a concatenation with their first bits."""
    at = 0
    for part in parts:
        yield at, part
        at += part.width


def cat(parts: Iterable[Expr]) -> Expr:
    """Return a concatenation, the lowest first; neighbours that belong together join."""
    joined: list[Expr] = []
    for part in (p for each in parts for p in (each.args if each.kind == "cat" else (each,))):
        last = joined[-1] if joined else const(0, 0)
        if last.value is not None and part.value is not None:
            joined[-1:] = [const(last.value | part.value << last.width, last.width + part.width)]
        elif last.kind == part.kind == "slice" and (
            last.args == part.args and last.data + last.width == part.data
        ):
            joined[-1] = bits(last.args[0], last.data, part.data + part.width)
        elif part.width:
            joined.append(part)
    joined = [part for part in joined if part.width] or [const(0, 0)]
    if len(joined) == 1:
        return joined[0]
    return _made("cat", sum(part.width for part in joined), tuple(joined))


def extended(value: Expr, width: int, *, signed: bool = False) -> Expr:
    """Return a value with this width: cut, or with more bits on top."""
    if width <= value.width:
        return bits(value, 0, width)
    if not signed:
        return cat([value, const(0, width - value.width)])
    return cat([value, *[bits(value, value.width - 1, value.width)] * (width - value.width)])


def invert(value: Expr) -> Expr:
    """Return the complement."""
    if value.value is not None:
        return const(~value.value, value.width)
    return value.args[0] if value.kind == "~" else _made("~", value.width, (value,))


def reduced(op: str, value: Expr) -> Expr:
    """Return whether any (``|``) or all (``&``) bits are set, or their parity (``^``)."""
    if value.value is not None:
        count = value.value.bit_count()
        return const({"|": count > 0, "&": count == value.width, "^": count & 1}[op], 1)
    if value.width == 1:
        return value
    if value.kind == "cat":
        neutral = {"&": -1}.get(op, 0)
        parts = [part for part in value.args if part.value != neutral & ones(part.width)]
        if len(parts) < len(value.args):
            return reduced(op, cat(parts))
        if op != "^" and len(parts) <= 8 and all(part.width == 1 for part in parts):
            return reduce(lambda a, b: binary(op, a, b), dict.fromkeys(parts))
    return _made(f"r{op}", 1, (value,))


FOLDED: Mapping[str, Callable[[int, int], int]] = {
    "&": int.__and__, "|": int.__or__, "^": int.__xor__,
    "+": int.__add__, "-": int.__sub__, "*": int.__mul__,
    "==": int.__eq__, "!=": int.__ne__,
    "<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__,
}  # fmt: skip


def binary(op: str, a: Expr, b: Expr) -> Expr:
    """Return an operator of two operands of one width, or a comparison of these."""
    assert a.width == b.width, op
    width = 1 if op[0] in "=!<>" else a.width
    if a.value is not None and b.value is not None and op in FOLDED:
        return const(FOLDED[op](a.value, b.value), width)
    for this, other in ((a, b), (b, a)):
        if op in "&|^+" and this.value == 0:
            return this if op == "&" else other
        if op in "&|^" and this.value == ones(width):
            return {"&": other, "|": this, "^": invert(other)}[op]
        if op in ("==", "!=") and a.width == 1 and this.value is not None:
            return other if (this.value == 1) == (op == "==") else invert(other)
    return _made(op, width, (a, b))


def _zeros(value: Expr) -> int:
    """Return how many of the highest bits are always 0."""
    if value.value is not None:
        return value.width - value.value.bit_length()
    return _zeros(value.args[-1]) if value.kind == "cat" and value.args[-1].value == 0 else 0


def shifted(op: str, value: Expr, amount: Expr) -> Expr:
    """Return a value shifted by a number of bits, in the same width."""
    if amount.value is None:
        return _made(op, value.width, (value, amount))
    number = min(amount.value, value.width)
    if op == "<<":
        return cat([const(0, number), bits(value, 0, value.width - number)])
    return extended(bits(value, number, value.width), value.width)


def mux(condition: Expr, yes: Expr, no: Expr) -> Expr:
    """Return the first value where a condition holds, else the second."""
    assert condition.width == 1
    assert yes.width == no.width
    if condition.value is not None or yes is no:
        return no if condition.value == 0 else yes
    if yes.width == 1 and no.value == 0:
        return binary("&", condition, yes)
    if yes.width == 1 and yes.value is not None:
        return binary("|", condition, no) if yes.value else binary("&", invert(condition), no)
    if no.kind == "?" and no.args[1] is yes:
        return mux(binary("|", condition, no.args[0]), yes, no.args[2])
    cats = [each for each in (yes, no) if each.kind == "cat"]
    if cats and all(each.kind in ("cat", "const") for each in (yes, no)):
        starts = set.intersection(*({at for at, _ in placed(each.args)} for each in cats))
        cuts = [*sorted(starts), yes.width]
        pieces = [(bits(yes, *at), bits(no, *at)) for at in pairwise(cuts)]
        if any(one is other for one, other in pieces):
            return cat(mux(condition, *piece) for piece in pieces)
    return _made("?", yes.width, (condition, yes, no))


def index(value: Expr, offset: Expr, stride: int, width: int) -> Expr:
    """Return `width` bits from bit `offset` * `stride` on of a value that reaches far enough."""
    assert ones(offset.width) * stride + width <= value.width
    return _made("index", width, (value, offset), stride)


def narrowed(value: Expr, start: int, stop: int) -> Expr | None:
    """Return bits of an operator as an operator of fewer bits, if there is one."""
    parts = [bits(each, start, stop) for each in value.args if each.width == value.width]
    match value.kind:
        case "~":
            return invert(*parts)
        case "?":
            return mux(value.args[0], *parts[-2:])
        case "&" | "|" | "^":
            return binary(value.kind, *parts)
        case "+" | "-" | "*" if start == 0:
            return binary(value.kind, *parts)
        case "<<" if start == 0:
            return shifted("<<", parts[0], value.args[1])
    return None


def widened(value: Expr) -> Expr | None:
    """Return a sum with zeros on top as a sum of wider numbers, if it has no carry."""
    if len(value.args) == 2 and value.args[0].kind == "+" and value.args[1].value == 0:
        a, b = value.args[0].args
        if _zeros(a) and _zeros(b):
            return binary("+", extended(a, value.width), extended(b, value.width))
    return None


def nets(values: Iterable[Expr], resolve: Callable[[Expr], Expr] = lambda x: x) -> dict[Net, None]:
    """Return the nets in some expressions, or in what stands for these."""
    found: dict[Net, None] = {}
    seen: set[Expr] = set()
    waiting = list(values)[::-1]
    while waiting:
        value = resolve(waiting.pop())
        if value not in seen:
            seen.add(value)
            waiting += value.args[::-1]
            if value.net:
                found[value.net] = None
    return found


# Statements.


@dataclass(frozen=True)
class Target:
    """Bits of a net that are assigned: `width` from `start` + `offset` * `stride` on."""

    net: Net
    start: int
    width: int
    offset: Expr | None = None
    stride: int = 1

    @property
    def full(self) -> bool:
        """Whether it is all of the net."""
        return self.width == self.net.width


@dataclass(frozen=True, eq=False)
class Assign:
    """An assignment."""

    target: Target
    value: Expr
    place: Place | None


Label = Expr | tuple[str, ...] | None
"""When a branch is taken: a condition, patterns of digits 0, 1, or - for any, or always."""


@dataclass(frozen=True, eq=False)
class Switch:
    """The first branch that holds: conditions, or patterns that `test` matches."""

    test: Expr | None
    branches: tuple[tuple[Label, tuple["Statement", ...]], ...]
    place: Place | None

    def conditions(self) -> list[tuple[Expr | None, tuple["Statement", ...]]]:
        """Return the branches with conditions; None is always."""

        def condition(label: Label) -> Expr | None:
            if not isinstance(label, tuple):
                return label
            assert self.test is not None
            return matches(self.test, label)

        return [(condition(label), body) for label, body in self.branches]


Statement = Assign | Switch


def assignments(statements: Iterable[Statement]) -> Iterator[Assign]:
    """Yield all assignments inside statements."""
    for statement in statements:
        if isinstance(statement, Assign):
            yield statement
        else:
            for _, body in statement.branches:
                yield from assignments(body)


def written(*statements: Statement) -> dict[Net, None]:
    """Return the nets that statements may assign."""
    return dict.fromkeys(each.target.net for each in assignments(statements))


def read(statements: Iterable[Statement]) -> Iterator[Expr]:
    """Yield the expressions in statements."""
    for statement in statements:
        if isinstance(statement, Assign):
            yield statement.value
            if statement.target.offset:
                yield statement.target.offset
            continue
        if statement.test:
            yield statement.test
        for label, body in statement.branches:
            if isinstance(label, Expr):
                yield label
            yield from read(body)


def mapped(
    statements: Iterable[Statement], change: Callable[[Assign], Iterable[Assign]]
) -> tuple[Statement, ...]:
    """Return statements with other assignments; switches without any are left out."""
    found: list[Statement] = []
    for statement in statements:
        if isinstance(statement, Assign):
            found += change(statement)
            continue
        branches = [(label, mapped(body, change)) for label, body in statement.branches]
        while branches and not branches[-1][1]:
            branches.pop()
        if branches:
            found.append(Switch(statement.test, tuple(branches), statement.place))
    return tuple(found)


def only(statements: Iterable[Statement], kept: Container[Net]) -> tuple[Statement, ...]:
    """Return what assigns some nets."""
    return mapped(statements, lambda each: [each] if each.target.net in kept else [])


def matches(test: Expr, patterns: Iterable[str]) -> Expr:
    """Return whether a value matches one of several patterns."""
    found = const(0, 1)
    for pattern in patterns:
        digits = [(at, digit) for at, digit in enumerate(reversed(pattern)) if digit != "-"]
        known = cat(bits(test, at, at + 1) for at, _ in digits)
        number = sum((digit == "1") << place for place, (_, digit) in enumerate(digits))
        found = binary("|", found, binary("==", known, const(number, known.width)))
    return found


def executed(statements: Iterable[Statement], net: Net, value: Expr) -> Expr:
    """Return what statements make of a net, as one expression; `value` is what it was before."""
    for statement in only(statements, [net]):
        if isinstance(statement, Assign):
            start, stop = statement.target.start, statement.target.start + statement.target.width
            assert statement.target.offset is None
            above = bits(value, stop, net.width)
            value = cat([bits(value, 0, start), statement.value, above])
            continue
        result, branches = value, statement.conditions()
        exclusive = statement.test is not None and all(condition for condition, _ in branches)
        for condition, body in reversed(branches):
            inner = executed(body, net, value)
            if not (exclusive and inner is value):
                result = inner if condition is None else mux(condition, inner, result)
        value = result
    return value
