"""What is printed and Amaranth's own netlist are compared, and faults are found."""

from typing import Any

import pytest
from amaranth import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from fingerpost.formal.equivalence import Answer, compare
from fingerpost.formal.prove import ProofError
from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.golden.network.network import build
from fingerpost.hdl.lib.memory import BlockQueue
from fingerpost.hdl.link.bare_port import BarePort
from fingerpost.hdl.link.registered_port import RegisteredPort
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
        ("    served = 3'd0;", "    "),
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


@pytest.mark.parametrize(
    ("new", "found"),
    [
        ("[2:0] granted, input other", "printed"),
        ("[2:0] granted, output other", "check -assert"),
        ("[2:0] given", "check -assert"),
        ("[3:0] granted", "Resizing"),
    ],
)
def test_refuses_other_ports(new: str, found: str) -> None:
    with pytest.raises(ProofError, match=found):
        compare(BatchArbiter(3), change=lambda text: text.replace("[2:0] granted", new))


class Inner(wiring.Component):
    """Combine a bit with the one of the last cycle; the mode is that of the module."""

    given: Signal
    now: Signal
    later: Signal
    mode: Signal

    def __init__(self, mode: int) -> None:
        fixed = Out(1, init=mode)  # type: ignore[call-arg]
        super().__init__({"given": In(1), "now": Out(1), "later": Out(1), "mode": fixed})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.sync += self.later.eq(self.given)
        m.d.comb += self.now.eq(self.given & self.later)
        return m


class Outer(wiring.Component):
    """Three modules in a row."""

    first: Signal
    last: Signal

    def __init__(self) -> None:
        super().__init__({"first": In(1), "last": Out(3)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        row = [Inner(mode) for mode in (0, 1, 1)]
        m.submodules.inner0, m.submodules.inner1, m.submodules.inner2 = row
        m.d.comb += [row[0].given.eq(self.first), row[1].given.eq(row[0].now)]
        m.d.comb += [row[2].given.eq(row[1].now ^ row[0].later)]
        m.d.comb += self.last.eq(Cat(row[2].now, row[1].later, row[2].mode))
        return m


def test_modules_in_modules_are_equal() -> None:
    known: dict[bytes, Answer] = {}
    assert compare(Outer(), known=known).equal
    assert len(known) == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (".given (inner0_now)", ".given (inner0_later)"),
        (".given (first)", ".given (~first)"),
        (".clk   (clk)", ".clk   (rst)"),
        ("assign mode = 1'd1;", "assign mode = 1'd0;"),
    ],
)
def test_finds_faults_between_modules(old: str, new: str) -> None:
    assert not compare(Outer(), change=lambda text: text.replace(old, new)).equal


def test_refuses_an_instance_of_another_module() -> None:
    with pytest.raises(ProofError, match="printed"):
        compare(Outer(), change=lambda text: text.replace("top_inner_2 inner2", "top_inner inner2"))


def test_refuses_a_loop() -> None:
    def plant(text: str) -> str:
        return text.replace("given & later", "given & now")

    with pytest.raises(ProofError, match="check -assert"):
        compare(Outer(), change=plant)


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
