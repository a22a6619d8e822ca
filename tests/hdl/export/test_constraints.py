"""Constraints and project files say what they must, of names that the Verilog has."""

import re
import subprocess
import sys
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from fingerpost.golden.link import CellLink
from fingerpost.golden.link.parameters import port_for
from fingerpost.golden.network.network import build
from fingerpost.hdl.export.constraints import network_pins, projects
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.export.port import generate_port
from tests.hdl.export.scripts import (
    TimingPath,
    bits,
    commands,
    ports,
    registers,
    timing_paths,
)
from tests.hdl.simulators import listed
from tests.networks import load, only

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


def whole(verilog: Path) -> str:
    """Return the text of all modules beside one."""
    return "\n".join(file.read_text() for file in listed(verilog.parent))


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
        given = commands(tmp_path / f"tree_links_top.{kind}")
        paths = [command[1:] for command in given if command[0] == "set_false_path"]
        assert paths == [("-to", "get_ports:link_out_*")]
        assert ("create_clock", "-name", "clk", "-period", "10.000", "get_ports:clk") in given
    text = (tmp_path / "tree_links_top.lpf").read_text()
    assert {*re.findall(r'^IOBUF PORT "(\w+)" IO_TYPE', text, flags=re.M)} == serial
    assert not (tmp_path / "tree_network_top.xdc").exists()
    assert "SYNCHRONIZER_IDENTIFICATION" in (tmp_path / "tree_quartus.tcl").read_text()


@pytest.mark.parametrize(
    ("terminal", "more", "module"),
    [
        ("axi-stream", {}, "ring_network"),
        ("mailbox", {}, "ring_mailboxes"),
        ("axi4", {"memory_map": [{"base": 0, "size": 4096, "node": 1}]}, "ring_memory"),
    ],
)
def test_the_top_of_a_chip_has_the_users_that_are_hardware(
    terminal: str, more: dict[str, Any], module: str
) -> None:
    network = build({"name": "ring", **RING, "terminal": {"kind": terminal}, **more})
    (top,) = network_pins(network)
    files = projects("ring", ["ring.v"], [top], [])
    assert top.module == module
    for script in ("ring_vivado.tcl", "ring_quartus.tcl"):
        assert re.findall(r"\$here (\w+)_top\.", files[script]) == [module]


@pytest.mark.parametrize("kind", ["sdc", "xdc"])
def test_clock_and_wires_of_no_clock(made: Path, kind: str) -> None:
    given = commands(made.with_name(f"{made.stem}_top.{kind}"))
    clock = "create_clock", "-name", "clk", "-period", "10.000", "get_ports:clk"
    assert given.count(clock) == 1
    names = [command[0] for command in given]
    assert names.count("create_clock") == 1
    assert not {"set_clock_groups", "set_max_delay"} & {*names}
    paths = [command[1:] for command in given if command[0] == "set_false_path"]
    out = [("-to", f"get_ports:{pins(made, 'link_out')}")] if LINKS[made.stem] else []
    assert paths == out
    known = ports(made.read_text(), made.stem)
    for name, *arguments in given:
        if name == "get_ports":
            assert arguments[0].removesuffix("[*]") in known


def test_inside_a_design_there_are_no_clocks_and_no_ports(made: Path) -> None:
    files = [made.with_suffix(f".{kind}") for kind in ("sdc", "xdc")]
    assert [file.exists() for file in files] == [bool(LINKS[made.stem])] * 2
    given = [command for file in files if file.exists() for command in commands(file)]
    assert not {"create_clock", "get_ports", "get_clocks"} & {command[0] for command in given}
    names = ["/".join(path) for path in registers(whole(made), made.stem)]
    free = [command[-1] for command in given if command[0] == "set_false_path"]
    for pattern in free:
        stem = pattern.rpartition(" ")[2].partition(":")[2] or pattern.rpartition(" ")[2]
        stem = re.sub(r"_reg\*/\w+$|\|clrn$", "", stem).replace("|", "/")
        assert any(fnmatchcase(name, stem) for name in names), pattern
        assert stem.endswith(("synchronizer/stage0", "reset/stage*"))
    assert len(free) == 2 * (bool(LINKS[made.stem]) + (made.stem == "os_link_port"))


def inside(made: Path) -> list[tuple[str, ...]]:
    """Return what Vivado is told of a module inside of a design, if anything."""
    file = made.with_suffix(".xdc")
    return commands(file) if file.exists() else []


