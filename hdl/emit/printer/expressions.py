"""Expressions of exact widths: what a value of Amaranth is turned into before it is printed.

Every operand has exactly the width that its operator needs, so Verilog's rules for widths of
contexts never matter. Equal expressions are one object, so that what occurs twice can be counted.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, reduce

Place = tuple[str, int]
"""A file and a line of the source."""


@dataclass(eq=False)
class Net:
    """A signal of one module.

    Attributes
    ----------
    name : str
        The name in the source, empty if it has none; then the name in the text.
    width, init : int
    place : Place, optional
        Where it is declared.
    fields : mapping
        Names of bits, by first and last bit + 1.
    states : mapping
        Names of values.
    reset_less : bool
        Whether a register keeps its value in a reset.
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

    Attributes
    ----------
    kind : str
        ``const``, ``net``, ``slice``, ``cat``, ``index``, ``?``, or an operator of Verilog: those
        with one operand are ``~``, ``neg``, ``r&``, ``r|`` and ``r^``, those of signed numbers
        ``s<`` and so on.
    width : int
    args : tuple of Expr
        Of ``cat``, the lowest bits first.
    data : object
        The value, the `Net`, the first bit of a slice, or the stride of an index.
    place : Place, optional
        Where it is in the source.
    """

    kind: str
    width: int
    args: tuple["Expr", ...] = ()
    data: object = None
    place: Place | None = None

    @property
    def value(self) -> int | None:
        """The value of a constant."""
        return self.data if isinstance(self.data, int) and self.kind == "const" else None

    @property
    def source(self) -> Net:
        """The net of which this is all, or a slice."""
        found = self.args[0].data if self.kind == "slice" else self.data
        assert isinstance(found, Net)
        return found

    @property
    def start(self) -> int:
        """The first bit of a slice."""
        return self.data if self.kind == "slice" and isinstance(self.data, int) else 0

    @property
    def plain(self) -> bool:
        """Whether this is a net, or a slice of one."""
        return self.kind == "net" or (self.kind == "slice" and self.args[0].kind == "net")


@cache
def _made(kind: str, width: int, args: tuple[Expr, ...] = (), data: object = None) -> Expr:
    return Expr(kind, width, args, data)


def forget() -> None:
    """Forget all expressions, so that they need no memory any more."""
    _made.cache_clear()


def ones(width: int) -> int:
    """Return the largest number of a width."""
    return (1 << width) - 1


def const(value: int, width: int) -> Expr:
    """Return a constant."""
    return _made("const", width, (), value & ones(width))


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
        return bits(value.args[0], value.start + start, value.start + stop)
    if value.kind == "cat":
        parts, at = [], 0
        for part in value.args:
            low, high = max(start, at), min(stop, at + part.width)
            if low < high:
                parts.append(bits(part, low - at, high - at))
            at += part.width
        return cat(parts)
    return _made("slice", stop - start, (value,), start)


def cat(parts: Iterable[Expr]) -> Expr:
    """Return a concatenation, of the lowest bits first; neighbours that belong together join."""
    joined: list[Expr] = []
    for part in (inner for each in parts for inner in (each.args if each.kind == "cat" else (each,))):
        if not part.width:
            continue
        last = joined[-1] if joined else None
        if last is not None and last.value is not None and part.value is not None:
            joined[-1] = const(last.value | part.value << last.width, last.width + part.width)
        elif last is not None and last.kind == part.kind == "slice" and (
            last.args == part.args and last.start + last.width == part.start
        ):
            joined[-1] = bits(last.args[0], last.start, part.start + part.width)
        else:
            joined.append(part)
    if len(joined) == 1:
        return joined[0]
    return _made("cat", sum(part.width for part in joined), tuple(joined)) if joined else const(0, 0)


def extended(value: Expr, width: int, *, signed: bool = False) -> Expr:
    """Return a value with this width: cut, or with more bits on top."""
    if width <= value.width:
        return bits(value, 0, width)
    if not signed or not value.width:
        return cat([value, const(0, width - value.width)])
    return cat([value, *[bits(value, value.width - 1, value.width)] * (width - value.width)])


def invert(value: Expr) -> Expr:
    """Return the complement."""
    if value.value is not None:
        return const(~value.value, value.width)
    return value.args[0] if value.kind == "~" else _made("~", value.width, (value,))


def negate(value: Expr) -> Expr:
    """Return 0 - value."""
    return _made("neg", value.width, (value,))


def reduced(op: str, value: Expr) -> Expr:
    """Return whether any (``|``) or all (``&``) bits are set, or their parity (``^``)."""
    if value.value is not None:
        set_bits = value.value.bit_count()
        return const({"|": set_bits > 0, "&": set_bits == value.width, "^": set_bits & 1}[op], 1)
    if value.width == 1:
        return value
    if value.kind == "cat":
        parts = [part for part in value.args if part.value != {"|": 0, "&": ones(part.width)}.get(op)]
        if len(parts) < len(value.args):
            return reduced(op, cat(parts))
        if len(parts) <= 8 and all(part.width == 1 for part in parts) and op != "^":
            return reduce(lambda a, b: binary(op, a, b), dict.fromkeys(parts))
        if len(set(parts)) == 1 and op != "^":
            return reduced(op, parts[0])
    return _made(f"r{op}", 1, (value,))


COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")

FOLDED: Mapping[str, Callable[[int, int], int]] = {
    "&": int.__and__, "|": int.__or__, "^": int.__xor__,
    "+": int.__add__, "-": int.__sub__, "*": int.__mul__,
    "==": int.__eq__, "!=": int.__ne__,
    "<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__,
}  # fmt: skip


def binary(op: str, a: Expr, b: Expr) -> Expr:
    """Return an operator of two operands of one width, or a comparison of these."""
    assert a.width == b.width, op
    width = 1 if op in COMPARISONS else a.width
    if not a.width:
        return const(FOLDED[op](0, 0), width)
    if a.value is not None and b.value is not None and op in FOLDED:
        return const(FOLDED[op](a.value, b.value), width)
    if op in ("&", "|", "^", "+"):
        for this, other in ((a, b), (b, a)):
            if this.value == 0:
                return const(0, width) if op == "&" else other
            if this.value == ones(width) and op != "+":
                return {"&": other, "|": this, "^": invert(other)}[op]
        if a is b and op in ("&", "|"):
            return a
    if op in COMPARISONS:
        if zeros := min(_zeros(a), _zeros(b)):
            size = a.width - zeros
            return binary(op, bits(a, 0, size), bits(b, 0, size))
        if op in ("==", "!=") and a.width == 1:
            for this, other in ((a, b), (b, a)):
                if this.value is not None:
                    return other if (this.value == 1) == (op == "==") else invert(other)
    return _made(op, width, (a, b))


def _zeros(value: Expr) -> int:
    """Return how many of the highest bits are always 0."""
    if value.value is not None:
        return value.width - value.value.bit_length()
    return _zeros(value.args[-1]) if value.kind == "cat" and value.args[-1].value is not None else 0


def signed_compare(op: str, a: Expr, b: Expr) -> Expr:
    """Return a comparison of two signed numbers."""
    assert a.width == b.width and op in ("<", "<=", ">", ">=")
    if op in ("<", ">=") and b.value == 0:
        sign = bits(a, a.width - 1, a.width)
        return sign if op == "<" else invert(sign)
    if _zeros(a) and _zeros(b):
        return binary(op, a, b)
    return _made(f"s{op}", 1, (a, b))


def shifted(op: str, value: Expr, amount: Expr) -> Expr:
    """Return a value shifted by a number of bits, in the same width."""
    if amount.value is not None:
        number = min(amount.value, value.width)
        if op == "<<":
            return cat([const(0, number), bits(value, 0, value.width - number)])
        return extended(bits(value, number, value.width), value.width)
    return _made(op, value.width, (value, amount)) if amount.width else value


def mux(condition: Expr, yes: Expr, no: Expr) -> Expr:
    """Return the first value where a condition holds, else the second."""
    assert condition.width == 1 and yes.width == no.width
    if condition.value is not None or yes is no:
        return no if condition.value == 0 else yes
    if yes.width == 1:
        if no.value == 0:
            return binary("&", condition, yes)
        if yes.value == 1:
            return binary("|", condition, no)
        if yes.value == 0:
            return binary("&", invert(condition), no)
    if yes.kind == no.kind == "cat":
        cuts = sorted({0} | (_bounds(yes) & _bounds(no)))
        pieces = [(bits(yes, *at), bits(no, *at)) for at in zip(cuts, cuts[1:], strict=False)]
        if any(one is other for one, other in pieces):
            return cat(mux(condition, *piece) for piece in pieces)
    return _made("?", yes.width, (condition, yes, no))


def _bounds(value: Expr) -> set[int]:
    ends = [0]
    for part in value.args:
        ends.append(ends[-1] + part.width)
    return set(ends)


def index(value: Expr, offset: Expr, stride: int, width: int) -> Expr:
    """Return `width` bits of a value that reaches far enough, from bit `offset` * `stride` on."""
    if offset.value is not None:
        return bits(value, offset.value * stride, offset.value * stride + width)
    assert ones(offset.width) * stride + width <= value.width
    return _made("index", width, (value, offset), stride) if width else const(0, 0)


def rebuilt(value: Expr, args: Sequence[Expr]) -> Expr:
    """Return the same of other operands."""
    match value.kind:
        case "const" | "net":
            return value
        case "slice":
            return bits(args[0], value.start, value.start + value.width)
        case "cat":
            return cat(args)
        case "~":
            return invert(args[0])
        case "neg":
            return negate(args[0])
        case "r&" | "r|" | "r^":
            return reduced(value.kind[1], args[0])
        case "?":
            return mux(*args)
        case "<<" | ">>":
            return shifted(value.kind, *args)
        case "index":
            assert isinstance(value.data, int)
            return index(args[0], args[1], value.data, value.width)
        case "s<" | "s<=" | "s>" | "s>=":
            return signed_compare(value.kind[1:], *args)
    return binary(value.kind, *args)


class Substitution:
    """Puts other expressions in the place of nets."""

    def __init__(self, values: Mapping[Net, Expr]) -> None:
        self.values = values
        self.done: dict[Expr, Expr] = {}

    def __call__(self, value: Expr) -> Expr:
        """Return an expression with the nets replaced, also in what replaces them."""
        if value not in self.done:
            if isinstance(value.data, Net):
                other = self.values.get(value.data)
                self.done[value] = value if other is None else self(other)
            else:
                new = rebuilt(value, [self(each) for each in value.args])
                if new.place is None:
                    new.place = value.place
                self.done[value] = new
        return self.done[value]


# Narrower forms of an expression, for slices of it.

BITWISE = ("&", "|", "^", "~")
MODULAR = ("+", "-", "*", "neg")
"""Whose lowest bits depend on the lowest bits of the operands only."""


def narrowed(value: Expr, start: int, stop: int) -> Expr | None:
    """Return bits of an operator as an operator of fewer bits, if there is one."""
    if value.kind in BITWISE or (value.kind in MODULAR and start == 0):
        return rebuilt(value, [bits(each, start, stop) for each in value.args])
    if value.kind == "?":
        condition, *branches = value.args
        return mux(condition, *(bits(each, start, stop) for each in branches))
    if value.kind == "<<" and start == 0:
        return shifted("<<", bits(value.args[0], 0, stop), value.args[1])
    return None


def widened(value: Expr) -> Expr | None:
    """Return a sum with zeros on top as a sum of wider numbers, if it has no carry."""
    if len(value.args) != 2 or value.args[0].kind != "+" or value.args[1].value != 0:
        return None
    a, b = value.args[0].args
    if not (_zeros(a) and _zeros(b)):
        return None
    return binary("+", extended(a, value.width), extended(b, value.width))


# Statements.


@dataclass(frozen=True)
class Target:
    """Bits of a net that are assigned: `width` from `start` + `offset` * `stride` on."""

    net: Net
    start: int
    width: int
    offset: Expr | None = None
    stride: int = 1


@dataclass(frozen=True, eq=False)
class Assign:
    """An assignment."""

    target: Target
    value: Expr
    place: Place | None


@dataclass(frozen=True, eq=False)
class If:
    """Statements for the first condition that holds; None holds always."""

    branches: tuple[tuple[Expr | None, tuple["Statement", ...]], ...]
    place: Place | None


@dataclass(frozen=True, eq=False)
class Case:
    """Statements for the first pattern that a value matches: digits 0, 1, or - for any."""

    test: Expr
    cases: tuple[tuple[tuple[str, ...] | None, tuple["Statement", ...]], ...]
    place: Place | None


Statement = Assign | If | Case


def bodies(statement: Statement) -> list[tuple["Statement", ...]]:
    """Return the statements inside a statement."""
    if isinstance(statement, Assign):
        return []
    return [body for _, body in (statement.branches if isinstance(statement, If) else statement.cases)]


def assignments(statements: Iterable[Statement]) -> list[Assign]:
    """Return all assignments inside statements."""
    found: list[Assign] = []
    for statement in statements:
        if isinstance(statement, Assign):
            found.append(statement)
        for body in bodies(statement):
            found += assignments(body)
    return found


def written(statement: Statement) -> dict[Net, None]:
    """Return the nets that a statement may assign."""
    return dict.fromkeys(each.target.net for each in assignments([statement]))


def read(statement: Statement) -> list[Expr]:
    """Return the expressions in a statement."""
    match statement:
        case Assign(target, value):
            return [value] + ([target.offset] if target.offset is not None else [])
        case If(branches):
            own = [condition for condition, _ in branches if condition is not None]
        case Case(test):
            own = [test]
    return own + [value for body in bodies(statement) for each in body for value in read(each)]


def nets(values: Iterable[Expr]) -> dict[Net, None]:
    """Return the nets in some expressions."""
    found: dict[Net, None] = {}
    seen: set[Expr] = set()
    waiting = list(values)[::-1]
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value.data, Net):
            found[value.data] = None
        waiting += value.args[::-1]
    return found


def mapped(statement: Statement, change: Callable[[Expr], Expr]) -> Statement:
    """Return a statement with other expressions."""

    def all_of(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return tuple(mapped(each, change) for each in body)

    match statement:
        case Assign(t, value, place):
            offset = None if t.offset is None else change(t.offset)
            return Assign(Target(t.net, t.start, t.width, offset, t.stride), change(value), place)
        case If(branches, place):
            return If(
                tuple((c if c is None else change(c), all_of(body)) for c, body in branches), place
            )
        case Case(test, cases, place):
            return Case(change(test), tuple((p, all_of(body)) for p, body in cases), place)


def matches(test: Expr, patterns: Sequence[str]) -> Expr:
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
    for statement in statements:
        if net not in written(statement):
            continue
        if isinstance(statement, Assign):
            target, new = statement.target, statement.value
            if target.offset is not None:
                choices = range(1 << target.offset.width)
                for at in choices:
                    start = target.start + at * target.stride
                    size = min(target.width, net.width - start)
                    if size > 0:
                        hit = binary("==", target.offset, const(at, target.offset.width))
                        old = bits(value, start, start + size)
                        value = _replaced(value, start, mux(hit, bits(new, 0, size), old))
            else:
                value = _replaced(value, target.start, new)
            continue
        if isinstance(statement, If):
            branches = list(statement.branches)
        else:
            branches = [
                (None if p is None else matches(statement.test, p), body)
                for p, body in statement.cases
            ]
        result = value
        for condition, body in reversed(branches):
            inner = executed(body, net, value)
            result = inner if condition is None else mux(condition, inner, result)
        value = result
    return value


def _replaced(value: Expr, start: int, new: Expr) -> Expr:
    stop = start + new.width
    return cat([bits(value, 0, start), new, bits(value, stop, value.width)])
