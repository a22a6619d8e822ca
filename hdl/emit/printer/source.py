"""What the source says beside its statements: docstrings, comments, names of variables."""

import ast
import inspect
import linecache
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from amaranth.lib import wiring

from fingerpost.hdl.emit.printer.expressions import Place

ROOT = Path(__file__).resolve().parents[2]
"""The folder of `hdl`."""


@dataclass(frozen=True)
class Function:
    """A function of a source file: its lines and the first paragraph of its docstring."""

    name: str
    start: int
    end: int
    says: str


@cache
def _parsed(file: str) -> ast.Module:
    return ast.parse("".join(linecache.getlines(file)))


@cache
def _functions(file: str) -> list[Function]:
    found = []
    for node in ast.walk(_parsed(file)):
        if isinstance(node, ast.FunctionDef):
            says = (ast.get_docstring(node) or "").split("\n\n")[0].replace("\n", " ")
            found.append(Function(node.name, node.lineno, node.end_lineno or node.lineno, says))
    return sorted(found, key=lambda function: function.start)


def function_at(place: Place | None) -> Function | None:
    """Return the innermost function around a place."""
    if place is None:
        return None
    around = [f for f in _functions(place[0]) if f.start <= place[1] <= f.end]
    return around[-1] if around else None


@cache
def _variables(file: str) -> dict[int, str]:
    """Return the variables that are assigned to, by the lines of the assignments."""
    found: dict[int, str] = {}
    for node in ast.walk(_parsed(file)):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                several = zip(target.elts, node.value.elts, strict=False)
                logic = [name for name, value in several if isinstance(value, ast.BinOp | ast.UnaryOp)]
                target = logic[0] if len(logic) == 1 else target
            if isinstance(target, ast.Name):
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    found[line] = target.id
    return found


def variable_at(place: Place | None) -> str | None:
    """Return the variable to which the expression at a place is assigned."""
    return _variables(place[0]).get(place[1]) if place else None


IGNORED = r"type:|noqa|fmt:|pragma|ruff:"


def comment_at(place: Place | None) -> str:
    """Return the comment that ends a source line."""
    found = re.search(rf"\S\s+#\s+(?!{IGNORED})(.*)$", linecache.getline(*place) if place else "")
    return found[1].strip() if found else ""


def comment_above(place: Place | None) -> list[str]:
    """Return the comment lines above the statement at a place."""
    if place is None:
        return []
    file, line = place
    found: list[str] = []
    while line > 1 and (said := re.match(rf"\s*#\s+(?!{IGNORED})(.*)$", linecache.getline(file, line - 1))):
        found.insert(0, said[1].strip())
        line -= 1
    return found


def short(file: str) -> str:
    """Return a file as it is called in the text: from `hdl`, or the package that it is of, on."""
    path = Path(file).resolve()
    if path.is_relative_to(ROOT):
        return path.relative_to(ROOT.parent).as_posix()
    parts = path.parts
    return "/".join(parts[parts.index("site-packages") + 1 :]) if "site-packages" in parts else path.name


def _sections(of: Any) -> dict[str, list[str]]:
    """Return the sections of a docstring: lines by heading, what stands first by the empty one."""
    lines = (inspect.getdoc(of) or "").splitlines()
    found: dict[str, list[str]] = {"": []}
    heading = ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if re.fullmatch(r"-{3,}", below) and line and not line.startswith(" "):
            heading = line
            found[heading] = []
        elif not re.fullmatch(r"-{3,}", line):
            found[heading].append(line)
    return found


def about(component: Any) -> list[str]:
    """Return what the docstring of a component says before its sections."""
    lines = _sections(type(component))[""] if type(component).__module__.startswith("fingerpost") else []
    while lines and not lines[-1].strip():
        lines.pop()
    return [line.replace("``", "`") for line in lines]


def told(of: Any) -> dict[str, str]:
    """Return what the docstring of a class says of its members, by name: the first sentence."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in _sections(of).get("Members", []):
        head = re.match(r"([\w., ]*\w) : (?:``.*?``|\S*)(?:, by \w+)?(?:,? ?(\w+) : (?:``.*?``))?(?:\s{2,}(.*))?$", line)
        if head and not line.startswith(" "):
            names = [*(each.strip() for each in head[1].split(",")), *filter(None, [head[2]])]
            found |= dict.fromkeys(names, (head[3] or "").strip())
        elif names and line.startswith(" "):
            found |= {name: f"{found[name]} {line.strip()}".strip() for name in names}
        else:
            names = []
    return {name: first_sentence(says) for name, says in found.items()}


def first_sentence(says: str) -> str:
    """Return the first sentence of a text."""
    return re.split(r"(?<=[\w`)][\w`)]\.)\s", says.replace("``", "`"))[0]


def meaning(component: Any, path: tuple[str | int, ...]) -> str:
    """Return what docstrings say of a member, or of the interface that it is a part of."""
    names = [part for part in path if isinstance(part, str)]
    if not isinstance(component, wiring.Component) or names[0] not in component.signature.members:
        return ""
    own = told(type(component))
    stem = re.sub(r"\d+$", "", names[0])
    said = next((own[each] for each in (names[0], stem, f"{stem}s") if own.get(each)), "")
    member = component.signature.members[names[0]]
    if len(names) > 1 and member.is_signature:
        inner: Any = member.signature
        while isinstance(inner, wiring.FlippedSignature):
            inner = inner.flip()
        said = told(type(inner)).get(names[-1]) or said
    return said


def parameters(component: Any) -> dict[str, str]:
    """Return the arguments of a component that can be shown, by name."""
    shown = {}
    for name in inspect.signature(type(component).__init__).parameters:
        value = getattr(component, name, None)
        if isinstance(value, int | str) or (
            isinstance(value, tuple) and all(isinstance(each, int) for each in value)
        ):
            shown[name] = str(value).replace(",)", ")")
    return shown


def place_of_class(component: Any) -> Place:
    """Return where a component's class is in the source."""
    return inspect.getfile(type(component)), inspect.getsourcelines(type(component))[1]