def test_synchronisers_are_named_as_vivado_names_them(made: Path) -> None:
    names = (
        ["/".join(path) + "_reg" for path in registers(whole(made), made.stem)]
        if (LINKS[made.stem])
        else []
    )
    chosen = [
        re.fullmatch(r"get_cells:NAME =~ (\S+)", value)[1]  # type: ignore[index]
        for name, *rest in inside(made)
        if name == "set_property" and rest[:2] == ["ASYNC_REG", "TRUE"]
        for value in rest[2:]
    ]
    marked = [name for name in names if any(fnmatchcase(name, pattern) for pattern in chosen)]
    expected = [name for name in names if name.endswith(("/stage0_reg", "/stage1_reg"))]
    assert marked == expected
    resets = made.stem == "os_link_port"
    assert len(expected) == 2 * (LINKS[made.stem] + resets)


def test_open_inputs_rest_low(made: Path) -> None:
    given = commands(made.with_name(f"{made.stem}_top.xdc"))
    pulled = [rest for name, *rest in given if name == "set_property" and rest[0] == "PULLTYPE"]
    links = LINKS[made.stem]
    expected = [["PULLTYPE", "PULLDOWN", f"get_ports:{pins(made, 'link_in')}"]] if links else []
    assert pulled == expected
    text = made.with_name(f"{made.stem}_top.lpf").read_text()
    low = re.findall(r'^IOBUF PORT "(\S+)" IO_TYPE=LVCMOS33 PULLMODE=DOWN;$', text, flags=re.M)
    assert low == (bits(made.read_text(), made.stem, "link_in") if links else [])


def test_lattice_has_the_clock_and_every_pin(made: Path) -> None:
    lines = made.with_name(f"{made.stem}_top.lpf").read_text().splitlines()
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
    (file_list,) = made.parent.glob("*.f")
    verilog = [file.name for file in listed(made.parent)]
    here = str(made.parent)
    inside = bool(LINKS[made.stem])
    scoped = [
        ("read_xdc", "-ref", made.stem, f"{here}/{made.stem}.xdc"),
        ("get_files", f"{{{here}/{made.stem}.xdc}}"),
        ("set_property", "PROCESSING_ORDER", "LATE", f"get_files:{{{here}/{made.stem}.xdc}}"),
    ]
    assert commands(made.parent / f"{file_list.stem}_vivado.tcl") == [
        *(("read_verilog", f"{here}/{file}") for file in verilog),
        *(scoped if inside else ()),
    ]
    quartus = commands(made.parent / f"{file_list.stem}_quartus.tcl")
    files = [tuple(rest) for name, *rest in quartus if name == "set_global_assignment"]
    assert files == [
        *(("-name", "VERILOG_FILE", f"{here}/{file}") for file in verilog),
        *([("-name", "SDC_FILE", f"{here}/{made.stem}.sdc")] if inside else ()),
    ]
    for script in (f"{file_list.stem}_vivado.tcl", f"{file_list.stem}_quartus.tcl"):
        named = re.findall(r"\$here (\S+_top\.\w+)\]", (made.parent / script).read_text())
        assert [(made.parent / file).exists() for file in named] == [True]
    patterns = [rest[-1] for name, *rest in quartus if name == "set_instance_assignment"]
    names = ["|".join(path) for path in registers(whole(made), made.stem)] if patterns else []
    first = [name for name in names if any(fnmatchcase(name, each) for each in patterns)]
    assert first == [name for name in names if name.endswith("|stage0")]
    assert len(first) == LINKS[made.stem] + (made.stem == "os_link_port")


def test_of_several_kinds_of_nodes_a_board_needs_one(tmp_path: Path) -> None:
    network = load("kyklos-2-2-4")
    pins = network_pins(replace(network, link=CellLink()))
    kinds = [f"kyklos_2_2_4_node_{kind}" for kind in range(3)]
    assert [each.module for each in pins] == kinds
    for name, text in projects("k", ["k.v"], pins, []).items():
        (tmp_path / name).write_text(text)
    told = (tmp_path / "k_constraints.tcl").read_text()
    assert re.findall(r"^# read_xdc -ref (\w+) ", told, flags=re.M) == kinds
    assert commands(tmp_path / "k_vivado.tcl") == [("read_verilog", f"{tmp_path}/k.v")]


CLOCKS: dict[str, tuple[dict[str, Any], int, int]] = {
    "tree_streams": ({"kind": "axi-stream"}, 1, 2),
    "tree_endpoints": ({"kind": "axi-stream", "endpoints": 2}, 2, 4),
    "tree_mailboxes": ({"kind": "mailbox", "memory_words": 256}, 2, 2),
}
"""By module with the clocks of terminals what these are, the message classes, and the clocks."""


