"""Sources: examples in docstrings run, they say what can go wrong, and hooks run `make lint`."""

import ast
import doctest
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
import yaml

EXAMPLES = {
    "fingerpost.commands.prove": ["prove"],
    "fingerpost.netfile.source": ["load"],
    "fingerpost.commands.route": ["route"],
    "fingerpost.netfile.schema": ["parsed", "spelled"],
    "fingerpost.netfile.scaffold": ["starting_file"],
    "fingerpost.jobs.files": ["Output"],
    "fingerpost.sweeps.schedule": ["loads", "seeds"],
    "fingerpost.golden.topology.base": ["distances", "summary"],
    "fingerpost.golden.analysis.loads": ["loads"],
    "fingerpost.golden.deadlock.channels": ["Dependencies"],
    "fingerpost.golden.measure.simulation": ["Bisection", "simulate"],
    "fingerpost.golden.measure.statistics": ["estimate"],
    "fingerpost.golden.measure.latency": ["zero_load"],
    "fingerpost.golden.network.network": ["build", "routed", "topology"],
    "fingerpost.golden.reliability.monte_carlo": ["monte_carlo"],
    "fingerpost.golden.routing.walk": ["walk"],
    "fingerpost.hdl.export.generate": ["generate"],
}
"""The functions that users call most, by module."""

ROOT = Path(__file__).parents[1]
ROOMS = "golden", "hdl", "formal", "testbench", "mutation", "fingerpost"


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_true(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    module = import_module(name)
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    for function in EXAMPLES[name]:
        (test,) = finder.find(getattr(module, function), globs=dict(vars(module)))
        assert runner.run(test).attempted, function
    assert runner.summarize().failed == 0


Definition = ast.FunctionDef | ast.AsyncFunctionDef


def raises(node: ast.AST) -> bool:
    """Whether this raises an error of its own, not only one that it has caught."""
    inside = (x for x in ast.iter_child_nodes(node) if not isinstance(x, Definition | ast.ClassDef))
    return any((isinstance(x, ast.Raise) and x.exc is not None) or raises(x) for x in inside)


def commands(node: Definition) -> bool:
    """Whether this is a command: its docstring is a help text, for users who see a status."""
    return any(isinstance(x, ast.Call) and ast.unparse(x.func) == "command"
               for x in node.decorator_list)  # fmt: skip


def untold(owner: ast.Module | ast.ClassDef) -> Iterator[str]:
    """Yield the public definitions that raise and have no section that says so."""
    for node in owner.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from (f"{node.name}.{name}" for name in untold(node))
        elif isinstance(node, Definition) and raises(node) and not commands(node):
            makes = node.name in ("__init__", "__post_init__")  # told by the class
            told = owner if makes else node
            if (makes or not node.name.startswith("_")) and "Raises\n" not in (
                ast.get_docstring(told) or ""
            ):
                yield node.name


def test_who_raises_says_so() -> None:
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    assert len(files) > 100
    found = {
        str(path.relative_to(ROOT)): names
        for path in files
        if (names := [*untold(ast.parse(path.read_text(encoding="utf-8")))])
    }
    assert found == {}


def test_the_hooks_are_the_checks_of_make_lint() -> None:
    (recipe,) = re.findall(
        r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M
    )
    commands = [line.strip().replace("$(BIN)", ".venv/bin") for line in recipe.splitlines()]
    (repo,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert [hook["entry"] for hook in repo["hooks"]] == commands
