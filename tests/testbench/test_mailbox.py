from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.deflection import build_deflection
from fingerpost.golden.network.network import build
from fingerpost.testbench.benches.network import MailboxBench, NetworkBench
from fingerpost.testbench.cosim import Result, run
from tests.golden.deflection.examples import deflection
from tests.networks import load
from tests.testbench.faults.networks import MAILBOXES


def clean(result: Result) -> None:
    assert (result.mismatches, result.message) == (0, "")
    assert result.details["delivered"] == result.details["packets"] > 10


FLOW = {"terminal": MAILBOXES["terminal"] | {"flow_control": "end-to-end", "eager": 2}}


@pytest.mark.regress
@pytest.mark.parametrize(
    "more",
    [
        {},
        pytest.param(FLOW, marks=pytest.mark.regress),
        pytest.param({"router": {"classes": 2}}, marks=pytest.mark.regress),
        pytest.param(FLOW | {"router": {"classes": 2}}, marks=pytest.mark.regress),
        pytest.param({"faults": "node:1"}, marks=pytest.mark.regress),
        pytest.param({"counters": {"kind": "axi-lite"}}, marks=pytest.mark.regress),
        {"terminal": MAILBOXES["terminal"] | {"endpoints": 2}},
        {"terminal": FLOW["terminal"] | {"endpoints": 4}, "router": {"classes": 2}},
    ],
    ids=str,
)
def test_drivers_of_others(more: dict[str, Any], tmp_path: Path) -> None:
    """All pairs exchange packets, and software does things that are wrong."""
    result = run(
        MailboxBench(build(MAILBOXES | more), rounds=3), simulator="icarus", directory=tmp_path
    )
    clean(result)
    assert result.details["misuses"] > 10


@pytest.mark.regress
def test_drivers_of_others_at_deflection_routers(tmp_path: Path) -> None:
    """Packets of many words arrive complete and in order, though flits do not."""
    described = deflection("uneven").description
    bench: Any = MailboxBench
    network = build_deflection({**described, "terminal": MAILBOXES["terminal"] | FLOW["terminal"]})
    clean(run(bench(network, rounds=2), simulator="icarus", directory=tmp_path))


def test_lock_step_of_the_network_inside(tmp_path: Path) -> None:
    bench = NetworkBench(build(MAILBOXES), seed=4, cycles=150, load=0.5)
    clean(run(bench, simulator="icarus", directory=tmp_path))


def test_needs_mailboxes() -> None:
    with pytest.raises(ValueError, match=r"^Bench needs mailboxes, as in terminal: "):
        MailboxBench(load("borel-21"))