@pytest.fixture(scope="module", params=only(["tree_streams", "tree_mailboxes"], CLOCKS))
def clocks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the top of a network whose terminals have clocks of their own."""
    folder = tmp_path_factory.mktemp("clocks")
    tree = {"family": "kyklos", "m": 2, "r": 1, "n": 1}
    terminal, classes, _ = CLOCKS[request.param]
    parts = {"topology": tree, "routing": {"algorithm": "m"}, "router": {"classes": classes}}
    generate(build({"name": "tree", **parts, "terminal": terminal | {"clock": "own"}}), folder)
    return folder / f"{request.param}.v"


def queues(clocks: Path) -> int:
    """Return the queues between clocks each way."""
    _, classes, own = CLOCKS[clocks.stem]
    return classes * own


def stages(clocks: Path) -> list[tuple[str, ...]]:
    """Return the flip-flops behind which something is of another clock, by instances."""
    found = registers(whole(clocks), clocks.stem)
    return [path for path in found if path[-1] in {"stage0", "stage1"}]


def test_every_clock_of_terminals_is_created_and_kept_apart(clocks: Path) -> None:
    own = {name for name in ports(clocks.read_text(), clocks.stem) if name.endswith("clk")}
    assert len(own) == 1 + CLOCKS[clocks.stem][2]  # the network's, and those of terminals
    for kind in ("sdc", "xdc"):
        given = commands(clocks.with_name(f"{clocks.stem}_top.{kind}"))
        created = [command for command in given if command[0] == "create_clock"]
        assert sorted(created) == sorted(
            ("create_clock", "-name", name, "-period", "10.000", f"get_ports:{name}")
            for name in own
        )
    said = clocks.with_name(f"{clocks.stem}_top.lpf").read_text().splitlines()
    assert {f'FREQUENCY PORT "{name}" 100.000 MHZ;' for name in own} <= {*said}
    assert not clocks.with_name("tree_network_top.xdc").exists()


@pytest.fixture(scope="module")
def design(clocks: Path) -> set[TimingPath]:
    """Return the paths of a design with the network in it, whose clocks are those of a PLL.

    Its flip-flops are `mine_...`; one of them reads another of another clock.
    """
    around = ports(clocks.read_text(), clocks.stem)
    own = [name for name in around if name.endswith("clk")]
    ways = {name: f"c{'abcde'[place]}" for place, name in enumerate(own)}
    joined, lines = [], ["reg mine_b;", "always @(posedge cb) mine_b <= mine_rst[0];"]
    for name, (direction, width) in around.items():
        if name in ways:
            joined.append(f".{name}({ways[name]})")
            continue
        number = re.match(r"(?:[sm]_axis|s_axil|axis|mailbox|irq|mem)_(\d)(_|$)", name)
        clock = ways[f"{own[1].partition('_')[0]}_{number[1]}_clk"] if number else "ca"
        joined.append(f".{name}(at_{name})")
        lines += [f"wire [{width - 1}:0] at_{name};", f"reg [{width - 1}:0] mine_{name};"]
        if direction == "input":
            lines.append(f"assign at_{name} = mine_{name};")
        told = f"{{{width}{{given}}}}" if direction == "input" else f"at_{name}"
        lines.append(f"always @(posedge {clock}) mine_{name} <= {told};")
    kept = ", ".join(f"mine_{name}" for name in around if name not in ways)
    text = f"""
(* blackbox *) module pll(input i, output a, b, c, d, e); endmodule
module design(input i, input given, output all, output b);
  wire ca, cb, cc, cd, ce;
  pll pll(.i(i), .a(ca), .b(cb), .c(cc), .d(cd), .e(ce));
  {"  ".join(line + chr(10) for line in lines)}
  assign all = ^{{{kept}}};
  assign b = mine_b;
  {clocks.stem} noc({", ".join(joined)});
