"""What the source says beside its statements: docstrings, comments, names of variables."""

import ast
import inspect
import linecache
import re
from collections.abc import Collection, Mapping
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from amaranth.lib import wiring

from fingerpost.hdl.emit.printer.expressions import Place

ROOT = Path(__file__).resolve().parents[3]


class Function(NamedTuple):
    """A function of a source file: its lines, and what its docstring says before its sections."""

    name: str
    start: int
    end: int
    says: str


@cache
def _parsed(file: str) -> list[ast.AST]:
    return list(ast.walk(ast.parse("".join(linecache.getlines(file)))))


@cache
def _functions(file: str) -> list[Function]:
    found = [Function("elaborate", 0, 1 << 30, "")]
    for node in _parsed(file):
        if isinstance(node, ast.FunctionDef):
            says = "\n".join(_sections(ast.get_docstring(node) or "")[""]).strip()
            found.append(Function(node.name, node.lineno, node.end_lineno or node.lineno, says))
    return sorted(found, key=lambda function: function.start)


def function_at(place: Place | None) -> Function:
    """Return the innermost function around a place."""
    file, line = place or ("", 0)
    return [each for each in _functions(file) if each.start <= line <= each.end][-1]


@cache
def _variables(file: str) -> dict[int, str]:
    """Return the variables that are assigned to, by the lines of the assignments."""
    found: dict[int, str] = {}
    for node in _parsed(file):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                several = zip(target.elts, node.value.elts, strict=False)
                logic = [each for each, value in several if isinstance(value, ast.BinOp)]
                target = logic[0] if len(logic) == 1 else target
            if isinstance(target, ast.Name):
                lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                found |= dict.fromkeys(lines, target.id)
    return found


def variable_at(place: Place | None) -> str:
    """Return the variable to which the expression at a place is assigned, if it is."""
    return _variables(place[0]).get(place[1], "") if place else ""


def is_returned(place: Place | None) -> bool:
    """Return whether a function returns the expression at a place."""
    return place is not None and linecache.getline(*place).lstrip().startswith("return ")


COMMENT = r"#\s+(?!type:|noqa|fmt:|pragma|ruff:)(.*)$"


def comment_at(place: Place | None) -> str:
    """Return the comment that ends a source line."""
    found = re.search(rf"\S\s+{COMMENT}", linecache.getline(*place) if place else "")
    return found[1].strip() if found else ""


def comment_above(place: Place) -> list[str]:
    """Return the comment lines above the statement at a place."""
    file, line = place
    found = re.match(rf"\s*{COMMENT}", linecache.getline(file, line - 1)) if line > 1 else None
    return [*comment_above((file, line - 1)), found[1].strip()] if found else []


def shown(place: Place | None) -> str:
    """Return a place as the text has it: from `hdl`, or the package that it is of, on."""
    if not place:
        return ""
    file = str(Path(place[0]).resolve()).removeprefix(f"{ROOT}/").rpartition("/site-packages/")[2]
    return f"{Path(file).name if file[0] == '/' else file}:{place[1]}"


@cache
def _sections(text: str) -> dict[str, list[str]]:
    """Return the sections of a docstring: lines by heading; the empty one begins it."""
    lines = text.split("\n")
    found: dict[str, list[str]] = {"": []}
    heading = ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if re.fullmatch(r"-{3,}", below):
            heading = line
            found[heading] = []
        elif not re.fullmatch(r"-{3,}", line):
            found[heading].append(line)
    return found


def about(component: Any) -> list[str]:
    """Return what the docstring of a component of ours says before its sections."""
    kind: Any = type(component)
    ours = kind.__module__.startswith("fingerpost")
    text = "\n".join(_sections(inspect.getdoc(kind) or "")[""] if ours else [])
    return text.replace("``", "`").strip().splitlines() or [""]


@cache
def _told(of: Any) -> dict[str, str]:
    """Return what the docstrings of a class and its bases say of its members, by name."""
    found = dict(_told(of.__base__)) if of.__base__ else {}
    names: list[str] = []
    for line in _sections(inspect.getdoc(of) or "").get("Members", []):
        head = re.match(r"(\w[\w., ]*?)(?: : (.*?))?(?:\s{2,}(\S.*))?$", line)
        if head:
            names = re.findall(r"\w+", head[1])
            found |= dict.fromkeys(names, head[3] or "")
        elif line.strip():
            found |= {name: f"{found[name]} {line.strip()}".strip() for name in names}
    return {name: says.replace("``", "`") for name, says in found.items()}


def meaning(component: Any, path: tuple[str | int, ...]) -> str:
    """Return what docstrings say of a member, or of the interface that it is a part of."""
    names = [part for part in path if isinstance(part, str)]
    if not isinstance(component, wiring.Component) or names[0] not in component.signature.members:
        return ""
    kind: Any = type(component)
    own, stem = _told(kind), re.sub(r"\d+$", "", names[0])
    said = next((own[each] for each in (names[0], stem, f"{stem}s") if own.get(each)), "")
    member = component.signature.members[names[0]]
    if len(names) > 1 and member.is_signature:
        inner: Any = member.signature
        while isinstance(inner, wiring.FlippedSignature):
            inner = inner.flip()
        kind = type(inner)
        said = _told(kind).get(names[-1]) or said
    return said


def parameters(component: Any) -> dict[str, str]:
    """Return the arguments of a component that can be shown, by name."""
    shown = {}
    for name in inspect.signature(type(component).__init__).parameters:
        value = getattr(component, name, None)
        parts = vars(value).values() if is_dataclass(value) else value
        plain = isinstance(parts, Collection) and all(isinstance(each, int) for each in parts)
        if (plain and not isinstance(value, Mapping)) or isinstance(value, int | str):
            shown[name] = str(value).replace(",)", ")")
    return shown


def place_of_class(component: Any) -> Place:
    """Return where a component's class is in the source."""
    kind: Any = type(component)
    return _place(kind)


@cache
def _place(kind: type[Any]) -> Place:
    return inspect.getfile(kind), inspect.getsourcelines(kind)[1]
