"""Terminals that do not take what comes, on generated RTL: other message classes go on.

Then software of requests and replies: with end-to-end flow control links are kept free. The raw
network, in which packets that a busy server does not read stand on links, is the control: what is
asserted of flow control fails there.
"""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.flow_control import built
from benchmarks.request_reply import TERMINALS, Software, compiled, far_apart, run
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.terminal import AxiStreamTerminal
from fingerpost.hdl.export.generate import generate
from tests.hdl.simulators import icarus, listed
from tests.networks import load
from tests.testbench.faults.networks import MESH

DEAF = """
module deaf;
  reg clk = 0, rst = 1;
  always #1 clk = ~clk;
  reg [7:0] inject_valid = 0, eject_credit = 0;
  reg [4*FLIT-1:0] inject_flit = 0;
  wire [7:0] inject_credit, eject_valid;
  mesh_vectors network(.clk(clk), .rst(rst),
    .inject_valid(inject_valid), .inject_flit(inject_flit), .inject_credit(inject_credit),
    .eject_valid(eject_valid), .eject_credit(eject_credit));
  reg [31:0] header [0:3];
  integer credits [0:7], taken [0:1], v, c, turn = 0;
  initial begin
    HEADERS
    for (v = 0; v < 8; v = v + 1) credits[v] = CREDITS;
    taken[0] = 0;
    taken[1] = 0;
    #8 rst = 0;
    #4000 $display("taken %0d %0d", taken[0], taken[1]);
    $finish;
  end
  // Packets of one flit to all others, of both classes in turn; class 0 is never taken.
  always @(negedge clk) if (!rst) begin
    turn = turn + 1;
    inject_valid = 0;
    for (v = 0; v < 4; v = v + 1) begin
      for (c = 0; c < 2; c = c + 1) begin
        credits[v*2 + c] = credits[v*2 + c] + inject_credit[v*2 + c];
        taken[c] = taken[c] + eject_valid[v*2 + c];
      end
      c = turn % 2;
      if (credits[v*2 + c] == 0) c = 1 - c;
      if (credits[v*2 + c] > 0) begin
        inject_flit[v*FLIT +: FLIT] = {header[(v + 1 + turn / 2 % 3) % 4], 2'b11};
        inject_valid[v*2 + c] = 1;
        credits[v*2 + c] = credits[v*2 + c] - 1;
      end
      eject_credit[v*2 +: 2] = eject_valid[v*2 +: 2] & 2'b10;
    end
  end
endmodule
"""


def taken(folder: Path, network: Network, change: Callable[[str], str]) -> tuple[int, int]:
    """Return the flits of each class that come out in 2,000 cycles if class 0 is never taken."""
    generate(network, folder)
    verilog = folder / "mesh_network.v"
    verilog.write_text(change(verilog.read_text()))
    to = np.arange(4)
    headers = network.routing.encode(np.zeros_like(to), to)
    bench = DEAF.replace("FLIT", str(network.flit.width))
    bench = bench.replace("CREDITS", str(network.terminal_depth))
    bench = bench.replace("HEADERS", " ".join(f"header[{i}] = {h};" for i, h in enumerate(headers)))
    (folder / "deaf.v").write_text(bench)
    (said,) = icarus(folder, "deaf", [*listed(folder), folder / "deaf.v"])
    found = re.fullmatch(r"taken (\d+) (\d+)", said)
    assert found, said
    return int(found[1]), int(found[2])


@pytest.mark.regress
def test_a_class_that_is_not_taken_does_not_stop_the_other(tmp_path: Path) -> None:
    network = build(MESH | {"router": {"classes": 2, "buffer_depth": 5}})
    refused, others = taken(tmp_path, network, lambda text: text)
    assert refused == 4 * network.buffer_depth
    assert others > 4000  # of 4 terminals in 2,000 cycles

    def shared(text: str) -> str:
        """Let class 1 wait for the credits of class 0."""
        one, other = r"\((node_\d_eject_credit)\)", r"({2{\1[0]}})"
        changed, count = re.subn(one, other, text)
        assert count == 4
        return changed

    _, others = taken(tmp_path / "shared", network, shared)
    assert others < 200


def made(name: str, kind: str, classes: int = 1) -> Network:
    (network,) = built(name, TERMINALS[kind], classes=classes)
    return network


Runs = Callable[[Software], dict[str, Any]]


def runs(name: str, kind: str, folder: Path, classes: int = 1) -> Runs:
    """Return what runs software on a network that is compiled once."""
    network = made(name, kind, classes)
    return partial(run, network, folder, compiled(network, folder))


@pytest.fixture(scope="module")
def mesh(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return runs("mesh-2x2", "flow", tmp_path_factory.mktemp("mesh"))


@pytest.mark.regress
def test_software_that_waits_for_itself_stops_no_link(mesh: Runs) -> None:
    few, many = mesh(Software(20)), mesh(Software(60))
    assert (few["locked"], few["replies"]) == (0, 4 * 3 * 20)
    assert many["locked"]
    assert (many["flits"], many["standing"]) == (0, 0)


@pytest.mark.regress
def test_without_flow_control_links_stand(tmp_path: Path) -> None:
    found = runs("mesh-2x2", "raw", tmp_path)(Software(20))
    assert found["locked"]
    assert found["flits"] > 0
    assert found["standing"] > 1000


@pytest.mark.regress
@pytest.mark.parametrize("kind", ["raw", "flow"])
def test_with_two_classes_it_ends_however_many_requests_there_are(
    tmp_path: Path, kind: str
) -> None:
    software = runs("mesh-2x2", kind, tmp_path, classes=2)
    for given in Software(20), Software(200), Software(20, beats=4):
        found = software(given)
        assert (found["locked"], found["replies"]) == (0, 4 * 3 * given.requests)
        assert found["standing"] == 0


@pytest.mark.regress
def test_with_two_classes_a_reply_must_not_wait_for_a_request(tmp_path: Path) -> None:
    """Then taking a request waits for sending one, which the proof assumes not to happen."""
    software = runs("mesh-3x3", "raw", tmp_path, classes=2)
    serial, parallel = software(Software(60, serial=True)), software(Software(60))
    assert serial["locked"]
    assert serial["standing"] > 1000
    assert (parallel["locked"], parallel["replies"]) == (0, 9 * 8 * 60)


def test_software_that_keeps_to_what_always_fits_is_never_locked(mesh: Runs) -> None:
    """A request and a reply of one beat to a core are not withheld, whatever its window."""
    network = made("mesh-2x2", "flow")
    assert isinstance(network.terminal, AxiStreamTerminal)
    flow = network.terminal.flow(network)
    assert flow
    assert flow.window - flow.withheld - 1 >= flow.eager  # the second one goes, too
    found = mesh(Software(60, beats=1, limit=1))
    assert (found["locked"], found["replies"], found["standing"]) == (0, 4 * 3 * 60, 0)


def test_pair_is_far_apart() -> None:
    assert far_apart(load("mesh-8x8")) == (0, 63)


@pytest.mark.regress
@pytest.mark.parametrize(("kind", "harmed"), [("flow", False), ("raw", True)])
def test_pair_that_has_no_part_in_it(tmp_path: Path, kind: str, harmed: bool) -> None:
    """Of nine terminals seven wait for each other; two others go on at their own rate."""
    pair = far_apart(made("mesh-3x3", kind))
    software = runs("mesh-3x3", kind, tmp_path)
    alone, beside = software(Software(0, pair=pair)), software(Software(200, pair=pair))
    assert beside["locked"]
    assert (beside["heard"] < 0.99 * alone["heard"]) == harmed
    assert harmed or beside["standing"] == 0