endmodule
"""
    texts = {file.name: file.read_text() for file in listed(clocks.parent)}
    boxes = "tree_node_* tree_concentrator tree_distributor tree_mailbox"
    return timing_paths({**texts, "design.v": text}, "design", boxes=boxes)


def exceptions(file: Path, design: set[TimingPath], *, slash: str, reg: str) -> set[TimingPath]:
    """Return the paths of a design that the constraints of a module except, all patterns used."""

    def fits(names: frozenset[str], pattern: str) -> bool:
        spelled = (re.sub(r"(\[\d+\])?$", rf"{reg}\1", name, count=1) for name in names)
        return any(fnmatchcase(name.replace("/", slash), pattern) for name in spelled)

    found: set[TimingPath] = set()
    for name, *arguments in commands(file):
        if name not in {"set_max_delay", "set_false_path"}:
            continue
        given = dict(pairwise(each.rpartition(" ")[2].rpartition(":")[2] for each in arguments))
        start, end = given.get("-from", "*"), given["-to"]
        presets = end.endswith(("/PRE", "|clrn"))
        end = end.removesuffix("/PRE").removesuffix("|clrn")
        chosen = {
            path
            for path in design
            if path.presets == presets and fits(path.start, start) and fits(path.end, end)
        }
        assert chosen, (name, arguments)
        found |= chosen
    return found


@pytest.mark.parametrize(("kind", "slash", "reg"), [("xdc", "/", "_reg"), ("sdc", "|", "")])
def test_all_that_crosses_in_the_network_is_excepted_and_nothing_else(
    clocks: Path, design: set[TimingPath], kind: str, slash: str, reg: str
) -> None:
    """Not by clocks, whose names are the user's, nor paths of the user."""
    crossing = {path for path in design if path.clocks[0] != path.clocks[1]}
    [own] = [path for path in crossing if "mine_b" in path.end]
    excepted = exceptions(clocks.with_suffix(f".{kind}"), design, slash=slash, reg=reg)
    assert excepted == crossing - {own}
    assert all(name.startswith("noc/") for path in excepted for name in path.end)


def test_the_period_is_that_of_the_ports_of_the_module(clocks: Path) -> None:
    given = commands(clocks.with_suffix(".xdc"))
    [(_, pattern, *more)] = [command for command in given if command[0] == "get_ports"]
    known = [name for name in ports(clocks.read_text(), clocks.stem) if name.endswith("clk")]
    assert not more
    assert [
        name for name in known if any(map(partial(fnmatchcase, name), pattern.split()))
    ] == known
    periods = {command[-1] for command in given if command[0] == "set_max_delay"}
    assert periods == {"get_property:get_clocks:get_ports:" + pattern}


def test_the_core_carries_them(clocks: Path) -> None:
    core = yaml.safe_load(clocks.with_name("tree.core").read_text())
    assert core["targets"]["default"]["filesets"] == [
        *("rtl", "tool_vivado? (vivado)", "tool_quartus? (quartus)")
    ]
    sets = core["filesets"]
    assert [[*each] for each in sets["vivado"]["files"]] == [
        *([f"{clocks.stem}.xdc"], ["tree_constraints.tcl"])
    ]
    assert sets["quartus"] == {"files": [f"{clocks.stem}.sdc"], "file_type": "SDC"}


def test_fusesoc_hands_them_to_vivado(clocks: Path, tmp_path: Path) -> None:
    name = "fingerpost:networks:tree"
    command = [sys.executable, "-m", "fusesoc.main", "--cores-root", str(clocks.parent), "run"]
    options = "--setup", "--target", "default", "--tool", "vivado", name
    ended = subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
    [script] = tmp_path.rglob("tree_constraints.tcl")
    given = script.with_name(f"{clocks.stem}.xdc").read_bytes()
    assert given == clocks.with_suffix(".xdc").read_bytes()
    [project] = script.parents[2].glob("fingerpost_networks_tree_?.?.?.tcl")
    assert f"\nsource {{src/{script.parent.name}/{script.name}}}\n" in project.read_text()


def test_in_diamond_the_pointers_are_bounded_by_their_cells(clocks: Path) -> None:
    text = clocks.with_name(f"{clocks.stem}_top.lpf").read_text()
    assert "BLOCK" not in text  # which would come before MAXDELAY
    bounds = re.findall(
        r'^MAXDELAY FROM CELL "(.*)" TO CELL "(.*)" 10.000 NS DATAPATH_ONLY;$', text, flags=re.M
    )
    names = ["/".join(path) for path in stages(clocks)]
    text = whole(clocks)
    for start, end in bounds:
        assert start.startswith("*crossing_*/queue/")
        register = start.rpartition("/")[2].rstrip("*")
        assert re.search(rf"^  reg +\[3:0\] +(\w+, )*{register}\b", text, flags=re.M)
        found = [name for name in names if fnmatchcase(name, end)]
        assert len(found) == queues(clocks) * 2  # ways
        assert all(name.endswith("stage0") for name in found)
    assert len(bounds) == 2


def test_the_stages_of_crossings_are_named_as_tools_name_them(clocks: Path) -> None:
    found = stages(clocks)
    assert len(found) == queues(clocks) * 2 * 4 * 2  # ways, two pointers and two resets, stages
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
