"""Kinds of links and terminals: each has its twin, and what is outside of them serves any.

Another kind of each, with registers on all wires, is here: nothing but classes and their places in
the registries. Their networks are in lock-step with the model.
"""

import sys
from collections import namedtuple
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import cocotb
import numpy as np
import pytest
from amaranth import Module

from fingerpost.golden.engine.links import STARTS
from fingerpost.golden.engine.routes import RouteTable
from fingerpost.golden.engine.run import Run
from fingerpost.golden.engine.start import Start, credit_start
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.link import LINKS, FlitLink, OsLinkParameters
from fingerpost.golden.link.flit_link import WireConfig
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.records import FLIT
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.terminal import TERMINALS, CreditTerminal, credit
from fingerpost.golden.terminal.credit import CreditState
from fingerpost.golden.traffic import Traffic
from fingerpost.hdl.emit.manifest import manifest
from fingerpost.hdl.link import LINK_ENDS
from fingerpost.hdl.link.base import Linked
from fingerpost.hdl.link.flit_link import FlitLinkEnds
from fingerpost.hdl.node import additions
from fingerpost.hdl.terminal import TERMINAL_ENDS
from fingerpost.hdl.terminal.base import LocalPort
from fingerpost.hdl.terminal.credit import CreditTerminalEnd
from fingerpost.netfile.schema import LINK_PARTS, TERMINAL_PARTS
from fingerpost.testbench.benches import lock_step_cocotb, make
from fingerpost.testbench.benches.bench import stored
from fingerpost.testbench.benches.os_link import OsLinkBench
from fingerpost.testbench.runner import cosimulate
from fingerpost.testbench.toolchain import SIMULATORS
from fingerpost.testbench.write import write
from tests.testbench.faults.networks import SETS
from tests.testbench.faults.plant import agree


class Held(NamedTuple):
    """What was sent in the cycle before: flits, by input, and masks of ports and of channels."""

    flits: Any
    arriving: Any
    credits: Any


def held(network: Network, runs: int) -> Held:
    nodes, ports = network.topology.nodes, network.topology.degree + 1
    masks = (np.zeros((runs, nodes), np.int64) for _ in range(2))
    return Held(np.zeros((runs, nodes * ports), FLIT), *masks)


@compiled
def exchange(now: Any, before: Any, node: int, mask: int) -> None:
    """Keep the bits of a mask for the next cycle; have those of the cycle before."""
    late = before[node]
    before[node] = now[node] & mask
    now[node] = now[node] & ~mask | late


@compiled
def exchange_flits(now: Any, before: Any) -> None:
    """Do the same with a flit."""
    now.data, before.data = before.data, now.data
    now.tag, before.tag = before.tag, now.tag
    now.step, before.step = before.step, now.step
    now.channel, before.channel = before.channel, now.channel
    now.head, before.head = before.head, now.head
    now.tail, before.tail = before.tail, now.tail


@compiled
def step_links(slots: Slots, config: Config, state: State) -> None:
    for node in range(config.nodes):
        links, channels = (1 << config.local) - 1, (1 << config.local * config.channels) - 1
        exchange(slots.arriving, state.links.arriving, node, links)
        exchange(slots.credits, state.links.credits, node, channels)
        for place in range(node * config.ports, node * config.ports + config.local):
            exchange_flits(slots.flits[place], state.links.flits[place])


@compiled
def note_links(noted: Any, row: int, config: Config, state: State) -> None:
    """Note nothing: flits and credits are noted anyway."""


@dataclass(frozen=True)
class LateLink(FlitLink):
    kind: ClassVar[str] = "late"
    jitter_reason: ClassVar[str] = "a register is on every wire"


class LateLinkEnds(FlitLinkEnds):
    kind: ClassVar[str] = "late"
    adds: ClassVar[str] = "registers"

    def join(self, m: Module, node: Any, router: Linked) -> None:
        for port in router.node_type.outputs:
            pass_on(m, router.outputs[port], node.outputs[port])
        for port in router.node_type.inputs:
            take_up(m, node.inputs[port], router.inputs[port])


LateTerminalState: Any = namedtuple("LateTerminalState", (*CreditState._fields, "late"))  # type: ignore[misc]


def late_start(network: Network, traffics: Sequence[Traffic], routes: RouteTable) -> Start:
    start, late = credit_start(network, traffics, routes), held(network, len(traffics))
    here, state = sys.modules[__name__], LateTerminalState(*start.state, late)  # type: ignore[call-arg]
    return start._replace(functions=here, state=state)


send, receive, return_credits = credit.send, credit.receive, credit.return_credits
note_sent, note_received = credit.note_sent, credit.note_received


@compiled
def receive_credits(slots: Slots, config: Config, state: State) -> None:
    late = state.terminals.late
    for node in range(config.nodes):
        exchange(slots.arriving, late.arriving, node, 1 << config.local)
        exchange(slots.terminal_credits, late.credits, node, (1 << config.classes) - 1)
        place = node * config.ports + config.local
        exchange_flits(slots.flits[place], late.flits[place])
    credit.receive_credits(slots, config, state)


@dataclass(frozen=True)
class LateTerminal(CreditTerminal):
    """Terminals to which all comes a cycle later."""

    kind: ClassVar[str] = "late"


class LateTerminalEnd(CreditTerminalEnd):
    kind: ClassVar[str] = "late"
    adds: ClassVar[str] = "registers"

    def join_one(self, m: Module, node: Any, router: LocalPort) -> None:
        pass_on(m, router.eject, node.eject)
        take_up(m, node.inject, router.inject)


