"""OS-Link ports, bare and behind registers: benches pass and can fail; all is as told."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.parameters import PEERS, port_for
from fingerpost.hdl.export.port import generate_port
from fingerpost.hdl.link.bare_port import BarePort, bare_ports
from fingerpost.hdl.link.registered_port import port_registers, registered_ports
from fingerpost.testbench.context import Context
from tests.hdl.export.scripts import ports
from tests.hdl.simulators import simulate
from tests.networks import only

PAGE = (Path(__file__).parents[3] / "docs/howto/os-links.md").read_text(encoding="utf-8")
LONG = pytest.mark.regress


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the bench by the command that it names."""
    assert shutil.which("iverilog"), "Icarus Verilog is missing: run `make setup`"
    (bench,) = folder.glob("*_testbench.v")
    for command in re.findall(r"// In Icarus: (.*)", bench.read_text())[0].split(" && "):
        ended = subprocess.run(
            shlex.split(command), cwd=folder, capture_output=True, text=True, check=False
        )
        assert ended.stderr == ""
    return ended


@pytest.mark.parametrize(
    ("peer", "registers", "chosen"),
    [
        ("t800", False, {}),
        ("fingerpost", False, {"breaks": True, "clocks_per_bit": 4}),
        pytest.param("fingerpost", False, {}, marks=LONG),
        pytest.param("c004", False, {"clocks_per_bit": 8, "fifo": 1, "timeout": 200}, marks=LONG),
        pytest.param("t425", False, {"slot": 12, "timeout": 3}, marks=LONG),
        ("fingerpost", True, {"breaks": True, "clocks_per_bit": 4}),
        pytest.param("t800", True, {}, marks=LONG),
        pytest.param("t425", True, {"slot": 12, "timeout": 300}, marks=LONG),
    ],
)
def test_bytes_come_both_ways(
    peer: str, registers: bool, chosen: dict[str, Any], tmp_path: Path
) -> None:
    parameters = port_for(peer, **chosen)
    generate_port(parameters, tmp_path, name="port_a", peer=peer, registers=registers)
    ended = run(tmp_path)
    assert ended.returncode == 0, ended.stdout
    count = 16 if registers else 64
    assert re.fullmatch(rf"PASS: {count} bytes each way, \d+ cycles\n", ended.stdout)


FAULTS = {
    "other data": (".v", ".data(tx_payload)", ".data(tx_payload ^ 8'h10)", ", 128 wrong"),
    "never waits for the reader": (
        ".v",
        ".r_en(rx_ready)",
        ".r_en(1'b1)",
        "of 64 bytes arrived",
    ),
    "cut wire": ("_testbench.v", "in_b <= #7300 out_a", "in_b <= #7300 1'b0", "and 0 of 64 bytes"),
    "acknowledges not told": (
        ".v",
        "tx_done = receiver_acknowledge",
        "tx_done = 1'b0",
        "0 and 0 done",
    ),
    "clocks 6 % apart": ("_testbench.v", "#5050", "#5300", "errors (?!0{6} 0{6})"),
    "errors told for nothing": ("_testbench.v", "(errors & ", "(~errors & ", "errors 0{6} 0{6}"),
}
FAULTS_OF_REGISTERS = {
    "registers, other data": (".v", ".data(tx_payload)", ".data(tx_payload ^ 8'h10)", ""),
    "registers, other version": ("_testbench.v", "32'h00010000", "32'h00020000", ""),
    "registers, cut wire": ("_testbench.v", "in_b <= #7300 out_a", "in_b <= #7300 1'b0", ""),
}

SHORT = "other data", "cut wire", *FAULTS_OF_REGISTERS


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Path]:
    """Return folders with a port, bare and behind registers."""
    folders = {registers: tmp_path_factory.mktemp("port") for registers in (False, True)}
    for registers, folder in folders.items():
        generate_port(OsLinkParameters(), folder, registers=registers)
    return folders


@pytest.mark.parametrize("fault", only(SHORT, FAULTS | FAULTS_OF_REGISTERS))
def test_bench_finds_a_fault(fault: str, sound: dict[bool, Path], tmp_path: Path) -> None:
    shutil.copytree(sound[fault in FAULTS_OF_REGISTERS], tmp_path, dirs_exist_ok=True)
    end, old, new, told = (FAULTS | FAULTS_OF_REGISTERS)[fault]
    path = tmp_path / f"os_link_port{end}"
    pattern = re.escape(old).replace(r"\(", r" *\(")  # connections are in columns
    text, count = re.subn(pattern, lambda _: new, path.read_text())
    assert count == 1
    path.write_text(text)
    ended = run(tmp_path)
    assert ended.returncode == 1
    assert "FAIL: " in ended.stdout
    assert re.search(told, ended.stdout), ended.stdout


