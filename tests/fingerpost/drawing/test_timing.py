"""Timing diagrams: of a first difference of lock-step, and of a packet that crosses a router."""

import re
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fingerpost.commands import route as packet_route
from fingerpost.commands.cosim import facts as cosim_facts
from fingerpost.commands.cosim import render as render_cosim
from fingerpost.drawing.timing import Diagram, diagram, files, svg, view
from fingerpost.golden.network.kinds import AnyNetwork, build_any
from fingerpost.golden.network.network import Network, build, routed
from fingerpost.netfile.source import load, read
from fingerpost.report import crossing
from fingerpost.report.crossing import FLITS, cross, way
from fingerpost.report.page import Pictures
from fingerpost.testbench.benches import make
from fingerpost.testbench.cosim import Result
from fingerpost.testbench.cosim import run as cosim
from fingerpost.testbench.sources import wire_fields
from fingerpost.testbench.write import write
from tests.fingerpost.common import NETWORKS, Page, Run
from tests.networks import only

ROOT = NETWORKS.parent

LINE: dict[str, Any] = {
    "name": "line",
    "topology": {"family": "edge-list", "nodes": 3, "links": [(0, 1), (1, 2)],
                 "names": ["a", "b);", "c"]},
    "routing": {"algorithm": "table"},
    "router": {"flit_width": 8},
}  # fmt: skip

TOLD = {
    "node": 1,
    "port": 0,
    "field": "data",
    "cycle": 40,
    "before": 100,
    "model": {"valid": [0, 1, 2], "head": [0, 1, 0], "data": [7, 0x5A, 0x5B], "credit": [0, 1, 0]},
    "hardware": {
        "valid": [0, 1, 2], "head": [0, 1, 0], "data": [7, 0x5A, 0x4B], "credit": [0, 1, 0],
    },
}  # fmt: skip


def test_model_stands_beside_hardware_up_to_the_cycle() -> None:
    drawn = diagram(TOLD)
    assert drawn.first == 38
    model, hardware, mark = drawn.groups.values()
    assert list(drawn.groups)[:2] == ["model: port 0 of node 1", "hardware: port 0 of node 1"]
    assert [trace.name for trace in model] == ["valid", "head", "data", "credit"]
    assert [trace.seen for trace in model] == [
        ("0", "1", "2"),  # of two channels
        (0, 1, 0),
        ("", "5A", "5B"),  # of an idle link they mean nothing
        (0, 1, 0),
    ]
    assert [trace for trace, other in zip(hardware, model, strict=True) if trace != other] == [
        hardware[2]
    ]
    assert hardware[2].seen[-1] == "4B"
    assert [(trace.name, trace.seen) for trace in mark] == [("data differs", (0, 0, 1))]
    first = next(iter(diagram(TOLD | {"port": None}).groups))
    assert first == "model: terminal of node 1"


def line() -> Network:
    return build(LINE)


def test_a_difference_in_the_first_cycle_is_drawn() -> None:
    signals = {"valid": [1], "head": [1], "data": [0x5A], "credit": [0]}
    told = {"cycle": 0, "model": signals, "hardware": signals | {"data": [0]}}
    assert ">cycle 0<" in svg(diagram(TOLD | told))


def test_a_view_shows_the_node_at_the_cycle(tmp_path: Path) -> None:
    write(make(line(), "network"), tmp_path)
    text = view(TOLD, waveform=tmp_path / "x.fst", top="network_bench.n", sources=tmp_path)
    assert text.splitlines()[0] == f'[dumpfile] "{tmp_path / "x.fst"}"'
    # 5 ns, and 140 cycles of 2 ns: an earlier part of the run comes before the 40.
    assert re.search(r"^\*-3\.0+ 285 ", text, flags=re.M)
    traces = re.findall(r"^network_bench\.n\.node_1\.(\S+)$", text, flags=re.M)
    assert traces[:2] == ["clk", "rst"]
    assert set(traces[2:5]) == {
        "outputs__0__valid", "outputs__0__flit[9:0]", "outputs__0__credit",
    }  # fmt: skip
    assert {"inputs__1__flit[9:0]", "inject__valid", "errors[7:0]", "increments[3:0]"} < {*traces}
    with pytest.raises(ValueError, match=re.escape("there is no node_7 in network.v")):
        view(TOLD | {"node": 7}, waveform=tmp_path, top="", sources=tmp_path)


def differs(folder: Path, network: AnyNetwork, flit: str) -> Result:
    """Run lock-step with a wire on which a bit is turned over, from node 0 to node 1."""
    bench = make(network, "network", cycles=60, load=0.5, seed=1)
    sources = write(bench, folder / "planted")
    (file,) = (path for path in sources if path.name == "network.v")
    text = file.read_text(encoding="utf-8")
    end = ".inputs__0__flit({})"
    assert text.count(end.format("node0_to_node1_flit")) == 1
    text = text.replace(end.format("node0_to_node1_flit"), end.format(flit))
    file.write_text(text, encoding="utf-8")
    result = cosim(bench, simulator="icarus", directory=folder, waves=True, sources=sources)
    # A bench's own sources are here.
    (folder / "planted").rename(Path(result.results_xml).parent / "sources")
    return result