def pass_on(m: Module, sender: Any, wire: Any) -> None:
    """Put what a router sends into registers."""
    m.d.sync += [wire.valid.eq(sender.valid), wire.flit.eq(sender.flit)]
    m.d.comb += sender.credit.eq(wire.credit)


def take_up(m: Module, wire: Any, receiver: Any) -> None:
    """Put the credits of a router into registers."""
    m.d.comb += [receiver.valid.eq(wire.valid), receiver.flit.eq(wire.flit)]
    m.d.sync += wire.credit.eq(receiver.credit)


@contextmanager
def registered() -> Iterator[None]:
    """Have the kinds in the registries."""
    here = sys.modules[__name__]
    registries: tuple[tuple[dict[Any, Any], Any, Any], ...] = (
        (LINKS, "late", LateLink),
        (LINK_ENDS, "late", LateLinkEnds),
        (
            STARTS,
            "late",
            lambda network, runs: (here, WireConfig(np.zeros(1)), held(network, runs)),
        ),
        (TERMINALS, "late", LateTerminal),
        (TERMINAL_ENDS, "late", LateTerminalEnd),
        (Wormhole.kinds, "late", (late_start, Run)),
    )
    for registry, key, kind in registries:
        registry[key] = kind
    try:
        yield
    finally:
        for registry, key, _ in registries:
            del registry[key]


@cocotb.test()
async def runs_with_late_kinds(dut: Any) -> None:
    """Run the bench of networks where it can know the kinds."""
    with registered():
        await lock_step_cocotb.lock_step(dut)


LINE: dict[str, Any] = {
    "name": "line",
    "topology": {"family": "edge-list", "nodes": 3, "links": [(0, 1), (1, 2)]},
    "routing": {"algorithm": "table"},
    "router": {"flit_width": 24},
}
LATE = {"kind": "late"}


@pytest.mark.parametrize(
    ("kinds", "ends", "parts"),
    [(LINKS, LINK_ENDS, LINK_PARTS), (TERMINALS, TERMINAL_ENDS, TERMINAL_PARTS)],
    ids=["links", "terminals"],
)
def test_every_kind_has_its_twin_and_its_keys(
    kinds: dict[str, Any], ends: dict[str, Any], parts: tuple[Any, ...]
) -> None:
    assert [*ends] == [*kinds, "single-flit"]  # that of deflection routers
    known = [part.model_json_schema()["properties"]["kind"]["const"] for part in parts]
    assert known == [*kinds]


def test_refuses_an_unknown_kind() -> None:
    kinds = "credit, axi-stream, os-link, mailbox or axi4"
    message = rf"^Terminal needs a kind that is {kinds}, not 'late'$"
    with pytest.raises(ValueError, match=message):
        build(LINE | {"terminal": LATE})


@pytest.mark.regress
@pytest.mark.parametrize(
    "kinds",
    [{"link": LATE, "terminal": LATE}, {"link": LATE}, {"terminal": LATE}],
    ids=" ".join,
)
def test_lock_step_with_other_kinds(kinds: dict[str, Any], tmp_path: Path) -> None:
    with registered():
        network = build(LINE | kinds)
        assert additions(network) == ["registers" for _ in kinds]
        assert manifest(network, {})["modules"]["node"] == "line_node_0"
        bench = make(network, "network", seed=3, cycles=300, load=0.4, malformed=0.1)
        report = cosimulate(
            "tests.testbench.test_kinds::runs_with_late_kinds",
            sources=write(bench, tmp_path / "sources"),
            toplevel=bench.top,
            simulator="icarus",
            folder=tmp_path,
            cache=tmp_path / "built",
            parameters=stored(bench),
        ).report
    assert (report["mismatches"], report["message"]) == (0, "")
    assert report["delivered"] == report["packets"] > 50


OTHERS = (
    OsLinkParameters(4, 1, breaks=True),
    OsLinkParameters(5, 4, slot=12),
    OsLinkParameters(16, 2, "late", breaks=True, timeout=20),
    OsLinkParameters(7, 1, "late", stop="ignored"),
    OsLinkParameters(4, 2, stop="ignored"),
)


def impossible(parameters: OsLinkParameters) -> set[str]:
    """Return what never happens to a port, by its parameters."""
    never = {
        "link_break": not parameters.breaks,
        "err_timeout": not parameters.timeout,
        "err_frame": parameters.stop == "ignored",
        "push_while_pop": parameters.fifo == 1,  # what is there fills it
    }
    return {name for name, so in never.items() if so}


@pytest.mark.regress
@pytest.mark.parametrize(
    ("sets", "cycles"), [(SETS, 6000), (OTHERS, 12000)], ids=["sets", "others"]
)  # at 16 clocks a bit few bytes come
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("seed", [1, 2])
def test_lock_step(
    sets: tuple[OsLinkParameters, ...], cycles: int, simulator: str, seed: int, folder: Path
) -> None:
    """A lock-step in which nothing happens proves nothing; an overrun need happen to one only."""
    bench = OsLinkBench(sets, cycles=cycles, seed=seed)
    coverage = agree(bench, folder / str(sets[0].fifo), simulator).details["coverage"]
    for parameters, happened in zip(sets, coverage, strict=True):
        missing = {name for name, count in happened.items() if not count}
        assert missing - {"err_over"} == impossible(parameters), parameters
        assert happened["bytes"] > 10
    assert any(happened["err_over"] for happened in coverage)
