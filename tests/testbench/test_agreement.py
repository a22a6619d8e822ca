"""Hardware and model agree: kinds of links and terminals, classes, counters; of all levels.

`test_families` has the algorithms and families, `test_deflection` the other routers.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from fingerpost.golden.network.kinds import build_any
from fingerpost.testbench.cosim import run
from tests.formal.planted import planted
from tests.golden.deflection.examples import deflection
from tests.networks import CASES, EXAMPLES, load
from tests.testbench.agreement import agree
from tests.testbench.faults import networks
from tests.testbench.faults.plant import bench_of

Description = dict[str, Any]

TABLE = Path(__file__).with_name("agreement.yaml")

KEYS = "name", "topology", "routing", "router", "link", "terminal", "counters", "faults"
"""What a case says of the network; the rest is for the bench."""


def cases() -> Iterator[Any]:
    """Yield the name of a network, and what is changed of it or for the bench."""
    for group in yaml.load(TABLE.read_text(encoding="utf-8"), yaml.CSafeLoader):
        for name, case in group["cases"].items():
            every = {"network": group["network"], **group["stimulus"], **case}
            marks = [] if name in group.get("short", ()) else [pytest.mark.regress]
            if every.get("simulator") == "verilator":
                marks.append(pytest.mark.verilator)
            network = every.pop("network")
            yield pytest.param(network, every, id=f"{group['of']}: {name}", marks=marks)


OWN_ALGORITHM = {case["topology"]["family"]: case for case in reversed(CASES.values())}


def described(name: str) -> Description:
    """Return a network by its name in the table, or that of its family."""
    if name.isupper():
        found: Description = getattr(networks, name)
        return found
    if name in EXAMPLES:
        plain = {"topology": {"family": name, **EXAMPLES[name]}, "routing": {"algorithm": "table"}}
        return {**OWN_ALGORITHM.get(name, plain), "name": name}
    kind, _, example = name.rpartition(" ")
    return dict((deflection(example) if kind else load(name)).description)


def check(
    name: str,
    folder: Path,
    *,
    level: str = "network",
    simulator: str = "icarus",
    least: int = 21,
    seen: Description | None = None,
    above: Description | None = None,
    **options: Any,
) -> None:
    """Run a bench; only malformed packets and those without credit count as errors."""
    network = build_any(described(name) | {k: options.pop(k) for k in KEYS if k in options})
    facts = agree(bench_of(network, level, **options), folder, simulator).details
    surplus = options.get("surplus", 0)
    if "packets" in facts and not surplus:
        assert facts["delivered"] == facts["packets"] >= least
    assert (facts.get("overruns", 0) > 0) == (surplus > 0) or level == "router"
    some = surplus or options.get("malformed", 0) or level == "router"
    assert (network.terminal.kind == "credit" and some) or not facts.get("errors", 0)
    assert {name: facts[name] for name in seen or {}} == (seen or {})
    assert all(facts[name] > count for name, count in (above or {}).items())


@pytest.mark.parametrize(("network", "options"), list(cases()))
def test_agrees(network: str, options: Description, folder: Path) -> None:
    check(network, folder, **options)


FAMILIES = (*EXAMPLES, "borel-21-adaptive", "mesh-4x4-axi", "petersen-up-down")

PACES = (0.0, 0.0), (0.5, 0.1), (0.1, 0.7)
"""How often drivers are idle and pause, for the families in turn."""


@pytest.mark.regress
@pytest.mark.parametrize("level", ["network", "axi_stream"])
@pytest.mark.parametrize("name", FAMILIES)
def test_families_agree_with_axi_stream(name: str, level: str, folder: Path) -> None:
    place = FAMILIES.index(name)
    options: Description = {"seed": 5, "cycles": 300, "malformed": 0.2, "stall": 0.6 * (place % 2)}
    if level == "axi_stream":
        terminals = len(build_any(described(name)).topology.terminals)
        idle, pause = PACES[place % len(PACES)]
        options = {"idle": idle, "pause": pause, "seen": {"packets": terminals * (terminals - 1)}}
    terminal = {"kind": "axi-stream", "timeout": 200}
    check(name, folder, level=level, terminal=terminal, **options)


@pytest.mark.regress
def test_a_counter_of_overruns_that_begins_again_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the case in which the counters of both terminals fill."""
    wraps = "m.d.sync += self.overruns.eq(self.overruns + lost)"
    planted(monkeypatch, "router.injection.Injection", "count(m, self.overruns, lost)", wraps)
    (flood,) = (case for case in cases() if case.id == "terminals that ignore credits: pair")
    name, options = flood.values
    with pytest.raises(AssertionError, match="overruns"):
        check(name, tmp_path, **options)


@pytest.mark.regress
def test_clocks_of_nodes_too_far_apart_are_found(tmp_path: Path) -> None:
    link = {"kind": "os-link", "clocks_per_bit": 4}
    bench = bench_of(build_any(networks.PAIR | {"link": link}), "clocks", offset=0.06, patience=3)
    result = run(bench, simulator="icarus", directory=tmp_path)
    assert result.mismatches
    assert result.message


@pytest.mark.parametrize(
    ("level", "message"),
    [
        ("axi_stream", r"Bench needs AXI4-Stream, as in terminal: \{kind: axi-stream\}"),
        ("clocks", r"Level clocks needs OS-Links, as in link: \{kind: os-link\}"),
        ("counters", r"Bench needs counters, as in counters: \{kind: axi-lite\}"),
        ("mailbox", r"Bench needs mailboxes, as in terminal: \{kind: mailbox\}"),
        ("os_link_terminals", r"Bench needs OS-Links, as in terminal: \{kind: os-link\}"),
    ],
)
def test_bench_needs_its_kind(level: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        bench_of(load("borel-21"), level)