@pytest.mark.regress
@pytest.mark.parametrize("kind", ["wormhole", "deflection"])
def test_a_difference_leaves_picture_and_view(tmp_path: Path, kind: str) -> None:
    """Deflection routers have a table as a parameter, and the ports in another form."""
    described, bit = LINE | {"router": {"kind": kind, "flit_width": 8}}, 5
    if kind == "deflection":
        del described["routing"]
    network = build_any(described)
    if kind == "deflection":
        bit = sum(bits for name, bits in wire_fields(network) if name != "valid") - 1
    result = differs(tmp_path, network, f"node0_to_node1_flit ^ {max(bit + 1, 10)}'h{1 << bit:x}")
    assert result.mismatches == 1
    told, found = result.details["difference"], files(result)
    view = Path(found["view"]).read_text(encoding="utf-8")
    assert f".node_{told['node']}.inputs__0__flit[" in view
    if kind == "deflection":
        return
    place = f"cycle {told['cycle']}, node {told['node']}, "
    assert result.message.startswith(place), result.message
    assert f"expected {told['field']} " in result.message
    model, hardware = (told[side][told["field"]] for side in ("model", "hardware"))
    assert model[-1] != hardware[-1]
    assert model[:-1] == hardware[:-1]
    assert len(model) <= 12
    shown = (ROOT / "docs/difference.svg").read_text(encoding="utf-8")
    assert Path(found["picture"]).read_text(encoding="utf-8") == shown, "copy it there, and look"
    assert f"picture   {found['picture']}" in render_cosim(cosim_facts(result) | found)


def test_the_command_line_names_both(tmp_path: Path, run: Run, bench: SimpleNamespace) -> None:
    net = ROOT / "networks/petersen.yaml"
    write(make(load(net), "network"), tmp_path / "sources")
    wave, results = str(tmp_path / "x.fst"), str(tmp_path / "results.xml")
    bench.finds = {"mismatches": 1, "waveform": wave, "results_xml": results,
                   "details": {"difference": TOLD}}  # fmt: skip
    ended = run("cosim", net, "--level", "network", "--json")
    assert ended.status == 1
    bench.finds = {}
    assert run("cosim", net, "--level", "network", "--json").json["picture"] is None
    names = [Path(ended.json[name]).name for name in ("picture", "view")]
    assert names == ["difference.svg", "difference.gtkw"]
    view = Path(ended.json["view"]).read_text(encoding="utf-8")
    assert view.count("network_bench.n.node_1.") > 9


def network(name: str, **changes: Any) -> Network:
    return read(NETWORKS / f"{name}.yaml").changed(**changes).network()


def wires(diagram: Diagram, group: int) -> dict[str, tuple[int | str, ...]]:
    return {trace.name: trace.seen for trace in list(diagram.groups.values())[group]}


CROSSED = "kyklos-2-2-4", "borel-21-os-link", "borel-21", "scc-4"


@pytest.mark.parametrize("name", only(CROSSED[:2], CROSSED))
def test_the_router_does_what_the_model_says(name: str) -> None:
    net = network(name)
    packet = way(net)
    assert packet is not None
    facts = packet_route.facts(net, str(packet.source), str(packet.destination))
    seen = cross(net, packet)
    assert [packet.source, packet.node] == facts["nodes"][:2]
    assert seen.way.port == facts["ports"][1]
    assert seen.way == packet  # which the routing decided, header and all
    assert seen.left - seen.entered == net.hop_cycles == 2
    before, behind = wires(seen.diagram, 0), wires(seen.diagram, 1)
    heads = f"H {packet.header:X}", f"H {packet.onward:X}"
    for side, head in zip((before, behind), heads, strict=True):
        assert [word for word in side["flit"] if word] == [head, "1", "2", "T 3"]
        assert sum(map(int, side["valid"])) == sum(map(int, side["credit"])) == FLITS
        # Never more under way than there are places, and all are free at last.
        taken = list(
            accumulate(int(a) - int(b) for a, b in zip(side["valid"], side["credit"], strict=True))
        )
        assert min(taken) >= 0
        assert max(taken) <= net.buffer_depth
        assert taken[-1] == 0
    # docs/design/waves.md: a credit is on the link two cycles after its flit.
    assert before["credit"].index(1) - before["valid"].index(1) == 2


