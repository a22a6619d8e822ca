"""The timing diagrams of the docs are those of the hardware of today, and show what they should."""

from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import pytest

from fingerpost.drawing.picture import adapting
from fingerpost.drawing.timing import Diagram, Trace, row, svg
from fingerpost.golden.link.packets import ACK, DATA, decode
from fingerpost.netfile.source import load
from scripts.waves import clocks, diagrams, os_links
from scripts.waves.diagrams import CLOCKS_PER_BIT, DEPTH, DIAGRAMS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs/design"

PAGE = (DOCS / "waves.md").read_text(encoding="utf-8")


def sent(values: tuple[int | str, ...], when: tuple[int | str, ...]) -> list[str]:
    """What was in a trace in the cycles in which another was 1."""
    return [str(value) for value, on in zip(values, when, strict=True) if on == 1]


def both(one: tuple[int | str, ...], other: tuple[int | str, ...]) -> tuple[int, ...]:
    return tuple(int(a == b == 1) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("name", DIAGRAMS)
def test_the_docs_have_what_the_hardware_does(name: str) -> None:
    drawn = (DOCS / f"waves/{name}.svg").read_text(encoding="utf-8")
    diagram = DIAGRAMS[name]()
    made = adapting(svg(diagram), diagram.title)
    assert made == drawn, "run `make waves`, and look at what has changed"
    assert PAGE.count(f"(waves/{name}.svg)") == 1


def test_the_docs_have_no_others() -> None:
    assert {path.stem for path in (DOCS / "waves").iterdir()} == set(DIAGRAMS)


def outstanding(valid: tuple[int | str, ...], credit: tuple[int | str, ...]) -> list[int]:
    """The places taken in each cycle, the flit of the cycle counted, its credit not yet."""
    before = (0, *credit[:-1])
    return list(accumulate(int(a) - int(b) for a, b in zip(valid, before, strict=True)))


def test_a_flit_takes_three_cycles_and_uses_all_credits() -> None:
    link = diagrams.link()
    valid, credit = link.trace("link_valid"), link.trace("link_credit")
    assert valid.index(1) - link.trace("inject_valid").index(1) == 3
    assert sent(link.trace("link_flit"), valid) == ["H A1", "51", "52", "53", "54", "T 55"]
    taken = outstanding(valid, credit)
    assert max(taken) == DEPTH
    assert taken[-1] == 0
    assert [str(DEPTH - each) for each in taken] == list(link.trace("credits left"))
    # Flit and credit together take five cycles: so the fourth comes as long after the first.
    starts = [cycle for cycle, on in enumerate(valid) if on]
    assert [later - start for start, later in zip(starts, starts[3:], strict=False)] == [5, 5, 5]


def test_a_terminal_sends_with_credits_only() -> None:
    shown = diagrams.injection()
    valid, credit = shown.trace("inject_valid"), shown.trace("inject_credit")
    counter = [int(each) for each in shown.trace("your counter")]
    assert all(counter[cycle] for cycle, on in enumerate(valid) if on)
    assert 0 in counter
    assert max(outstanding(valid, credit)) <= DEPTH
    flits = sent(shown.trace("inject_flit"), valid)
    assert flits == ["H A1", "51", "52", "53", "54", "55", "56", "57", "T 58", "HT C1"]


def test_a_router_waits_for_its_terminal() -> None:
    shown = diagrams.ejection()
    valid, credit = shown.trace("eject_valid"), shown.trace("eject_credit")
    assert sent(shown.trace("eject_flit"), valid) == ["H A1", "51", "52", "53", "T 54"]
    assert max(outstanding(valid, credit)) == DEPTH
    starts = [cycle for cycle, on in enumerate(credit) if on]
    assert starts[0] - valid.index(1) == 3
    assert [later - start for start, later in pairwise(starts)] == [3] * 4


def test_streams_keep_the_rules_and_take_as_long_as_told() -> None:
    shown = diagrams.axi_stream()
    taken = both(shown.trace("s_axis_tvalid"), shown.trace("s_axis_tready"))
    came = both(shown.trace("m_axis_tvalid"), shown.trace("m_axis_tready"))
    beats = sent(shown.trace("s_axis_tdata"), taken)
    assert beats == sent(shown.trace("m_axis_tdata"), came) == ["A0A1", "A2A3", "A4A5"]
    assert list(shown.trace("link_valid")).count(1) == len(beats) + 1
    valid, data = shown.trace("m_axis_tvalid"), shown.trace("m_axis_tdata")
    waits = [cycle for cycle, on in enumerate(valid) if on and not came[cycle]]
    assert len(waits) == 2
    assert all(data[cycle] == data[cycle + 1] and valid[cycle + 1] for cycle in waits)
    last = shown.trace("m_axis_tlast").index(1)
    assert last - taken.index(1) - len(waits) == 3 * (1 + 1) + len(beats) - 1 + 3
    assert load(ROOT / "networks/borel-21-axi.yaml").hop_cycles == 3


def test_registers_answer_as_soon_as_told() -> None:
    shown = diagrams.axi_lite()
    asked, answered = shown.trace("arvalid"), shown.trace("rvalid")
    assert [cycle for cycle, on in enumerate(asked) if on] == [1, 6]
    assert [cycle for cycle, on in enumerate(answered) if on] == [1 + 3, *range(6 + 3, 6 + 3 + 3)]
    assert sent(shown.trace("rresp"), answered) == ["0", "2", "2", "2"]
    assert sent(shown.trace("rdata"), answered) == ["10000", "0", "0", "0"]
    both_there = max(shown.trace("awvalid").index(1), shown.trace("wvalid").index(1))
    assert shown.trace("bvalid").index(1) == both_there + 2
    assert sent(shown.trace("bresp"), shown.trace("bvalid")) == ["0"]


def test_bytes_on_the_wire_are_as_the_page_on_os_links_says() -> None:
    shown = diagrams.os_link()
    n, wire, back = CLOCKS_PER_BIT, shown.trace("A to B"), shown.trace("B to A")
    for byte, start in ((0x5C, n), (0xA3, 12 * n)):
        bits = [1, 1, *(byte >> k & 1 for k in range(8)), 0]
        assert list(wire[start : start + 11 * n]) == [bit for bit in bits for _ in range(n)]
    assert sum(map(int, back)) == 2 * n  # two acknowledges
    assert back.index(1) < 12 * n  # the first is there before the byte has ended
    assert sent(shown.trace("rx_payload"), shown.trace("rx_valid")) == ["5C"] * n + ["A3"] * n
    assert list(shown.trace("tx_done")).count(1) == 2


def test_a_port_tells_of_what_is_on_its_wires() -> None:
    """From byte to byte 13.2 bit times both ways, as docs/howto/os-links.md says."""
    shown, n = diagrams.DIAGRAMS["os-link-port"](), os_links.PEER.clocks_per_bit
    wires = np.array([shown.trace(name) for name in ("link_out", "link_in")], bool).T
    found = decode(wires, np.full(2, len(wires)), n)
    assert found.value[found.kind == DATA].tolist() == [0x5C, 0xA3, 0x17]
    first, second = found.of(0, DATA) - n
    assert (first, second) == (0, 66) == (0, round(13.2 * n))
    assert [len(found.of(wire, ACK)) for wire in (0, 1)] == [1, 2]
    assert list(shown.trace("tx_done")).count(1) == 2
    taken = both(shown.trace("s_axis_tvalid"), shown.trace("s_axis_tready"))
    assert sent(shown.trace("s_axis_tdata"), taken) == ["5C", "A3"]
    assert [clock + 1 - n for clock, on in enumerate(taken) if on] == [first, second]
    came = both(shown.trace("m_axis_tvalid"), shown.trace("m_axis_tready"))
    assert sent(shown.trace("m_axis_tdata"), came) == ["17"]
    byte = int(found.of(1, DATA)[0])
    assert shown.trace("m_axis_tvalid").index(1) - byte == 10 * n + (n - 1) // 2 + 3
    assert shown.trace("idle")[-1] == 1


def test_software_reads_a_byte_and_sends_it_back() -> None:
    shown = diagrams.DIAGRAMS["os-link-registers"]()
    due, asked = shown.trace("irq"), shown.trace("s_axil_arvalid").index(1)
    answered = shown.trace("s_axil_rvalid").index(1)
    assert (due.index(1), answered - asked) == (7, 3)
    assert (shown.trace("s_axil_araddr")[asked], shown.trace("s_axil_rdata")[answered]) == (
        "14",
        "1A3",
    )
    assert [cycle for cycle, on in enumerate(due) if on] == [*range(due.index(1), answered)]
    given = shown.trace("s_axil_awvalid").index(1)
    assert (shown.trace("s_axil_awaddr")[given], shown.trace("s_axil_wdata")[given]) == ("10", "A3")
    assert shown.trace("s_axil_bvalid").index(1) == given + 2
    assert shown.trace("link_out").index(1) == given + 3


def test_a_message_is_as_the_page_on_terminals_says() -> None:
    shown = diagrams.DIAGRAMS["os-link-terminal"]()
    length = ["length[0] 02", "length[1] 00", "data 68", "data 69"]
    for name, words in (
        ("sent", ["to[0] 01", "to[1] 00", *length]),
        ("received", ["from[0] 00", "from[1] 00", *length, "status 00"]),
    ):
        trace = shown.trace(name)
        assert [word for word in dict.fromkeys(trace) if word] == words
        assert all(trace.count(word) == os_links.BYTE for word in words)
    for name, count in (("link_out_0", 6), ("link_in_1", 7)):  # acknowledges
        assert sum(map(int, shown.trace(name))) == count
    # Of the destination and the length all is there before anything comes out.
    assert shown.trace("received").index("from[0] 00") > shown.trace("sent").index("data 68")


def test_everything_is_of_its_own_clock() -> None:
    shown = diagrams.DIAGRAMS["axi-stream-clocks"]()
    names = [trace.name for traces in shown.groups.values() for trace in traces]
    for name, half in clocks.HALVES.items():
        wave = shown.trace("clk" if name == "sync" else f"{name}_clk")
        assert wave == tuple(1 - step // half % 2 for step in range(len(wave)))
        of = (
            [each for each in names if "[" in each or each == "link_valid"]
            if name == "sync"
            else [each for each in names if name in each and not each.endswith("clk")]
        )
        for each in of:
            trace = enumerate(pairwise(shown.trace(each)), 1)
            assert all(step % (2 * half) == 0 for step, (old, new) in trace if old != new), each
    beats = [f"{beat:04X}" for beat in clocks.BEATS]
    for name in ("s_axis_0_tdata", "m_axis_1_tdata"):
        assert [word for word in dict.fromkeys(shown.trace(name)) if word] == beats
    # The first is taken at the end of its cycle, and seen two cycles of the other clock later.
    for before, own, after, other in (
        ("s_axis_0_tvalid", "axis_0", "s_axis_tvalid[0]", "sync"),
        ("m_axis_tvalid[1]", "sync", "m_axis_1_tvalid", "axis_1"),
    ):
        taken = shown.trace(before).index(1) + 2 * clocks.HALVES[own]
        assert shown.trace(after).index(1) - taken == 2 * 2 * clocks.HALVES[other]
    # In the network it takes as long as with one clock.
    first, last = shown.trace("s_axis_tvalid[0]").index(1), shown.trace("m_axis_tvalid[1]")
    end = len(last) - 1 - last[::-1].index(1)
    assert (end + 1 - first) // (2 * clocks.HALVES["sync"]) == 11 + 1


def test_rows() -> None:
    trace = Trace("x", (0, 0, 1, "", "H 1", "H 1", "2", "2", "T 3", 1, 1))
    drawn = {"name": "x", "wave": "0.1x3.4.51.", "data": ["H 1", "2", "T 3"]}
    assert row(trace) == drawn
    assert Diagram({"": (trace,)}).trace("x") == trace.seen
