"""Constraints and project files say what they must, of names that the Verilog has."""

import re
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from fingerpost.golden.link import CellLink
from fingerpost.golden.link.peers import port_for
from fingerpost.golden.network.network import build
from fingerpost.hdl.export.constraints import network_pins
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.export.port_files import generate_port
from fingerpost.hdl.export.projects import projects
from tests.hdl.export.scripts import bits, commands, ports, registers
from tests.networks import load

RING = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
"""Six nodes, each with two links."""

LINKS = {"ring_network": 0, "ring_node": 2, "os_link_port": 1}
"""The modules that have constraints, and their OS-Links."""


@pytest.fixture(scope="module", params=LINKS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the Verilog of a module, among all files beside it."""
    folder, module = tmp_path_factory.mktemp("made folder"), request.param
    if module == "os_link_port":
        generate_port(port_for("c011"), folder)
    else:
        link = {"kind": "os-link"} if module == "ring_node" else {"kind": "flit"}
        generate(build({"name": "ring", **RING, "link": link}), folder)
    return folder / f"{module}.v"


def pins(verilog: Path, name: str) -> str:
    """Return a pattern for a port, which must have as many bits as there are OS-Links."""
    found = bits(verilog.read_text(), verilog.stem, name)
    assert len(found) == LINKS[verilog.stem]
    return name if len(found) == 1 else f"{name}[*]"


def test_wires_of_terminals(tmp_path: Path) -> None:
    """Each has ports of its own, and only those with a terminal have any."""
    kyklos = {
        "topology": {"family": "kyklos", "m": 2, "r": 1, "n": 1},
        "routing": {"algorithm": "m"},
    }
    network = build({"name": "tree", **kyklos, "terminal": {"kind": "os-link"}})
    generate(network, tmp_path)
    known = ports((tmp_path / "tree_links.v").read_text(), "tree_links")
    serial = {name for name in known if name.startswith("link_")}
    terminals = network.topology.terminals.tolist()
    assert serial == {f"link_{way}_{v}" for way in ("in", "out") for v in terminals}
    assert 0 < len(terminals) < network.topology.nodes
    for kind in ("sdc", "xdc"):
        given = commands(tmp_path / f"tree_links.{kind}")
        paths = [command[1:] for command in given if command[0] == "set_false_path"]
        ways = ("-from", "get_ports:link_in_*"), ("-to", "get_ports:link_out_*")
        assert paths == list(ways)
        assert ("create_clock", "-name", "clk", "-period", "10.000", "get_ports:clk") in given
    text = (tmp_path / "tree_links.lpf").read_text()
    assert {*re.findall(r'^IOBUF PORT "(\w+)" IO_TYPE', text, flags=re.M)} == serial
    assert not (tmp_path / "tree_network.xdc").exists()
    assert "SYNCHRONIZER_IDENTIFICATION" in (tmp_path / "tree_quartus.tcl").read_text()


@pytest.mark.parametrize("kind", ["sdc", "xdc"])
def test_clock_and_wires_of_no_clock(made: Path, kind: str) -> None:
    given = commands(made.with_suffix(f".{kind}"))
    clock = "create_clock", "-name", "clk", "-period", "10.000", "get_ports:clk"
    assert given.count(clock) == 1
    names = [command[0] for command in given]
    assert names.count("create_clock") == 1
    assert not {"set_clock_groups", "set_max_delay"} & {*names}
    paths = [command[1:] for command in given if command[0] == "set_false_path"]
    expected = []
    if LINKS[made.stem]:
        expected = [("-from", f"get_ports:{pins(made, 'link_in')}")]
        expected += [("-to", f"get_ports:{pins(made, 'link_out')}")]
    if made.stem == "os_link_port":
        expected += [("-from", "get_ports:rst")]
    assert paths == expected
    known = ports(made.read_text(), made.stem)
    for name, *arguments in given:
        if name == "get_ports":
            assert arguments[0].removesuffix("[*]") in known


def test_synchronisers_are_named_as_vivado_names_them(made: Path) -> None:
    names = (
        ["/".join(path) + "_reg" for path in registers(made.read_text(), made.stem)]
        if (LINKS[made.stem])
        else []
    )
    chosen = [
        re.fullmatch(r"get_cells:NAME =~ (\S+)", value)[1]  # type: ignore[index]
        for name, *rest in commands(made.with_suffix(".xdc"))
        if name == "set_property" and rest[:2] == ["ASYNC_REG", "TRUE"]
        for value in rest[2:]
    ]
    marked = [name for name in names if any(fnmatchcase(name, pattern) for pattern in chosen)]
    expected = [name for name in names if name.endswith(("/stage0_reg", "/stage1_reg"))]
    assert marked == expected
    resets = made.stem == "os_link_port"
    assert len(expected) == 2 * (LINKS[made.stem] + resets)


def test_open_inputs_rest_low(made: Path) -> None:
    given = commands(made.with_suffix(".xdc"))
    pulled = [rest for name, *rest in given if name == "set_property" and rest[0] == "PULLTYPE"]
    links = LINKS[made.stem]
    expected = [["PULLTYPE", "PULLDOWN", f"get_ports:{pins(made, 'link_in')}"]] if links else []
    assert pulled == expected
    text = made.with_suffix(".lpf").read_text()
    low = re.findall(r'^IOBUF PORT "(\S+)" IO_TYPE=LVCMOS33 PULLMODE=DOWN;$', text, flags=re.M)
    assert low == (bits(made.read_text(), made.stem, "link_in") if links else [])


def test_lattice_has_the_clock_and_every_pin(made: Path) -> None:
    lines = made.with_suffix(".lpf").read_text().splitlines()
    said = [line for line in lines if not line.startswith("#")]
    assert said[0] == 'FREQUENCY PORT "clk" 100.000 MHZ;'
    assert all(line.endswith(";") for line in said)
    both = ("link_in", "link_out") if LINKS[made.stem] else ()
    assert ("BLOCK ASYNCPATHS;" in said) == bool(both)
    wires = re.findall(r'IOBUF PORT "(\S+)"', "\n".join(said))
    text = made.read_text()
    names = [wire for port in both for wire in bits(text, made.stem, port)]
    assert wires == names
    assert re.findall(r'^# LOCATE COMP "(\S+)"', "\n".join(lines), flags=re.M) == names


def test_projects_list_every_file_from_anywhere(
    made: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (listed,) = made.parent.glob("*.f")
    verilog = [line for line in listed.read_text().splitlines() if not line.startswith("//")]
    here = str(made.parent)
    vivado = commands(made.parent / f"{listed.stem}_vivado.tcl")
    assert vivado == [
        *(("read_verilog", f"{here}/{file}") for file in verilog),
        ("read_xdc", f"{here}/{made.stem}.xdc"),
    ]
    quartus = commands(made.parent / f"{listed.stem}_quartus.tcl")
    files = [tuple(rest) for name, *rest in quartus if name == "set_global_assignment"]
    assert files == [
        *(("-name", "VERILOG_FILE", f"{here}/{file}") for file in verilog),
        ("-name", "SDC_FILE", f"{here}/{made.stem}.sdc"),
    ]
    assert made.with_suffix(".sdc").exists()
    assert made.with_suffix(".xdc").exists()
    patterns = [rest[-1] for name, *rest in quartus if name == "set_instance_assignment"]
    names = ["|".join(path) for path in registers(made.read_text(), made.stem)] if patterns else []
    first = [name for name in names if any(fnmatchcase(name, each) for each in patterns)]
    assert first == [name for name in names if name.endswith("|stage0")]
    assert len(first) == LINKS[made.stem] + (made.stem == "os_link_port")


def test_of_several_kinds_of_nodes_a_board_needs_one(tmp_path: Path) -> None:
    network = load("kyklos-2-2-4")
    pins = network_pins(replace(network, link=CellLink()))
    kinds = [f"kyklos_2_2_4_node_{kind}" for kind in range(3)]
    assert [each.module for each in pins] == kinds
    (tmp_path / "k_vivado.tcl").write_text(projects("k", ["k.v"], pins, [])["k_vivado.tcl"])
    told = (tmp_path / "k_vivado.tcl").read_text()
    assert re.findall(r"^# read_xdc \[file join \$here (\w+)\.xdc\]$", told, flags=re.M) == kinds
    given = commands(tmp_path / "k_vivado.tcl")
    assert given == [("read_verilog", f"{tmp_path}/k.v")]


@pytest.fixture(scope="module")
def clocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the streams of a network whose terminals have clocks of their own."""
    folder = tmp_path_factory.mktemp("clocks")
    tree = {"family": "kyklos", "m": 2, "r": 1, "n": 1}
    terminal = {"kind": "axi-stream", "clock": "own"}
    parts = {"topology": tree, "routing": {"algorithm": "m"}, "terminal": terminal}
    generate(build({"name": "tree", **parts}), folder)
    return folder / "tree_streams.v"


def stages(streams: Path) -> list[tuple[str, ...]]:
    """Return the flip-flops behind which something is of another clock, by instances."""
    files = streams, *streams.parent.glob("tree_crossing_*.v"), streams.parent / "tree_network.v"
    found = registers("\n".join(file.read_text() for file in files), "tree_streams")
    return [path for path in found if path[-1] in {"stage0", "stage1"}]


def test_every_clock_of_terminals_is_created_and_kept_apart(clocks: Path) -> None:
    own = {name for name in ports(clocks.read_text(), "tree_streams") if name.endswith("clk")}
    assert len(own) == 3  # the network's, and those of two leaves
    for kind in ("sdc", "xdc"):
        given = commands(clocks.with_suffix(f".{kind}"))
        created = [command for command in given if command[0] == "create_clock"]
        assert sorted(created) == sorted(
            ("create_clock", "-name", name, "-period", "10.000", f"get_ports:{name}")
            for name in own
        )
    said = clocks.with_suffix(".lpf").read_text().splitlines()
    assert {f'FREQUENCY PORT "{name}" 100.000 MHZ;' for name in own} <= {*said}
    assert not clocks.with_name("tree_network.xdc").exists()


def test_what_crosses_to_a_terminal_and_back_is_bounded(clocks: Path) -> None:
    """Clock groups, or blocked paths, would let the bits of a pointer be any time apart."""
    instances = re.findall(r"\.write_clk\((\w+)\), .*?\.read_clk\((\w+)\)", clocks.read_text())
    both = {*instances} | {(read, write) for write, read in instances}  # pointers go both ways
    for kind, only in (("sdc", ()), ("xdc", ("-datapath_only",))):
        given = commands(clocks.with_suffix(f".{kind}"))
        bounded = [command[1:] for command in given if command[0] == "set_max_delay"]
        assert sorted(bounded) == sorted(
            (*only, "-from", f"get_clocks:{a}", "-to", f"get_clocks:{b}", "10.000") for a, b in both
        )
        assert all(command[0] != "set_clock_groups" for command in given)


def test_in_diamond_the_pointers_are_bounded_by_their_cells(clocks: Path) -> None:
    text = clocks.with_suffix(".lpf").read_text()
    assert "BLOCK" not in text  # which would come before MAXDELAY
    bounds = re.findall(
        r'^MAXDELAY FROM CELL "(.*)" TO CELL "(.*)" 10.000 NS DATAPATH_ONLY;$', text, flags=re.M
    )
    names = ["/".join(path) for path in stages(clocks)]
    text = clocks.with_name("tree_crossing_in.v").read_text()
    for start, end in bounds:
        assert start.startswith("*crossing_*/queue/")
        assert f"  reg [3:0] {start.rpartition('/')[2].rstrip('*')};" in text
        found = [name for name in names if fnmatchcase(name, end)]
        assert len(found) == 2 * 2  # terminals, ways
        assert all(name.endswith("stage0") for name in found)
    assert len(bounds) == 2


def test_the_stages_of_crossings_are_named_as_tools_name_them(clocks: Path) -> None:
    found = stages(clocks)
    assert len(found) == 2 * 2 * 4 * 2  # terminals, ways, two pointers and two resets, stages
    chosen = [
        command[3].removeprefix("get_cells:NAME =~ ")
        for command in commands(clocks.with_suffix(".xdc"))
        if command[:3] == ("set_property", "ASYNC_REG", "TRUE")
    ]
    for path in found:
        name = "/".join(("u", "v", *path)) + "_reg[0]"  # anywhere in a design
        assert any(fnmatchcase(name, each) for each in chosen)
    quartus = [
        rest[-1]
        for name, *rest in commands(clocks.with_name("tree_quartus.tcl"))
        if name == "set_instance_assignment"
    ]
    first = [path for path in found if any(fnmatchcase("|".join(path), each) for each in quartus)]
    assert first == [path for path in found if path[-1] == "stage0"]