@pytest.mark.parametrize(("hop", "loop"), [(2, 4), (3, 5)])
def test_one_place_and_one_channel(hop: int, loop: int) -> None:
    router = {"buffer_depth": 1, "hop_cycles": hop}
    ring = {"topology": {"family": "grid", "sizes": [5]}, "router": router}
    net = build({"name": "ring", "routing": {"algorithm": "dimension-order"}, **ring})
    packet = way(net)
    assert packet is not None
    seen = cross(net, packet)
    assert "channel" not in wires(seen.diagram, 0)
    starts = [cycle for cycle, on in enumerate(wires(seen.diagram, 1)["valid"]) if on]
    # docs/design/waves.md
    assert [later - starts[0] for later in starts] == [0, loop, 2 * loop, 3 * loop]
    assert seen.left - seen.entered == hop


def told(net: Any) -> Page:
    subject: Any = SimpleNamespace(name=net.name, network=net)
    return Page(f"<main>{crossing.waves([subject], Pictures(), lambda step: None)}</main>")


def test_facts_and_picture_of_its_own() -> None:
    net = network("kyklos-2-2-4")
    subject: Any = SimpleNamespace(name=net.name, network=net)
    text = crossing.waves([subject, subject], Pictures(), lambda step: None)
    page = Page(text)
    route_ = packet_route.facts(net, "0", "1")
    assert route_["names"][:3] == ["L0", "0.1.0", "L1"]
    for said in (
        "packet from node 0 (L0) to node 1 (L1)",
        f"arrives from node 0 (L0): inputs__{net.topology.arrival_port[0, route_['ports'][0]]}__*",
        f"departs to node 1 (L1): outputs__{route_['ports'][1]}__*",
        "router latency, link to link [cycles] 2",
    ):
        assert said in page.text, said
    first = page.of("svg")[0]
    assert str(first["aria-label"]).endswith("The head flit arrives in cycle 1, departs in cycle 3")
    # The style of one picture holds for nothing else, and nothing unused is carried along.
    for name, style in re.findall(r'id="(picture-\d)-drawing">.*?<style[^>]*>(.*?)</style>', text):
        rules = re.findall(r"([^{}]+)\{", style)
        assert len(rules) > 10
        assert all(rule.startswith((f"#{name}-drawing ", f".{name}-")) for rule in rules)
        assert f'class="{name}-s1"' in text
    assert not re.search(r'class="(s\d+|info|muted)"', text)
    made = {i for i in re.findall(r'<g id="(picture-\d-[^"]+)"', text) if "drawing" not in i}
    assert set(re.findall(r'href="#([^"]+)"', text)) == made
    assert len(text) < 2 * 60_000


def test_names_in_the_picture() -> None:
    links = [[0, 1], [1, 2], [2, 3]]
    named = {"family": "edge-list", "nodes": 4, "links": links,
             "names": ["a&amp;>", "b", "a name that is long", "d"]}  # fmt: skip
    net = build({"name": "line", "topology": named, "routing": {"algorithm": "table"}})
    drawn = told(net).words
    assert "from a&amp;>" in drawn
    assert "to node 2" in drawn
    named["names"] = ["<b>", "b", "<i>c", "d"]  # in a diagram these would be commands
    net = build({"name": "line", "topology": named, "routing": {"algorithm": "table"}})
    assert {"from node 0", "to node 2"} <= {*told(net).words}


@pytest.mark.regress
@pytest.mark.parametrize("large", [True, False])
def test_a_router_that_is_too_large(monkeypatch: pytest.MonkeyPatch, large: bool) -> None:
    net = network("star-4")  # 3 ports and the terminal, 3 channels
    packet = way(net)
    assert packet is not None
    size = int(net.used_turns[net.topology.node_type[packet.node]].sum()) * 3
    monkeypatch.setattr(crossing, "LARGEST", size - large)
    said = f"No waves: its router has {size} turns times virtual channels; above "
    text = told(net).text
    assert (f"{said}{size - 1}" in text) == ("No waves" in text) == large


def test_where_there_is_no_router_to_cross() -> None:
    links = [[a, b] for a in range(4) for b in range(a)]
    near = build({"name": "near", "topology": {"family": "edge-list", "nodes": 4, "links": links},
                  "routing": {"algorithm": "table"}})  # fmt: skip
    assert (
        "No waves: no packet of its first terminal passes through an intermediate router."
        in told(near).text
    )
    unproven = routed({"name": "far", "topology": {"family": "double-loop", "nodes": 7, "a": 1,
                       "b": 5}, "routing": {"algorithm": "table"}})  # fmt: skip
    assert "No waves: it has too many routes for a proof" in told(unproven).text


def test_without_what_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(diagram: Diagram) -> str:
        raise ModuleNotFoundError(name="yowasp_wavedrom")

    monkeypatch.setattr(crossing, "svg", missing)
    page = told(network("star-4"))
    assert "No picture was drawn: it needs pip install 'fingerpost[rtl]' ." in page.text
    assert "router latency, link to link [cycles] 2" in page.text
    assert page.of("svg") == []
