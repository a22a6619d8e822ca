import hashlib
import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.network import around_network
from fingerpost.hdl.emit.printer import module_verilog
from fingerpost.hdl.emit.routers import node_straps, router
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.terminal import around as modules_around
from tests.networks import built, load

ROOT = Path(__file__).parents[3]
MODULES = "borel_21_vectors", "borel_21_network", "borel_21_router"
"""Those that a user names; the others are what routers consist of."""

FILES = [
    "borel_21.f",
    *("borel_21_header.sv", "borel_21_header.h", "borel_21_header.py"),
    *("borel_21_template.v", "borel_21_testbench.v", "borel_21_cocotb.py", "borel_21.core"),
    *("borel_21_network_top.sdc", "borel_21_network_top.xdc", "borel_21_network_top.lpf"),
    *("borel_21_vivado.tcl", "borel_21_quartus.tcl", "borel_21.json"),
]

PROGRAM = """
import sys
from pathlib import Path
from fingerpost.hdl.export.generate import generate
from tests.networks import load
generate(load("borel-21"), Path(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated")
    files = generate(load("borel-21"), folder)
    assert [file.name for file in files if file not in verilog(folder)] == FILES
    return folder


def verilog(folder: Path) -> list[Path]:
    """Return the files of the list."""
    listed = (folder / "borel_21.f").read_text().splitlines()
    return [folder / line for line in listed if not line.startswith("//")]


def names(text: str) -> list[str]:
    return re.findall(r"^module (\w+)", text, flags=re.M)


@pytest.fixture
def known(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the module at the nodes be what was generated before."""
    texts = {
        file.stem: file.read_text() for file in verilog(folder) if file.stem not in MODULES[:2]
    }
    monkeypatch.setattr("fingerpost.hdl.emit.network.print_designs", lambda *_, **__: texts)


@pytest.fixture(scope="module")
def manifest(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / "borel_21.json").read_text())
    return read


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_writes_these_files_and_no_others(folder: Path) -> None:
    assert sorted(contents(folder)) == sorted([*FILES, *(file.name for file in verilog(folder))])
    for content in contents(folder).values():
        assert content.endswith(b"\n")
        assert b"\r" not in content


def test_each_module_is_in_a_file_of_its_name(folder: Path) -> None:
    files = verilog(folder)
    assert [name for file in files for name in names(file.read_text())] == [f.stem for f in files]
    assert tuple(file.stem for file in files[:3]) == MODULES
    assert {f"borel_21_{part}" for part in ("injection", "two_phase")} < {f.stem for f in files}


def test_all_modules_are_in_one_file(folder: Path, tmp_path: Path) -> None:
    files = generate(load("borel-21"), tmp_path, files="one")
    assert [file.name for file in files] == ["borel_21.v", *FILES]
    assert verilog(tmp_path) == [tmp_path / "borel_21.v"]
    text = (tmp_path / "borel_21.v").read_text()
    assert names(text) == [file.stem for file in verilog(folder)]
    assert "files: [borel_21.v]" in (tmp_path / "borel_21.core").read_text()


def test_text_does_not_depend_on_hashes(folder: Path, tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path / "out"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONHASHSEED": "4711", "PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert contents(tmp_path / "out") == contents(folder)


def test_no_file_names_a_place_on_this_machine(folder: Path) -> None:
    for content in contents(folder).values():
        text = content.decode()
        assert str(ROOT) not in text
        assert str(Path.home()) not in text
        text = re.sub(r"// (Source: )?(hdl|amaranth)(/\w+)+\.py:\d+$", "", text, flags=re.M)
        assert not re.search(r"(?<!_header)(?<!_cocotb)\.py\b", text)
        assert "(* src" not in text
        # A slash begins a comment, or divides words; an absolute path follows neither.
        assert not re.search(r"(?<![\w/*<])/(?:[\w.-]+/)+", text)


def test_header_of_the_manifest_is_that_of_golden(
    manifest: dict[str, Any], borel21: Network
) -> None:
    for key, layout in (("header", borel21.routing.header), ("straps", borel21.routing.straps)):
        described = {field.pop("name"): field for field in [dict(f) for f in manifest[key]]}
        for field in described.values():
            field.pop("on_arrival", None)
            field.pop("sent", None)
        assert described == {
            name: {"offset": f.offset, "width": f.width, "meaning": f.meaning}
            for name, f in layout.items()
        }
    assert manifest["header_width"] == borel21.routing.header.width == 10


def test_manifest_tells_what_a_user_must_know(manifest: dict[str, Any], borel21: Network) -> None:
    assert manifest["name"] == "borel-21"
    assert manifest["nodes"] == 21
    assert manifest["ports"] == ["A", "B", "A^-1", "B^-1", "LOCAL"]
    assert manifest["modules"] == {
        "node": "borel_21_router",
        "network": "borel_21_network",
        "top": "borel_21_network",
    }
    assert [(f["name"], f["offset"], f["width"]) for f in manifest["flit"]] == [
        ("head", 0, 1),
        ("tail", 1, 1),
        ("data", 2, 32),
    ]
    router: dict[str, Any] = {"flit_width": 32, "buffer_depth": 8, "virtual_channels": 2}
    router |= {"bypass_limit": 0, "turn_bypass_limit": 0, "classes": 1, "service": "bounded"}
    bound = "a head waits for at most 2 packets of each other buffer that requests its channel"
    assert manifest["router"] == router | {"service_bound": bound}
    assert manifest["errors_width"] == 8
    assert manifest["table_bits"] == {"phase I": 6, "phase II": 49}
    assert borel21.order is not None
    assert manifest["deadlock"]["order"] == borel21.order.tolist()
    assert manifest["deadlock"]["dependency_graph"]["cycles"] == 0
    assert set(manifest["versions"]) == {"fingerpost", "amaranth"}
    assert manifest["description"] == json.loads(json.dumps(dict(borel21.description)))


def test_straps_of_the_manifest_are_those_of_the_network(
    manifest: dict[str, Any], folder: Path, borel21: Network
) -> None:
    text = (folder / "borel_21_network.v").read_text()
    assert len(manifest["node_straps"]) == 21
    for node, straps in enumerate(manifest["node_straps"]):
        packed, increments = node_straps(borel21, node)
        assert straps == {
            "module": "borel_21_router",
            "straps": hex(packed),
            "increments": hex(increments),
        }
        instance = re.search(rf"borel_21_router node_{node}\((.*?)\n  \);", text, flags=re.S)
        assert instance is not None
        assert f"'h{packed:x}), .increments(16'h{increments:x})" in instance[1]
        told = borel21.routing.straps
        for name, field in told.items():
            assert packed >> field.offset & (1 << field.width) - 1 == told.value(name)[node]


def test_sha256_of_every_other_file(manifest: dict[str, Any], folder: Path) -> None:
    assert manifest["sha256"] == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.name != FILES[-1]
    }


