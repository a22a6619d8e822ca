"""Modules of boards: joined by delays that stand here, they are the network of all nodes."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.network import board_modules, network_name, network_ports, nodes_of
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.lib.ports import declaration, instance, module
from tests.hdl.simulators import icarus, listed
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
    for board in board_modules(network):
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


@pytest.mark.parametrize(
    "given", [{"cycles": 2}, {"slow": 3}, {"lost": 2000}, {"cycles": 5, "lost": 5000, "slow": 5}]
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


def test_boards_without_streams_have_no_modules() -> None:
    network = build(TORUS)
    assert list(board_modules(network)) == []


def test_boards_have_the_streams_that_mailboxes_stand_at() -> None:
    more = {"terminal": {"kind": "mailbox"}, "router": {"classes": 2}, "link": STREAM}
    names = {port.name for port in network_ports(build(TORUS | more), 0)}
    assert {"node_0_s_axis_tdata", "node_1_m_axis_tvalid"} <= names
    assert not [name for name in names if name.startswith("node_2")]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"terminal": {"kind": "axi-stream", "clock": "own"}}, "remove terminal.clock$"),
        ({"counters": {"kind": "axi-lite"}}, "remove counters$"),
    ],
)
def test_boards_refuse_what_stands_around_all_nodes(more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        board_modules(build(TORUS | {"link": STREAM} | more))
