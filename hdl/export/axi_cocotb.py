"""How a bench for cocotb speaks with AXI4-Stream terminals: by the drivers of cocotbext-axi."""

from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.hdl.emit.network import control_ports, identifier
from fingerpost.hdl.export.bench_plan import longest_packet, pauses
from fingerpost.hdl.export.cocotb_frame import CocotbSpeech

__all__ = ["axi_cocotb"]

BODY = '''
def content(number):
    """Return the bytes of a packet, and whether it is marked as bad."""
    length = 1 + number % (LONGEST * BYTES)
    return random.Random(number).randbytes(length), number % 7 == 3


def pauses(seed, *, single):
    """Yield true in some cycles; if they are single, never in two that follow each other."""
    rng, paused = random.Random(seed), False
    while True:
        paused = rng.random() < 0.3 and not (single and paused)
        yield paused


def fault(node, frame, due):
    """Return what is wrong with a packet that has come to a node; if nothing, it is done with."""
    kept = frame.tkeep or [1] * len(frame.tdata)
    data = bytes(byte for byte, keep in zip(frame.tdata, kept) if keep)
    source = frame.tuser[0] >> 1
    if set(frame.tdest) != {node}:
        return "a beat whose tdest is another node"
    if {user >> 1 for user in frame.tuser} != {source}:
        return "a beat of another source inside a packet"
    if (source, node) not in due:
        return f"a packet of {source} that was not sent, or for the second time"
    sent, bad = due[source, node]
    if data != sent:
        return f"other data than {source} has sent"
    if [user & 1 for user in frame.tuser] != [0] * (len(kept) - BYTES) + [bad] * BYTES:
        return f"another error mark than {source} has sent"
    del due[source, node]
    return ""


async def ticks(clk, bits, half):
    """Drive a clock."""
    while True:
        clk.value = 0
        await Timer(half, "ns")
        clk.value = (1 << bits) - 1
        await Timer(half, "ns")


@cocotb.test()
async def packets_between_all_terminals(dut):
    """Each comes once, where it should, as it was sent, and nothing is counted."""
    dut._log.setLevel("WARNING")  # and the drivers': they tell of every packet
    due = {pair: content(number) for number, pair in enumerate(packets())}
    count = len(due)
    for name in (@INPUTS@):
        getattr(dut, name).value = 0
    cocotb.start_soon(ticks(dut.clk, PORTS["clk"], @HALF@))
    resets, sinks = [(dut.rst, PORTS["rst"])], {}
    for node in TERMINALS:
        clock, reset = @CLOCK@
        source, sinks[node] = (
            kind(AxiStreamBus.from_prefix(dut, f"{side}_axis_{node}"), clock, reset)
            for kind, side in ((AxiStreamSource, "s"), (AxiStreamSink, "m"))
        )
@OWN@
        if PAUSES:
            source.set_pause_generator(pauses(node, single=True))
        sinks[node].set_pause_generator(pauses(~node, single=False))
        for (start, to), (data, bad) in due.items():
            if start == node:
                source.send_nowait(AxiStreamFrame(data, tdest=to, tuser=int(bad)))
    for reset, bits in resets:
        reset.value = (1 << bits) - 1
    await ClockCycles(clock, 4)
    for reset, _ in resets:
        reset.value = 0

    faults, idle, cycles = [], 0, 0
    while idle < (LIMIT if due and not faults else CALM) and len(faults) < 10:
        await RisingEdge(clock)
        idle, cycles = idle + 1, cycles + 1
        for node, sink in sinks.items():
            while not sink.empty():
                idle = 0
                wrong = fault(node, sink.recv_nowait(compact=False), due)
                faults += [f"node {node}: {wrong}"] * bool(wrong)
    faults += [f"{name} is {getattr(dut, name).value}" for name in COUNTERS
               if int(getattr(dut, name).value)]
    assert not faults, "; ".join(faults)
    assert not due, f"{count - len(due)} of {count} packets came"
    cocotb.log.info("%d packets, %d cycles", count, cycles)
'''

OWN = """
        cocotb.start_soon(ticks(clock, 1, 5))
        resets.append((reset, 1))
"""


def axi_cocotb(network: Network) -> CocotbSpeech | None:
    """Return how packets go in and out of the module with separate ports.

    None if the clock of terminals is part of a vector, of which no driver can wait for an edge.
    """
    crosses = "clock" in network.terminal.describe()
    if network.link.own_clocks and not crosses:
        return None
    own = '(getattr(dut, f"axis_{node}_{name}") for name in ("clk", "rst"))'
    inputs = [port.name for port in control_ports(network) if port.direction == "input"]
    body = BODY
    for mark, part in {
        "INPUTS": "".join(f'"{port}", ' for port in inputs).rstrip(),
        "HALF": "6" if crosses else "5",
        "CLOCK": own if crosses else "dut.clk, dut.rst",
    }.items():
        body = body.replace(f"@{mark}@", part)
    return CocotbSpeech(
        module=f"{identifier(network.name)}_streams",
        needs=" and cocotbext-axi",
        libraries="import json\nimport random\nimport sys",
        imports=(
            "from cocotb.triggers import ClockCycles, RisingEdge, Timer\n"
            "from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource"
        ),
        constants=(
            f'TERMINALS, BYTES = FACTS["terminals"], {AxiLayout.of(network).bytes}\n'
            f"LONGEST = {longest_packet(network)}  # beats of a packet\n"
            f"PAUSES = {pauses(network)}  # whether no time-out is so short that one would reach it"
        ),
        body=body.replace("@OWN@\n", OWN.lstrip("\n") if crosses else ""),
    )
