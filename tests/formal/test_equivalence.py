"""What is printed and Amaranth's own netlist are compared, and faults are found."""

from typing import Any

import pytest
from amaranth.lib import data

from fingerpost.formal.equivalence import compare
from fingerpost.formal.prove import ProofError
from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.golden.network.network import build
from fingerpost.hdl.lib.memory import BlockQueue
from fingerpost.hdl.link.bare_port import BarePort
from fingerpost.hdl.os_link_port.registered_port import RegisteredPort
from fingerpost.hdl.router.vc_allocator import BatchArbiter
from fingerpost.hdl.terminal.crossing import Crossing
from scripts.equivalence import components
from tests.hdl.corpus import PORTS, descriptions

DESCRIPTIONS = {description["name"]: description for description in descriptions()}


def queue() -> BlockQueue:
    return BlockQueue(data.StructLayout({"word": 3, "last": 1}), depth=6, block_rows=4)


@pytest.mark.parametrize("component", [BatchArbiter(3, yielding=[1]), Crossing(2), queue()])
def test_printed_and_netlist_are_equal(component: Any) -> None:
    answer = compare(component)
    assert answer.equal, answer
    assert answer.registers >= 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("valid & ~served", "valid | ~served"),
        ("served <= 3'd0;", "served <= 3'd1;"),
        ("    served = 3'd0;", "    served = 3'd4;"),
        ("(posedge clk)", "(negedge clk)"),
        ("if (rst)", "if (~rst)"),
    ],
)
def test_finds_planted_faults(old: str, new: str) -> None:
    def plant(text: str) -> str:
        changed = text.replace(old, new)
        assert changed != text, text
        return changed

    assert not compare(BatchArbiter(3), change=plant).equal


def test_refuses_other_ports() -> None:
    with pytest.raises(ProofError, match=r"Can.t match g(ate|old) port"):
        compare(BatchArbiter(3), change=lambda text: text.replace("granted", "given"))


def test_finds_a_fault_in_a_memory() -> None:
    answer = compare(queue(), change=lambda text: text.replace("if (write", "if (~write", 1))
    assert not answer.equal


@pytest.mark.regress
@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_networks_of_the_corpus_are_equal(name: str) -> None:
    for module, component in components(build(DESCRIPTIONS[name])).items():
        answer = compare(component)
        assert answer.equal, (module, answer)


@pytest.mark.regress
@pytest.mark.parametrize(("parameters", "registered"), PORTS)
def test_ports_on_their_own_are_equal(parameters: OsLinkParameters, *, registered: bool) -> None:
    answer = compare((RegisteredPort if registered else BarePort)(parameters))
    assert answer.equal, answer
