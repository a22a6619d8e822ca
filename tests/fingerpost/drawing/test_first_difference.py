"""What a co-simulation leaves where hardware and model differ: a picture, and a view."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fingerpost.commands.cosim import facts as cosim_facts
from fingerpost.commands.cosim import render as render_cosim
from fingerpost.drawing.timing import diagram, files, view
from fingerpost.golden.network.deflection import build_deflection
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network, build
from fingerpost.netfile.source import load
from fingerpost.testbench.benches import make
from fingerpost.testbench.cosim import Result
from fingerpost.testbench.cosim import run as cosim
from fingerpost.testbench.sources import wire_fields
from fingerpost.testbench.write import write
from tests.fingerpost.common import Run

ROOT = Path(__file__).parents[2]

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


def test_a_terminal_is_told_as_such() -> None:
    first = next(iter(diagram(TOLD | {"port": None}).groups))
    assert first == "model: terminal of node 1"


def line() -> Network:
    return build(LINE)


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
    assert text.count(end.format("flit_0_0")) == 1
    text = text.replace(end.format("flit_0_0"), end.format(flit))
    file.write_text(text, encoding="utf-8")
    result = cosim(bench, simulator="icarus", directory=folder, waves=True, sources=sources)
    # A bench's own sources are here.
    (folder / "planted").rename(Path(result.results_xml).parent / "sources")
    return result


@pytest.mark.regress
def test_a_difference_leaves_picture_and_view(tmp_path: Path) -> None:
    result = differs(tmp_path, line(), "flit_0_0 ^ 10'h20")
    assert result.mismatches == 1
    told = result.details["difference"]
    place = f"cycle {told['cycle']}, node {told['node']}, "
    assert result.message.startswith(place), result.message
    assert f"expected {told['field']} " in result.message
    model, hardware = (told[side][told["field"]] for side in ("model", "hardware"))
    assert model[-1] != hardware[-1]
    assert model[:-1] == hardware[:-1]
    assert len(model) <= 12
    found = files(result)
    shown = (ROOT / "docs/difference.svg").read_text(encoding="utf-8")
    assert Path(found["picture"]).read_text(encoding="utf-8") == shown, "copy it there, and look"
    assert f".node_{told['node']}." in Path(found["view"]).read_text(encoding="utf-8")
    assert f"picture   {found['picture']}" in render_cosim(cosim_facts(result) | found)


@pytest.mark.regress
def test_a_difference_of_deflection_routers_has_them_too(tmp_path: Path) -> None:
    """Their nodes have a table as a parameter, and the ports in another form."""
    described = LINE | {"router": {"kind": "deflection", "flit_width": 8}}
    del described["routing"]
    network = build_deflection(described)
    width = sum(bits for name, bits in wire_fields(network) if name != "valid")
    result = differs(tmp_path, network, f"flit_0_0 ^ {width}'h{1 << (width - 1):x}")
    assert result.mismatches == 1
    found = files(result)
    assert Path(found["picture"]).exists()
    node = result.details["difference"]["node"]
    seen = Path(found["view"]).read_text(encoding="utf-8")
    assert f".node_{node}.inputs__0__flit[{width - 1}:0]" in seen


def test_without_a_difference_there_is_nothing(tmp_path: Path) -> None:
    bench = make(line(), "network", cycles=30)
    result = Result(bench, "icarus", 0, "", 0.0, 0.0, None, str(tmp_path), {})
    assert files(result) == {}


def test_the_command_line_names_both(tmp_path: Path, run: Run, bench: SimpleNamespace) -> None:
    net = ROOT / "networks/petersen.yaml"
    write(make(load(net), "network"), tmp_path / "sources")
    wave, results = str(tmp_path / "x.fst"), str(tmp_path / "results.xml")
    bench.finds = {"mismatches": 1, "waveform": wave, "results_xml": results,
                   "details": {"difference": TOLD}}  # fmt: skip
    ended = run("cosim", net, "--level", "network", "--json")
    assert ended.status == 1
    names = [Path(ended.json[name]).name for name in ("picture", "view")]
    assert names == ["difference.svg", "difference.gtkw"]
    view = Path(ended.json["view"]).read_text(encoding="utf-8")
    assert view.count("network_bench.n.node_1.") > 9