@pytest.mark.parametrize(("breaks", "registers"), [(False, False), (True, False), (False, True)])
def test_ports_are_those_of_module_and_manifest(
    breaks: bool, registers: bool, tmp_path: Path
) -> None:
    parameters = OsLinkParameters(breaks=breaks)
    generate_port(parameters, tmp_path, registers=registers)
    text = (tmp_path / "os_link_port.v").read_text()
    told = registered_ports() if registers else bare_ports(parameters)
    expected = {port.name: (port.direction, port.bits) for port in told}
    assert ports(text, "os_link_port") == expected
    manifest = json.loads((tmp_path / "os_link_port.json").read_text())
    assert [port["name"] for port in manifest["ports"]] == list(expected)
    if registers:
        assert {"os_link_port.h", "os_link_port.rdl"} < {*manifest["sha256"]}
        named = [register.name for register in port_registers(parameters)]
        assert [each["name"] for each in manifest["registers"]] == named
    else:
        for port in told:
            assert f"{port.direction:6}  {port.bits}  {port.meaning}\n" in text


def test_peers_are_those_of_the_page() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (overlap|late) \| (\w+) \|", PAGE, flags=re.M)
    page = {peer: (acknowledge, stop) for peer, acknowledge, stop in rows}
    assert page == {
        peer: (parameters.acknowledge, parameters.stop)
        for peer in PEERS
        for parameters in [port_for(peer)]
    }


def test_what_is_chosen_goes_before_the_peer() -> None:
    assert port_for("t800", acknowledge="overlap", fifo=None).acknowledge == "overlap"
    with pytest.raises(ValueError, match=r"^breaks need peer fingerpost, not c012: it takes a br"):
        port_for("c012", breaks=True)


def test_reset_of_any_clock_and_errors_that_stay() -> None:
    """An acknowledge for nothing: a pulse, and a bit that stays until it is cleared."""
    n = 5
    port: Any = BarePort(OsLinkParameters(n))
    pulses: list[int] = []

    async def bench(ctx: Context) -> None:
        async def clocks(count: int) -> None:
            for _ in range(count):
                await ctx.delay(4e-9)
                ctx.set(port.clk, 1)
                await ctx.delay(5e-9)
                ctx.set(port.clk, 0)
                await ctx.delay(1e-9)
                pulses.append(ctx.get(port.err_ack))

        await clocks(20 * n)
        for level in (1, 0):
            ctx.set(port.link_in, level)
            await clocks(2 * n if level == 0 else n)
        assert sum(pulses) == 1
        assert ctx.get(port.errors) == 0b10
        await clocks(50)
        assert ctx.get(port.errors) == 0b10
        ctx.set(port.clear_errors, 1)
        await clocks(1)
        ctx.set(port.clear_errors, 0)
        assert ctx.get(port.errors) == 0
        # A reset far from a clock edge, shorter than a clock: it is taken, and left by the clock.
        ctx.set(port.s_axis_tvalid, 1)
        ctx.set(port.s_axis_tdata, 0xFF)
        await clocks(40 * n)
        before = ctx.get(port.s_axis_tready), ctx.get(port.idle)
        assert before == (0, 0)  # a byte was sent, and is not acknowledged
        ctx.set(port.rst, 1)
        await ctx.delay(1e-9)
        ctx.set(port.rst, 0)
        await clocks(3)
        assert ctx.get(port.link_out) == 0
        # Nothing goes out for 32 bits, counted from the end of the reset.
        sent = []
        for _ in range(34 * n):
            await clocks(1)
            sent.append(ctx.get(port.link_out))
        assert 31 * n < sent.index(1) < 33 * n

    simulate(port, bench, clock=False)


@pytest.mark.parametrize("stop", ["checked", "ignored"])
@pytest.mark.parametrize("n", [4, 5, 8])
def test_timing_of_the_pins(n: int, stop: Any) -> None:
    """What the page says of a byte that comes in, and of the next one that goes out."""
    port: Any = BarePort(OsLinkParameters(n, stop=stop))
    middle = (n - 1) // 2

    async def bench(ctx: Context) -> None:
        async def clocks(until: Any, most: int) -> int:
            """Return after how many edges something holds."""
            for count in range(most):
                if ctx.get(until):
                    return count
                for level in (1, 0):
                    ctx.set(port.clk, level)
                    await ctx.delay(1e-9)
            return most

        await clocks(0, 50 * n)
        # A byte 0xFF and its stop bit; the start is right behind an edge, as late as can be.
        ctx.set(port.link_in, 1)
        assert await clocks(port.link_out, 10 * n) == n + middle + 4
        rest = 10 * n - (n + middle + 4)
        await clocks(0, rest)
        ctx.set(port.link_in, 0)
        told = 10 * n + middle if stop == "checked" else 9 * n + middle + 1
        assert 10 * n + await clocks(port.m_axis_tvalid, 10 * n) == max(10 * n, told + 3)
        await clocks(0, 20 * n)
        # A byte goes out with the edge at which it is taken.
        ctx.set(port.s_axis_tdata, 0)
        ctx.set(port.s_axis_tvalid, 1)
        assert ctx.get(port.s_axis_tready)
        assert await clocks(port.link_out, 10) == 1
        await clocks(0, 12 * n)
        ctx.set(port.link_in, 1)
        await clocks(0, n)
        ctx.set(port.link_in, 0)
        assert n + await clocks(port.link_out, 10 * n) == n + middle + 4

    simulate(port, bench, clock=False)
