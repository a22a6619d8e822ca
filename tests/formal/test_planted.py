"""For each claim of each contract there is a fault that breaks it: none holds for nothing."""

import ast
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
import yaml
from amaranth import Module, Mux, Signal, Value

from fingerpost.formal.arbiters import LIMIT, batch_arbiter
from fingerpost.formal.contract import Contract
from fingerpost.formal.counters import count
from fingerpost.formal.os_link import os_links
from fingerpost.formal.output_port import output_port, progress
from fingerpost.formal.proofs import PROOFS
from fingerpost.formal.prove import graph_of, prove
from fingerpost.formal.queues import RESET, crossing
from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.golden.router.pipeline import Pipeline

HERE = Path(__file__).parent
GROUPS = yaml.load((HERE / "faults.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
COMPONENTS = sorted({proof.component for proof in PROOFS})
CONTRACTS = {proof.contract.__name__: proof.contract for proof in PROOFS}
OUTPUT = "router.output_port.OutputPort"


def contract(name: str, size: dict[str, Any]) -> Contract:
    lanes = {"lanes": Lanes(*size["lanes"])} if "lanes" in size else {}
    pipeline = {"pipeline": Pipeline(**size["pipeline"])} if "pipeline" in size else {}
    return CONTRACTS[name](**{**size, **lanes, **pipeline})


def cases() -> Iterator[Any]:
    """Yield the faults of the file, each with what it is planted in and what it breaks.

    `make test` finds the first short one of each contract.
    """
    found = set[str]()
    for group in GROUPS:
        contract, every = group["of"][0], [*group.get("short", ()), *group.get("long", ())]
        for fault in every:
            long = contract in found or "short" not in group
            found |= set() if long else {contract}
            marks = [pytest.mark.regress] if long else []
            name = f"{contract}-{fault[0]}"
            yield pytest.param(*group["of"], group.get("depth"), *fault, id=name, marks=marks)


@pytest.mark.parametrize(
    ("name", "component", "size", "depth", "claim", "old", "new"), list(cases())
)
def test_finds_faults(
    name: str,
    component: str,
    size: dict[str, Any],
    depth: int | None,
    claim: str,
    old: str,
    new: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planted(monkeypatch, component, old, new)
    breaks(contract(name, size), claim, depth=depth)


@pytest.mark.parametrize("sources", [2, 3])
def test_no_less_can_be_promised(sources: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.formal.arbiters.LIMIT", LIMIT - 1)
    breaks(batch_arbiter(sources), "bounded_bypass")


def test_finds_a_counter_that_stops_early(monkeypatch: pytest.MonkeyPatch) -> None:
    def count_to_one_less(m: Module, counter: Signal, events: Value) -> None:
        total, width = counter + events, len(counter)
        m.d.sync += counter.eq(Mux(total[width:].any(), counter, total[:width]))

    monkeypatch.setattr("fingerpost.formal.counters.counts", count_to_one_less)
    breaks(count(width=3, most=3), "sum")


def test_a_crossing_needs_the_skew_that_constraints_give_it() -> None:
    breaks(crossing(depth=4, window=2), "stays")


def test_a_crossing_needs_a_reset_of_six_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    """With five a pointer of before still comes back, and a word more than there is room for."""
    monkeypatch.setattr("fingerpost.formal.queues.RESET", RESET - 1)
    breaks(crossing(depth=2, resets=True), "room")


@pytest.mark.parametrize(
    ("proof", "component", "old"),
    [
        ("injection", "router.injection.Injection", "truncated = Signal(self.classes"),
        ("output_port", "router.vc_allocator.VcAllocator", "busy = Signal("),
    ],
)
def test_finds_what_a_reset_leaves_behind(
    proof: str, component: str, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = next(p for p in PROOFS if p.component == proof and p.resets).make()
    end = ", " if old.endswith("classes") else ""
    planted(monkeypatch, component, f"{old})", f"{old}{end}reset_less=True)")
    assert prove(made).proven is False


@pytest.mark.regress
@pytest.mark.parametrize(
    "size", [p.size for p in PROOFS if p.component == "progress" and not p.long], ids=str
)
def test_bounds_are_the_least(size: dict[str, Any]) -> None:
    breaks(progress(**{**size, "bound": size["bound"] - 1}), "leaves")


@pytest.mark.regress
def test_heads_of_message_classes_with_lanes_are_not_passed_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    size: dict[str, Any] = {"channels": (4, 2), "lanes": Lanes(1, 2, 2), "depth": 1}
    port = output_port(**size)
    port.claims = {"passed": port.claims["passed"]}
    assert prove(port).proven is True
    planted(monkeypatch, OUTPUT, "if self.batches:", "if False:")
    breaks(output_port(**size), "passed")


def test_a_bounded_verdict_says_for_how_long() -> None:
    verdict = prove(os_links(skew=8), depth=100)
    assert (verdict.proven, verdict.depth) == (True, 100)
    assert str(verdict) == "holds for 100 cycles"


def kind(claim: str) -> str:
    """Return a claim without the number of its channel or input."""
    return re.sub(r"\d+(_\d+)?$", "", claim)


def said() -> dict[str, set[str]]:
    """Return by contract the claims of faults, and all words of tests with faults of their own."""
    found: dict[str, set[str]] = defaultdict(set)
    for group in GROUPS:
        every = group.get("short", []) + group.get("long", [])
        found[group["of"][0]] |= {kind(claim) for claim, _, _ in every}
    for path in HERE.glob("test_*.py"):
        tree = list(ast.walk(ast.parse(path.read_text())))
        imports = [node for node in tree if isinstance(node, ast.ImportFrom)]
        names = {alias.name for node in imports for alias in node.names}
        if names & {"breaks"} or path == Path(__file__):
            constants = [node.value for node in tree if isinstance(node, ast.Constant)]
            for name in names & {*COMPONENTS}:
                found[name] |= {kind(word) for word in constants if isinstance(word, str)}
    return found


@pytest.mark.parametrize("component", COMPONENTS)
def test_each_claim_has_a_fault_that_breaks_it(component: str) -> None:
    contracts = (p.contract(**p.size) for p in PROOFS if p.component == component)
    claims = {kind(claim) for contract in contracts for claim in contract.claims}
    assert not claims - said()[component]


def planted(monkeypatch: pytest.MonkeyPatch, component: str, old: str, new: str) -> None:
    """Let a component's methods be those of a source in which `new` stands for `old`.

    It is named by its module in hdl/ and its class; by its module alone it is all that is there,
    functions too.
    """
    path, _, name = component.rpartition(".")
    if not name[0].isupper():
        path, name = component, ""
    module = import_module(f"fingerpost.hdl.{path}")
    source = inspect.getsource(module)
    part = inspect.getsource(getattr(module, name)) if name else source
    part = part if old in part else source
    assert part.count(old) == 1, f"{old!r} stands {part.count(old)} times in {component}"
    source = source.replace(part, part.replace(old, new))
    changed: dict[str, object] = {"__name__": module.__name__}
    exec(compile(source, str(module.__file__), "exec"), changed)
    classes = [x for x in vars(module).values() if isinstance(x, type)]
    for function in (x for x in vars(module).values() if isinstance(x, FunctionType)):
        if not name and function.__module__ == module.__name__:
            other: Any = changed[function.__name__]  # others have imported this one by name
            monkeypatch.setattr(function, "__code__", other.__code__)
    for genuine in (x for x in classes if x.__module__ == module.__name__):
        if name not in ("", genuine.__name__):
            continue
        for attribute, method in vars(changed[genuine.__name__]).items():
            if isinstance(method, FunctionType) and attribute != "__init__":
                monkeypatch.setattr(genuine, attribute, method)


def breaks(contract: Contract, claim: str, *, depth: int | None = None) -> None:
    """Assert that a claim, alone, is found to be broken, by a trace that shows it.

    To try the first cycles is sooner done than what can prove the claim.
    """
    contract.claims = {claim: contract.claims[claim]}
    graph = graph_of([contract])
    verdict = prove(contract, seconds=2, depth=depth or 60, graph=graph)
    if verdict.proven is not False:
        verdict = prove(contract, depth=depth, graph=graph)
    assert verdict.proven is False
    assert verdict.broken == (claim,)
    assert verdict.trace
