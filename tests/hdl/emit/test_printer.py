"""Readable Verilog: it does what the component does, reads well, and refuses what it cannot say."""

import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from amaranth import Array, Cat, ClockDomain, Const, Module, Mux, Signal, Value, signed, unsigned
from amaranth.hdl import Assert, Instance, Print
from amaranth.lib import data, enum, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.printer import Printed, Unsupported, print_design, print_designs
from fingerpost.hdl.emit.printer.layout import KEYWORDS
from fingerpost.hdl.emit.routers import router
from fingerpost.hdl.terminal.crossing import Crossing

ROOT = Path(__file__).parents[3]
CYCLES = 60
INPUTS = {"a": unsigned(1), "b": unsigned(3), "c": unsigned(8), "d": signed(4), "e": signed(7)}


class Random(wiring.Component):
    """Outputs of random expressions and statements of the inputs and of registers."""

    def __init__(self, seed: int, outputs: int = 8) -> None:
        self.seed, self.outputs = seed, outputs
        self.random = random.Random(seed)
        self.widths = [self.random.randint(1, 12) for _ in range(outputs)]
        super().__init__(
            {name: In(shape) for name, shape in INPUTS.items()}
            | {f"out{n}": Out(width) for n, width in enumerate(self.widths)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        pick = self.random
        self.values: list[Value] = [getattr(self, name) for name in INPUTS]
        for number in range(3):
            shape = pick.choice([unsigned, signed])(pick.randint(1, 9))
            register = Signal(shape, name=f"register{number}", init=-pick.randint(0, 1))
            self.statements(m, m.d.sync, register, 2)
            self.values.append(register)
        for number in range(3):
            wire = Signal(pick.choice([unsigned, signed])(pick.randint(1, 9)), name=f"wire{number}")
            self.statements(m, m.d.comb, wire, 2)
            self.values.append(wire)
        for number in range(self.outputs):
            m.d.comb += getattr(self, f"out{number}").eq(self.expression(4))
        return m

    def statements(self, m: Module, domain: Any, target: Signal, depth: int) -> None:
        pick = self.random
        for _ in range(pick.randint(1, 2)):
            kind = pick.randint(0, 5) if depth else 0
            if kind in (1, 2):
                with m.If(self.expression(2).as_unsigned()):
                    self.statements(m, domain, target, depth - 1)
                if kind == 2:
                    with m.Elif(self.expression(2).as_unsigned()):
                        self.statements(m, domain, target, depth - 1)
                with m.Else():
                    self.statements(m, domain, target, depth - 1)
            elif kind == 3:
                test = self.expression(1).as_unsigned()[:4]
                with m.Switch(test):
                    for value in pick.sample(range(1 << len(test)), min(2, 1 << len(test))):
                        with m.Case(value):
                            self.statements(m, domain, target, depth - 1)
                    with m.Case("-" * (len(test) - 1) + "1"):
                        self.statements(m, domain, target, depth - 1)
                    if pick.randint(0, 1):
                        with m.Default():
                            self.statements(m, domain, target, depth - 1)
            elif kind == 4:
                offset = self.expression(1).as_unsigned()[:3]
                part = pick.choice([target.bit_select, target.word_select])(offset, pick.randint(1, 2))
                domain += part.eq(self.expression(2))
            elif kind == 5 and len(target) > 1:
                start = pick.randrange(len(target) - 1)
                domain += target[start : pick.randint(start + 1, len(target))].eq(self.expression(3))
            else:
                domain += target.eq(self.expression(3))

    def expression(self, depth: int) -> Value:
        pick = self.random
        if not depth or pick.random() < 0.1:
            return pick.choice([*self.values, Const(pick.randint(0, 9)), Const(-pick.randint(1, 5))])
        value = self._operator(pick, depth)
        if len(value) > 24:  # what is wider teaches nothing more
            value = value[:24]
        return value

    def _operator(self, pick: random.Random, depth: int) -> Value:
        a, b = self.expression(depth - 1), self.expression(depth - 1)
        short = b.as_unsigned()[:3]
        wide = Cat(a, Const(0, 24))  # Amaranth's simulator differs from its netlist beyond the end
        kinds = [
            lambda: a & b, lambda: a | b, lambda: a ^ b, lambda: ~a, lambda: -a,
            lambda: a + b, lambda: a - b, lambda: a[:6] * b[:6],
            lambda: a == b, lambda: a != b, lambda: a < b, lambda: a >= b, lambda: a > b, lambda: a <= b,
            lambda: a.any(), lambda: a.all(), lambda: a.xor(), lambda: a.bool(),
            lambda: a << short, lambda: a.as_unsigned() >> short, lambda: a.as_unsigned() // 3,
            lambda: a.as_unsigned() % 5, lambda: a.as_signed(), lambda: a.as_unsigned(),
            lambda: Cat(a, b), lambda: a.replicate(2), lambda: a.rotate_left(1), lambda: a.shift_left(2),
            lambda: a[pick.randrange(len(a)) :], lambda: a[: pick.randint(1, len(a))],
            lambda: wide.bit_select(short, 2), lambda: wide.word_select(short, 3),
            lambda: Mux(self.expression(1), a, b), lambda: Array([a, b, a ^ 1])[short[:2]],
            lambda: a.matches("1" + "-" * (len(a) - 1), 0),
        ]  # fmt: skip
        value = Value.cast(pick.choice(kinds)())
        return value if len(value) else a


def stimulus(seed: int) -> list[dict[str, int]]:
    """Return the inputs of each cycle, as they are without a sign."""
    pick = random.Random(seed)
    return [{name: pick.getrandbits(shape.width) for name, shape in INPUTS.items()} for _ in range(CYCLES)]


def in_amaranth(component: Any, inputs: list[dict[str, int]], outputs: list[str]) -> list[list[int]]:
    """Return the outputs of each cycle in Amaranth's simulator."""
    seen = []

    async def bench(ctx: Any) -> None:
        for row in inputs:
            for name, value in row.items():
                port = getattr(component, name)
                ctx.set(Value.cast(port).as_unsigned(), value)
            await ctx.delay(1e-7)
            seen.append([ctx.get(Value.cast(getattr(component, name)).as_unsigned()) for name in outputs])
            await ctx.tick()

    top = Module()
    top.submodules.component = component
    idle = Signal()
    top.d.sync += idle.eq(~idle)
    simulator = Simulator(top)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


def in_icarus(
    printed: Printed, inputs: list[dict[str, int]], outputs: list[str], folder: Path
) -> list[list[int]]:
    """Return the outputs of each cycle of the printed text in Icarus, which is read without a warning."""
    top = printed.tops[0]
    ports = re.findall(r"^  (input|output)(?: reg)? +(?:\[(\d+):0\] +)?(\w+),?", printed.modules[top].text, re.M)
    declared = [f"{'reg' if d == 'input' else 'wire'} [{w or 0}:0] {n};" for d, w, n in ports]
    clocked = any(name == "clk" for _, _, name in ports)
    steps = []
    for row in inputs:
        steps += [f"{name} = {value};" for name, value in row.items() if any(n == name for _, _, n in ports)]
        steps += ["#1;", f'$display("{" %b" * len(outputs)}", {", ".join(outputs)});']
        steps += ["clk = 1; #1; clk = 0; #1;"] if clocked else ["#1;"]
    bench = [
        "`timescale 1ns/1ns", "module bench;", *declared,
        f"{top} dut ({', '.join(f'.{n}({n})' for _, _, n in ports)});",
        "initial begin", *(["clk = 0; rst = 0;"] if clocked else []), *steps, "end", "endmodule",
    ]  # fmt: skip
    (folder / "top.v").write_text("`timescale 1ns/1ns\n" + printed.text)
    (folder / "bench.v").write_text("\n".join(bench))
    for command in (["iverilog", "-Wall", "-g2005", "-o", "run", "bench.v", "top.v"], ["vvp", "-n", "run"]):
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert not ended.returncode, ended.stderr
        assert not ended.stderr
        assert command[0] == "vvp" or not ended.stdout, ended.stdout
    rows = [line.split() for line in ended.stdout.splitlines()]
    assert "x" not in ended.stdout
    return [[int(value, 2) for value in row] for row in rows]


@pytest.mark.parametrize("seed", range(12))
def test_random_logic_does_what_the_component_does(seed: int, tmp_path: Path) -> None:
    outputs = [f"out{number}" for number in range(8)]
    printed = print_design(Random(seed), name="top")
    inputs = stimulus(seed)
    assert in_icarus(printed, inputs, outputs, tmp_path) == in_amaranth(Random(seed), inputs, outputs)
