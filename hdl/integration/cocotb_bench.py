"""A test bench for cocotb, which takes all that it must know from the files beside it."""

from golden.network import Network
from hdl.integration.bench_plan import plan
from hdl.integration.headers import table
from hdl.network import control_ports, identifier, network_ports
from hdl.terminal.credit import CreditTerminalEnd

__all__ = ["cocotb_bench"]

TEXT = '''"""Every terminal of @NAME@ sends packets to @WHOM@; for cocotb 2.

As a program it builds and runs itself: python @NAME@_cocotb.py [icarus|verilator]
"""

import json
import sys
from pathlib import Path

import cocotb
from cocotb.triggers import Timer

HERE = Path(__file__).resolve().parent
FACTS = json.loads((HERE / "@NAME@.json").read_text(encoding="utf-8"))
PORTS = {port["name"]: port["bits"] for port in FACTS["network_ports"]}
TERMINALS, CREDITS, FLIT = FACTS["terminals"], @CREDITS@, @FLIT@
COUNTERS = [@COUNTERS@]
EACH, STRIDE, LIMIT = @EACH@, @STRIDE@, @LIMIT@


def packets():
    """Return (source, destination) of every packet; its place is its number."""
    count = len(TERMINALS)
    return [
        (source, TERMINALS[(place + 1 + step * STRIDE) % count])
        for place, source in enumerate(TERMINALS)
        for step in range(EACH)
    ]


def flits(number, header, width, body):
    """Return the flits of a packet: the header, the number in so many flits, an empty tail."""
    data = [header, *(number >> width * i & (1 << width) - 1 for i in range(body)), 0]
    last = len(data) - 1
    return [word << 2 | (i == last) << 1 | (i == 0) for i, word in enumerate(data)]


class Receiver:
    """What has come to a terminal, and what of it is not as it should be."""

    def __init__(self, node, width, body):
        self.node, self.width, self.body = node, width, body
        self.parts, self.faults = [], []

    def take(self, flit, sent, received):
        """Take a flit; a packet that is complete goes to `received`."""
        head, tail, data = flit & 1, flit >> 1 & 1, flit >> 2
        if head != (not self.parts):
            self.faults.append("a head inside a packet" if head else "a flit outside of a packet")
            self.parts = []
        self.parts.append(data)
        if not tail:
            return
        _, *number, end = self.parts if len(self.parts) > 1 else (0, 0)
        which = sum(word << self.width * i for i, word in enumerate(number))
        if len(number) != self.body:
            self.faults.append("a packet of another length")
        elif end or which >= len(sent):
            self.faults.append("other data than were sent")
        elif sent[which][1] != self.node:
            self.faults.append("a packet for another node")
        elif which in received:
            self.faults.append("a packet for the second time")
        else:
            received.add(which)
        self.parts = []


@cocotb.test()
async def packets_between_all_terminals(dut):
    """Each comes once, where it should, whole and in one piece, and nothing is counted."""
    import @NAME@_header as words

    sent, width = packets(), FACTS["router"]["flit_width"]
    body = -(-max(1, (len(sent) - 1).bit_length()) // width)
    waiting = {node: [] for node in TERMINALS}
    for number, (source, to) in enumerate(sent):
        waiting[source] += flits(number, words.header(source, to), width, body)
    for queue in waiting.values():
        queue.reverse()
    credits = dict.fromkeys(TERMINALS, CREDITS)
    receivers = {node: Receiver(node, width, body) for node in TERMINALS}
    received = set()

    async def cycle():
        await Timer(5, "ns")
        dut.clk.value = (1 << PORTS["clk"]) - 1
        await Timer(5, "ns")
        dut.clk.value = 0

    for name in (@INPUTS@):
        getattr(dut, name).value = 0
    dut.clk.value = 0
    dut.rst.value = (1 << PORTS["rst"]) - 1
    for _ in range(FACTS["reset"]["cycles"]):
        await cycle()
    dut.rst.value = 0

    idle = cycles = 0
    while idle < (100 if len(received) == len(sent) else LIMIT):
        valid = data = 0
        for node, queue in waiting.items():
            if queue and credits[node]:
                credits[node] -= 1
                valid |= 1 << node
                data |= queue.pop() << node * FLIT
        dut.inject_valid.value, dut.inject_flit.value = valid, data
        await cycle()
        cycles += 1
        came, back = int(dut.eject_valid.value), int(dut.inject_credit.value)
        idle = 0 if came else idle + 1
        if came:
            flit = int(dut.eject_flit.value)
            for node, receiver in receivers.items():
                if came >> node & 1:
                    receiver.take(flit >> node * FLIT & (1 << FLIT) - 1, sent, received)
        for node in TERMINALS:
            credits[node] += back >> node & 1
        dut.eject_credit.value = came  # every flit is taken at once
    faults = [f"node {node}: {fault}" for node in TERMINALS for fault in receivers[node].faults]
    faults += [f"{name} is {getattr(dut, name).value}" for name in COUNTERS
               if int(getattr(dut, name).value)]
    assert not faults, "; ".join(faults[:10])
    assert len(received) == len(sent), f"{len(received)} of {len(sent)} packets came"
    dut._log.info("%d packets, %d cycles", len(sent), cycles)


def main():
    """Build and run it; return how many tests have failed."""
    from cocotb_tools.runner import get_results, get_runner

    listed = (HERE / "@NAME@.f").read_text(encoding="utf-8").splitlines()
    simulator, top = sys.argv[1] if len(sys.argv) > 1 else "icarus", "@NAME@_network"
    runner = get_runner(simulator)
    runner.build(sources=[HERE / file for file in listed if file and not file.startswith("//")],
                 # Names that would be words of C++ are no matter: nobody sees them there.
                 build_args=["-Wno-SYMRSVDWORD"] if simulator == "verilator" else [],
                 hdl_toplevel=top, timescale=("1ns", "1ps"))
    return get_results(runner.test(hdl_toplevel=top, test_module=Path(__file__).stem))[1]


if __name__ == "__main__":
    sys.exit(main())
'''


def cocotb_bench(network: Network) -> str | None:
    """Return a bench that sends packets between all terminals, as `hdl.integration.bench` does.

    None if terminals are of a kind that it does not know, or headers are not listed.
    """
    if network.terminal.kind != CreditTerminalEnd.kind or table(network) is None:
        return None
    sent, clocks, ends = plan(network), ("clk", "rst"), ("inject_", "eject_")
    ports = [port for port in network_ports(network) if port.name not in clocks]
    counters = [port.name for port in ports if not port.name.startswith(ends)]
    inputs = ["inject_valid", "inject_flit", "eject_credit"]
    inputs += [port.name for port in control_ports(network) if port.direction == "input"]
    parts = {
        "INPUTS": ", ".join(f'"{port}"' for port in inputs),
        "NAME": identifier(network.name),
        "WHOM": sent.whom,
        "FLIT": network.flit.width,
        "CREDITS": network.terminal_depth,
        "COUNTERS": ", ".join(f'"{name}"' for name in counters),
        "EACH": sent.each,
        "STRIDE": sent.stride,
        "LIMIT": sent.limit,
    }
    text = TEXT
    for mark, part in parts.items():
        text = text.replace(f"@{mark}@", str(part))
    return text
