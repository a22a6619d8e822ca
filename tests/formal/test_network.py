"""Networks as generated: all is proven of both kinds of routers, and faults in them are seen."""

from collections.abc import Callable
from typing import Any

import pytest
from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.formal import deflection_network
from fingerpost.formal.decisions import Decisions, Routers
from fingerpost.formal.deflection_network import KEPT, NEARER, tables
from fingerpost.formal.gates import Finding, Gates, gates_of
from fingerpost.formal.network import decisions, findings, forgets, journeys, registered
from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.network import network_verilog, verilog_files
from fingerpost.hdl.emit.printer import module_verilog
from tests.formal.test_planted import planted
from tests.networks import BOREL, PETERSEN, built
from tests.testbench.faults.networks import SEVERAL

MESH = {"family": "grid", "sizes": [3, 3]}


def of(component: wiring.Component) -> Gates:
    return gates_of(module_verilog(component, "top"), "top")


def routers(some: Network) -> Routers:
    text = "\n".join(verilog_files(some).values())
    return Routers(some, [Decisions(some, x, text) for x in some.topology.node_types])


class Through(wiring.Component):
    """Two bits go out, one of them through a register."""

    inputs__0__valid: Signal
    outputs__0__valid: Signal

    def __init__(self) -> None:
        super().__init__({"inputs__0__valid": In(2), "outputs__0__valid": Out(2)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.sync += self.outputs__0__valid[0].eq(self.inputs__0__valid[0])
        m.d.comb += self.outputs__0__valid[1].eq(self.inputs__0__valid[1])
        return m


def test_finds_a_way_through_within_a_cycle() -> None:
    found = registered(of(Through()), "through")
    assert (found.cases, found.broken) == (2, ("outputs__0__valid[1]",))


class Remembers(wiring.Component):
    """Three registers: one is not reset, one is, to what comes or to 0, one as it should be.

    And a memory; what is read from it is kept, too.
    """

    i: Signal
    o: Signal

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__({"i": In(2), "o": Out(4)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        left = Signal(name="left", reset_less=self.name == "left")
        sampled = Signal(name="sampled", reset_less=self.name == "sampled")
        m.d.sync += [left.eq(left | self.i[0]), sampled.eq(self.i[1])]
        store: Memory = Memory(shape=1, depth=2, init=[])
        m.submodules.store = store
        write, read = store.write_port(), store.read_port(domain="comb")
        m.d.comb += [write.en.eq(1), write.data.eq(self.i[0]), write.addr.eq(left)]
        kept = Signal(name="kept", reset_less=self.name == "kept")
        m.d.sync += kept.eq(read.data)
        m.d.comb += self.o.eq(Cat(left, sampled, kept))
        return m


@pytest.mark.parametrize("name", ["left", "kept", "sampled", "none"])
def test_finds_what_a_reset_leaves_behind(name: str) -> None:
    found = forgets(of(Remembers(name)), name)
    assert found.cases == 2  # and the register of the memory
    assert found.broken == {"none": (), "kept": ("\\store",), "sampled": ("o[1]",)}.get(
        name, (name,)
    )


def test_of_a_router_inside_alone_is_told_what_a_reset_leaves_behind() -> None:
    class Around(wiring.Component):
        i: Signal
        o: Signal

        def elaborate(self, platform: object) -> Module:
            m, outside = Module(), Signal(reset_less=True)
            m.submodules.router = inner = Remembers("left")
            m.d.sync += outside.eq(outside ^ self.i[0])
            m.d.comb += [inner.i.eq(self.i), self.o.eq(Cat(inner.o, outside))]
            return m

    found = forgets(of(Around({"i": In(2), "o": Out(5)})), "node", alone=False)
    assert found.broken == ("router.left",)


def idle(made: Decisions, component: str, progress: Callable[[str], None]) -> list[Finding]:
    """Stand for what is proven under load, which takes long."""
    progress("one claim")
    return [Finding(component, "under load", "pdr", 1)]


def test_nothing_is_wrong_with_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.formal.network.under_load", idle)
    network = built({"family": "star", "n": 3}, "greedy")
    told: list[str] = []
    found = [*findings(network, verilog_files(network), told.append)]
    assert [(x.component, x.claim, x.broken) for x in found] == [
        ("node type 0", "outputs are registers", ()),
        ("node type 0", "a reset gives the state of power-up", ()),
        ("node type 0", "under load", ()),
        ("routers", "decide as golden", ()),
        ("routers", "each decision leads nearer", ()),
    ]
    assert all(x.cases for x in found)
    under = "node type 0 (1 in all) under load"
    assert told == [
        "gates of node type 0 (1 in all)",
        under,
        f"{under}: one claim",
        "decisions",
        "packets on their way",
    ]


def test_what_is_too_much_is_told_and_the_rest_found(monkeypatch: pytest.MonkeyPatch) -> None:
    network = built({"family": "star", "n": 3}, "greedy")
    made = routers(network)
    cases = decisions(network, made).cases
    for most, reason in (
        (cases - 1, f"{cases} cases, at most {cases - 1} are tried"),
        (35, "36 cases or more, at most 35 are tried"),  # each of 6 terminals sends to each
    ):
        monkeypatch.setattr("fingerpost.formal.gates.LARGEST", most)
        found = decisions(network, made)
        assert (found.verdict, found.cases, found.reason) == ("not tried", 0, reason)
    found = journeys(network, made)
    assert (found.verdict, found.cases, found.reason) == ("not tried", 0, reason)
    monkeypatch.setattr("fingerpost.formal.network.under_load", idle)
    verdicts = [x.verdict for x in findings(network, verilog_files(network), lambda _: None)]
    assert verdicts == ["proven", "proven", "proven", "not tried", "not tried"]


@pytest.mark.regress
def test_a_sample_of_chance_is_no_proof() -> None:
    some = built({"family": "scc", "n": 3}, "random")
    found = decisions(some, routers(some))
    assert (found.engine, found.verdict, found.cases % 64) == ("sampled", "held", 0)
    found = journeys(some, routers(some))
    assert (found.engine, found.verdict) == ("none", "not tried")
    assert found.reason == "chance has too many values"


@pytest.mark.parametrize(
    ("family", "algorithm", "claim"),
    [
        (PETERSEN, "table", "each decision leads nearer"),
        (PETERSEN, "up-down", "each packet arrives"),
        pytest.param(
            *(MESH, "adaptive-table", "each decision leads nearer"), marks=pytest.mark.regress
        ),
        (BOREL, "adaptive", "each decision leads nearer"),
    ],
    ids=["table", "up-down", "adaptive-table", "adaptive"],
)
def test_follows_all_packets(family: dict[str, Any], algorithm: str, claim: str) -> None:
    some = built(family, algorithm)
    found = journeys(some, routers(some))
    assert (found.claim, found.verdict, found.broken) == (claim, "proven", ())
    if algorithm == "table":
        # 100 leave; over each of 30 links to its end or a neighbour of that; and on to those.
        assert found.cases == 100 + 30 * 3 + 30


TABLE = PETERSEN, "table", "table.Table"
UP_DOWN = PETERSEN, "up-down", "table.UpDown"
FREE_TABLE = MESH, "adaptive-table", "table.AdaptiveTable"
FREE_BOREL = BOREL, "adaptive", "vertex_transitive.Adaptive"


WRONG = [
    (*TABLE, 'self.entry("hop", len(self.port))', 'self.entry("hop", len(self.port)) ^ 1'),
    (*TABLE, "self.next_header.eq(self.header)", "self.next_header.eq(0)"),
    (*TABLE, "self.header.destination >= len", "self.header.destination + 1 >= len"),
    (*UP_DOWN, 'self.entry("fall", width)', 'self.entry("fall", width) ^ 1'),
    (*UP_DOWN, "self.next_header.eq(self.header)", "self.next_header.eq(0)"),
    (*FREE_TABLE, "lowest.eq(port)", "lowest.eq(port ^ 1)"),
    (*FREE_TABLE, "ways & self.selection[:degree]", "self.selection[:degree]"),
    (*FREE_BOREL, "lowest.eq(i)", "lowest.eq(i ^ 1)"),
    (*FREE_BOREL, "mask & self.selection[:4]", "self.selection[:4]"),
]


@pytest.mark.parametrize(
    ("family", "algorithm", "component", "old", "new"),
    [
        pytest.param(*fault, marks=[pytest.mark.regress] * (number > 1))
        for number, fault in enumerate(WRONG)
    ],
)
def test_finds_wrong_decisions(
    family: dict[str, Any],
    algorithm: str,
    component: str,
    old: str,
    new: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planted(monkeypatch, f"routing.{component}", old, new)
    some = built(family, algorithm)
    made = routers(some)
    assert decisions(some, made).broken
    assert journeys(some, made).broken
    if "selection" in new or "lowest" in new:
        # As long as nothing is free all is well: the faults are in what is chosen freely.
        decide = made.decide
        monkeypatch.setattr(made, "decide", lambda v, p, h, told: decide(v, p, h, 0 * told))
        assert journeys(some, made).verdict == "proven"


FEW = SEVERAL | {
    "topology": SEVERAL["topology"]
    | {"nodes": 3, "links": [(0, 1), (1, 2), (2, 0)], "terminals": {0: 3, 1: 1}}
}
"""Routers with three terminals, one and none."""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("port == turn", "port == turn"),
        ("local + topology.local", "topology.local"),
        ("unit.port == topology.local", "unit.port + 1 == topology.local"),
    ],
    ids=["none", "first terminal", "another port"],
)
def test_decides_to_which_terminal(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the destination's local ports it is the one in the header, or none if it has no such."""
    planted(monkeypatch, "router.route_stage.RouteStage", old, new)
    some = build(FEW)
    made = routers(some)
    found = [decisions(some, made), journeys(some, made)]
    assert [x.verdict for x in found] == ["proven" if old == new else "broken"] * 2
    assert found[1].cases >= 16 or old != new  # from each of 4 to each


def test_which_terminal_is_known_where_headers_are_generated() -> None:
    """The local port is no part of what header generation makes: it stays in the flit."""
    some = build(FEW | {"routing": {"algorithm": "acyclic", "virtual_channels": 1}})
    made = routers(some)
    assert not any(x for each in made.types for x in each.depends().values())
    assert [x.verdict for x in (decisions(some, made), journeys(some, made))] == ["proven"] * 2


def tabled() -> Network:
    """Return a network with tables beside its routers, which nobody has made Verilog of yet."""
    routing = {"algorithm": "acyclic", "virtual_channels": 1, "table": "ram"}
    ring = {"family": "grid", "sizes": [4], "wrap": True}
    return build({"name": "tabled", "topology": ring, "routing": routing})


HEADERS = "routing.source_table.PathLookup"
ANSWERS = "the table answers with its contents"


def test_a_table_beside_routers_belongs_to_their_decisions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fingerpost.formal.network.under_load", idle)
    network = tabled()
    right = [*findings(network, verilog_files(network), lambda _: None)]
    assert {x.verdict for x in right} == {"proven"}
    assert ANSWERS in {x.claim for x in right}
    depends = routers(network).types[0].depends()
    assert depends["address of the table"] == []
    assert not any(depends.values())


def test_a_table_that_answers_early_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.formal.network.under_load", idle)
    network = tabled()
    texts = verilog_files(network)
    early = texts["tabled_table.v"].replace("entry <= found", "entry <= memory[address]")
    found = findings(network, texts | {"tabled_table.v": early}, lambda _: None)
    assert [x.claim for x in found if x.verdict == "broken"] == [ANSWERS]


def test_another_address_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, HEADERS, "address.eq(destination)", "address.eq(destination ^ 1)")
    network = tabled()
    assert decisions(network, routers(network)).broken


def test_an_answer_that_is_taken_late_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    old = "self.next_header.word.eq(self.table.entry),\n            ]"
    late = "]\n            m.d.sync += self.next_header.word.eq(self.table.entry)"
    planted(monkeypatch, HEADERS, old, late)
    assert routers(tabled()).types[0].depends()["input 2"]


ROUTER = "deflection.router.DeflectionRouter"
TREE = {"family": "kyklos", "m": 2, "r": 2, "n": 2}


RING = {"family": "grid", "sizes": [4], "wrap": True}
STREAMS = {"kind": "axi-stream", "flow_control": "end-to-end", "eager": 1, "packet_limit": 2}


def network(
    topology: dict[str, Any] = RING, terminal: dict[str, Any] | None = None, **router: Any
) -> DeflectionNetwork:
    given = {"kind": "deflection", "flit_width": 2, **router}
    of_terminal = {"terminal": terminal} if terminal else {}
    return build_deflection({"name": "x", "topology": topology, "router": given, **of_terminal})


def found(
    some: DeflectionNetwork, texts: dict[str, str] | None = None
) -> dict[tuple[str, str], Finding]:
    texts = texts or verilog_files(some)
    return {
        (x.component, x.claim): x
        for x in deflection_network.findings(some, texts, lambda told: None)
    }


@pytest.mark.parametrize(
    "some",
    [
        pytest.param({}, id="ring"),
        pytest.param({"terminal": STREAMS, "flit_width": 8}, id="streams"),
        pytest.param({"topology": TREE, "table": "ram"}, id="without terminal, ram"),
        pytest.param(
            {
                "topology": {"family": "grid", "sizes": [3, 3]},
                "hop_cycles": 3,
                "wait_limit": "none",
            },
            id="missing links",
            marks=pytest.mark.regress,
        ),
        pytest.param(
            {"topology": {"family": "kautz", "degree": 2, "diameter": 3}, "ejections": 1},
            id="directed",
            marks=pytest.mark.regress,
        ),
    ],
)
def test_all_is_proven(some: dict[str, Any]) -> None:
    made = network(**some)
    verdicts = found(made)
    assert len(verdicts) == 5 * len(made.topology.node_types) + 2
    assert {x.verdict for x in verdicts.values()} == {"proven"}
    assert all(x.cases for x in verdicts.values())


@pytest.mark.parametrize(
    ("claim", "named", "old", "new"),
    [
        (KEPT, "as_many_leave", "output.valid.eq(flit.valid)", "output.valid.eq(flit.epoch)"),
        (NEARER, "first_gets_nearer", "~arrived[slot].old)", "arrived[slot].old)"),
    ],
)
def test_a_fault_in_the_router_is_seen(
    claim: str, named: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(monkeypatch, ROUTER, old, new)
    broken = {x.claim: x.broken for x in found(network()).values() if x.verdict == "broken"}
    assert any(named in x for x in broken[claim])


def test_a_fault_in_the_table_is_seen() -> None:
    old = "clear[OTHER] ? {WIDTH{1'b0}} : second"
    late = {name: text.replace(old, "second") for name, text in verilog_files(network()).items()}
    broken = [x for x in found(network(), late).values() if x.verdict == "broken"]
    assert [x.broken for x in broken] == [("table: answers1",)]


def test_a_wrong_entry_is_seen() -> None:
    made = network()
    text = network_verilog(made)
    assert tables(made, text).verdict == "proven"
    at = text.index("node_2(") - 4  # the lowest digit: destination 0
    assert text[at + 1] == ")"
    wrong = f"{text[:at]}{int(text[at], 16) ^ 1:x}{text[at + 1 :]}"
    assert tables(made, wrong).broken == ("node 2 to 0",)
    missing = text.replace("node_3(", "node_33(")
    assert tables(made, missing).broken[0] == "node 3 to 0"


def test_what_is_not_tried_has_a_reason() -> None:
    one_bit = found(network(flit_width=1, link_up=True))
    reasons = {x.claim: x.reason for x in one_bit.values() if x.verdict == "not tried"}
    assert reasons == {
        NEARER: "a flit has one bit of data",
        "the table answers with its contents": "it is written at run time",
    }
