"""Modules of boards: joined by delays that stand here, they are the network of all nodes."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.network import network_name, network_ports, nodes_of
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.lib.ports import declaration, instance, module
from tests.hdl.simulators import icarus, listed
from tests.networks import only
from tests.testbench.test_lint import says_nothing

TORUS: dict[str, Any] = {
    "name": "torus",
    "topology": {"family": "grid", "sizes": [3, 2], "wrap": True},
    "routing": {"algorithm": "dimension-order"},
    "boards": [[0, 1], [4, 3], [5, 2]],
}
STREAM = {"kind": "stream", "between": "boards", "cycles": 7}

CABLE = """
module cable(
  input clk, input rst, input [63:0] tdata, input tvalid, output tready,
  output [63:0] rdata, output rvalid
);
  reg [64*CYCLES-1:0] data;
  reg [CYCLES-1:0] valid = 0;
  reg [15:0] random = 1;
  wire lost = random < LOST;
  assign tready = random[3:0] >= SLOW;
  assign {rdata, rvalid} = {data[63:0], valid[0]};
  always @(posedge clk) begin
    random <= {random[14:0], random[15] ^ random[13] ^ random[12] ^ random[10]};
    data <= {tdata, data[64*CYCLES-1:64]};
    valid <= {tvalid & tready & !lost & !rst, valid[CYCLES-1:1]};
  end