ASSUMPTION = "every terminal takes arriving packets without waiting to send"


def test_banner_names_network_hash_and_version(
    manifest: dict[str, Any], folder: Path, borel21: Network
) -> None:
    text = json.dumps(manifest["description"], sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert manifest["description_sha256"] == digest
    free = "Free for any use, changed or not, without conditions and warranty. SPDX: 0BSD"
    assert manifest["license"] == free
    for file in (*FILES[:-1], *(file.name for file in verilog(folder))):
        lines = (folder / file).read_text().removeprefix("CAPI=2:\n").splitlines()
        mark = "#" if file.endswith((".py", ".core", ".sdc", ".xdc", ".lpf", ".tcl")) else "//"
        assert lines[:5] == [
            f"{mark} Network: borel-21, 21 nodes, two-phase routing",
            f"{mark} SHA-256 of its description: {digest}",
            f"{mark} Free of deadlock; assumption: {ASSUMPTION}",
            f"{mark} Generated by fingerpost {version('fingerpost')}; do not edit",
            f"{mark} {free}",
        ]


@pytest.mark.usefixtures("known")
def test_progress_is_told(borel21: Network, tmp_path: Path) -> None:
    told: list[str] = []
    generate(borel21, tmp_path / "new" / "folder", progress=told.append)
    assert told == ["Verilog", "what helps to use it", "manifest"]
    assert {*FILES} < {*contents(tmp_path / "new" / "folder")}


def test_no_wire_has_no_bits() -> None:
    """At the border of a mesh an output may serve the terminal only."""
    mesh = built({"family": "grid", "sizes": [2, 2]}, "dimension-order")
    assert "[-1:0]" not in module_verilog(router(mesh), "corner")


def around(name: str, kind: str) -> tuple[Network, dict[str, str]]:
    """Return a network with other terminals, and the modules around its nodes."""
    network = build({**load(name).description, "terminal": {"kind": kind}})
    return network, around_network(network)


def test_tables_are_one_where_the_source_does_not_matter() -> None:
    borel = around("borel-21", "axi-stream")[1]["borel_21_headers"]
    assert re.findall(r"^module (\w+)", borel, re.MULTILINE) == ["borel_21_headers"]
    star = around("star-4", "axi-stream")[1]["star_4_headers"]
    names = re.findall(r"^module (\w+)", star, re.MULTILINE)
    assert names == [f"star_4_headers_{node}" for node in range(24)]
    assert star.count("5'd23: entry") == star.count("5'd23: exists") == 24


def test_refuses_too_many_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modules_around, "MOST_ENTRIES", 400)
    message = (
        r"^AXI4-Stream terminals need at most 20 terminals where headers depend on the source, "
        r"as in star networks, not 24$"
    )
    with pytest.raises(ValueError, match=message):
        around("star-4", "axi-stream")


def test_nodes_without_terminal_have_no_ports() -> None:
    network, texts = around("kyklos-2-2-4", "os-link")
    text, terminals = texts["kyklos_2_2_4_links"], network.topology.terminals.tolist()
    assert re.findall(r"input link_in_(\d+)", text) == [str(v) for v in terminals]
    assert re.findall(r"output link_out_(\d+)", text) == [str(v) for v in terminals]
    joined = re.findall(r"\.node_(\d+)_link_in\(link_in_\1\)", text)
    assert joined == [str(v) for v in terminals]