endmodule
"""


def ends(network: Network) -> Iterator[tuple[int, int, int, int]]:
    """Yield node and port at both ends of all links between boards, in both directions."""
    topology, boards = network.topology, network.boards
    assert boards is not None
    for node, kind in enumerate(topology.node_type):
        for port in kind.outputs:
            there = int(topology.neighbour[node, port])
            if boards[node] != boards[there]:
                yield node, port, there, int(topology.arrival_port[node, port])


def joined(network: Network) -> str:
    """Return the boards with cables between them, as a module with the ports of the network."""
    name, body = network_name(network), []
    shared = {port.name for port in network_ports(network)}
    for board in network.separate_boards:
        ports = network_ports(network, board)
        inner = [port for port in ports if port.name not in shared]
        body += [f"  wire {declaration(port).split(' ', 1)[1]};" for port in inner]
        top = network_name(network, board)
        body.append(
            instance(top, f"board_{board}", ", ".join(f".{p.name}({p.name})" for p in ports))
        )
    for node, port, there, to in ends(network):
        sent, got = f"link_{node}_{port}_tx", f"link_{there}_{to}_rx"
        words = [f".t{x}({sent}_t{x})" for x in ("data", "valid", "ready")]
        words += [f".rdata({got}_tdata), .rvalid({got}_tvalid)"]
        body.append(instance("cable", f"from_{node}_{port}", ".clk(clk), .rst(rst)", *words))
    return module(name, network_ports(network), body)


def run(network: Network, folder: Path, cables: str) -> list[str]:
    """Return what the bench of a network says of its boards."""
    name = network_name(network)
    (folder / "joined.v").write_text(f"{cables}\n{joined(network)}\n")
    sources = [file for file in listed(folder) if file.stem != name]
    return icarus(
        folder, "torus_testbench", [*sources, folder / "joined.v", folder / "torus_testbench.v"]
    )


def cable(cycles: int = 7, lost: int = 0, slow: int = 0) -> str:
    values = {"CYCLES": cycles, "LOST": lost, "SLOW": slow}
    text = CABLE
    for name, value in values.items():
        text = text.replace(name, f"{value}")
    return text


@pytest.fixture(scope="module", params=["credit", "axi-stream"])
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Network, Path]:
    network = build(TORUS | {"link": STREAM, "terminal": {"kind": request.param}})
    folder = tmp_path_factory.mktemp("boards")
    generate(network, folder)
    return network, folder


def test_joined_boards_are_the_network(made: tuple[Network, Path]) -> None:
    network, folder = made
    whole = icarus(folder, "torus_testbench", [*listed(folder), folder / "torus_testbench.v"])
    assert whole[-1].startswith("PASS: 30 packets")
    assert run(network, folder, cable()) == whole  # also as many cycles


ALL_OF_IT = {"cycles": 5, "lost": 5000, "slow": 5}


@pytest.mark.parametrize(
    "given", only([ALL_OF_IT], [{"cycles": 2}, {"slow": 3}, {"lost": 2000}, ALL_OF_IT])
)
def test_packets_pass_other_cables(made: tuple[Network, Path], given: dict[str, int]) -> None:
    assert run(*made, cable(**given))[-1].startswith("PASS: 30 packets")


def test_nothing_passes_a_cut_cable(made: tuple[Network, Path]) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        run(*made, cable(lost=1 << 16))
    assert "FAIL: " in failed.value.output


def test_lint_has_nothing_to_say_of_a_board(made: tuple[Network, Path]) -> None:
    for board in range(3):
        says_nothing("torus", f"torus_board{board}", made[1])


def test_the_manifest_names_boards_with_their_ports(made: tuple[Network, Path]) -> None:
    network, folder = made
    manifest = json.loads((folder / "torus.json").read_text())
    streams = {(link["node"], link["port"]) for link in manifest["links"] if link["stream"]}
    assert streams == {(node, port) for node, port, *_ in ends(network)}
    boards = manifest["boards"]
    assert [board["nodes"] for board in boards] == [[0, 1], [3, 4], [2, 5]]
    for number, board in enumerate(boards):
        text = (folder / f"{board['module']}.v").read_text()
        header = text.partition("module ")[2].partition(");")[0]
        declared = [line.strip(" ,").split()[-1] for line in header.splitlines()[1:]
                    if "//" not in line]  # fmt: skip
        assert [port["name"] for port in board["ports"]] == declared
        words = {name for name in declared if name.endswith("_tx_tdata")}
        assert words == {f"link_{u}_{p}_tx_tdata" for u, p, *_ in ends(network)
                         if u in board["nodes"]}  # fmt: skip
        of_nodes = {int(name.split("_")[1]) for name in declared if name.startswith("node_")}
        assert of_nodes == {*board["nodes"]} == {*nodes_of(network, number)}
        assert f"{board['module']}_top.xdc" in {file.name for file in folder.iterdir()}


def cut(word: int, fields: list[dict[str, Any]], name: str) -> int:
    [field] = [field for field in fields if field["name"] == name]
    return word >> field["offset"] & (1 << field["width"]) - 1


def test_words_are_what_the_manifest_says(made: tuple[Network, Path]) -> None:
    """A peer of another make knows no more."""
    network, folder = made
    said = 'always @(posedge clk) if (tvalid & tready) $display("%m %h", tdata);\nendmodule'
    lines = run(network, folder, cable().replace("endmodule", said))
    words = json.loads((folder / "torus.json").read_text())["link"]["words"]
    crc, flits, frames = words["crc"], dict[str, int](), 0
    remainder: dict[str, int] = {}
    for line in lines:
        if not (found := re.fullmatch(r"\S*\.(from_\d_\d) ([0-9a-f]{16})", line)):
            continue
        end, word = found[1], int(found[2], 16)
        fields = words["end" if word & 1 else "flit"]
        body = word & (1 << max(field["offset"] + field["width"] for field in fields)) - 1
        value = remainder.get(end, crc["initial"])
        for bit in range(crc["covers"]):
            fed = value >> crc["width"] - 1 ^ body >> bit & 1
            value = value << 1 & (1 << crc["width"]) - 1 ^ fed * int(crc["polynomial"], 16)
        remainder[end] = value
        if not word & 1:
            flits[end] = flits.get(end, 0) + 1
            continue
        assert value == word >> crc["offset"] & (1 << crc["width"]) - 1, line
        assert cut(word, fields, "sequence") == flits.get(end, 0)
        remainder[end], frames = crc["initial"], frames + 1
    assert len(flits) == len([*ends(network)])
    assert frames > 1000
    assert words["time_out"] > 2 * network.link.describe()["cycles"]


def test_boards_without_streams_have_no_modules() -> None:
    assert build(TORUS).separate_boards == []


def test_a_board_that_wires_leave_has_no_module(tmp_path: Path) -> None:
    path = {"topology": {"family": "grid", "sizes": [6]}, "boards": [[0, 1], [2, 3], [4, 5]]}
    given = TORUS | path | {"link": {"kind": "stream", "between": [[1, 2]]}}
    files = {file.name for file in generate(build(given), tmp_path)}
    modules = {name for name in files if re.fullmatch(r"torus_board\d(_template)?\.v", name)}
    assert modules == {"torus_board0.v", "torus_board0_template.v"}
    manifest = json.loads((tmp_path / "torus.json").read_text())
    assert [board.get("module") for board in manifest["boards"]] == ["torus_board0", None, None]
    assert "node1_to_node2_valid" in (tmp_path / "torus_network.v").read_text()


def test_tools_are_given_each_board(made: tuple[Network, Path]) -> None:
    targets = yaml.safe_load((made[1] / "torus.core").read_text())["targets"]
    tops = {name: target["toplevel"] for name, target in targets.items()}
    assert {name: top for name, top in tops.items() if name.startswith("board")} == {
        f"board{board}": f"torus_board{board}" for board in range(3)
    }
    assert tops["default"] == json.loads((made[1] / "torus.json").read_text())["modules"]["top"]


def test_fusesoc_makes_a_project_of_a_board(made: tuple[Network, Path], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fusesoc.main", "--cores-root", str(made[1]), "run"]
    options = "--setup", "--target", "board1", "--tool", "vivado", "fingerpost:networks:torus"
    ended = subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
    [project] = tmp_path.rglob("fingerpost_networks_torus_?.?.?.tcl")
    text = project.read_text()
    assert re.search(r"^set_property top torus_board1 ", text, re.M)
    assert "torus_board1.v" in text


def test_boards_have_the_streams_that_mailboxes_stand_at() -> None:
    more = {"terminal": {"kind": "mailbox"}, "router": {"classes": 2}, "link": STREAM}
    names = {port.name for port in network_ports(build(TORUS | more), 0)}
    assert {"node_0_s_axis_tdata", "node_1_m_axis_tvalid"} <= names
    assert not [name for name in names if name.startswith("node_2")]
