"""How a bench for cocotb speaks with terminals that have credits."""

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import control_ports, identifier
from fingerpost.hdl.export.cocotb_frame import CocotbSpeech
from fingerpost.hdl.export.headers import table

__all__ = ["credit_cocotb"]

BODY = '''
def flits(number, header, width, body):
    """Return the flits of a packet: the header, the number in so many flits, an empty tail."""
    data = [header, *(number >> width * i & (1 << width) - 1 for i in range(body)), 0]
    last = len(data) - 1
    return [word << 2 | (i == last) << 1 | (i == 0) for i, word in enumerate(data)]


class Receiver:
    """What has come to a terminal, and what of it is not as it should be."""

    def __init__(self, node, message_class, width, body):
        self.node, self.message_class, self.width, self.body = node, message_class, width, body
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
        elif sent[which][1] != self.node or which % CLASSES != self.message_class:
            self.faults.append("a packet for another node or of another class")
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
    for number, (source, to) in enumerate(sent):  # packet p is of message class p % CLASSES
        own = flits(number, words.header(source, to), width, body)
        waiting[source] += [(number % CLASSES, flit) for flit in own]
    for queue in waiting.values():
        queue.reverse()
    channels = [(node, c) for node in TERMINALS for c in range(CLASSES)]
    credits = dict.fromkeys(channels, CREDITS)
    receivers = {(node, c): Receiver(node, c, width, body) for node, c in channels}
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
    while idle < (CALM if len(received) == len(sent) else LIMIT):
        valid = data = 0
        for node, queue in waiting.items():
            if queue and credits[node, queue[-1][0]]:
                c, flit = queue.pop()
                credits[node, c] -= 1
                valid |= 1 << node * CLASSES + c
                data |= flit << node * FLIT
        dut.inject_valid.value, dut.inject_flit.value = valid, data
        await cycle()
        cycles += 1
        came, back = int(dut.eject_valid.value), int(dut.inject_credit.value)
        idle = 0 if came else idle + 1
        if came:
            flit = int(dut.eject_flit.value)
            for (node, c), receiver in receivers.items():
                if came >> node * CLASSES + c & 1:
                    receiver.take(flit >> node * FLIT & (1 << FLIT) - 1, sent, received)
        for node, c in channels:
            credits[node, c] += back >> node * CLASSES + c & 1
        dut.eject_credit.value = came  # every flit is taken at once
    faults = [f"node {x.node}: {fault}" for x in receivers.values() for fault in x.faults]
    faults += [f"{name} is {getattr(dut, name).value}" for name in COUNTERS
               if int(getattr(dut, name).value)]
    assert not faults, "; ".join(faults[:10])
    assert len(received) == len(sent), f"{len(received)} of {len(sent)} packets came"
    dut._log.info("%d packets, %d cycles", len(sent), cycles)
'''


def credit_cocotb(network: Network) -> CocotbSpeech | None:
    """Return how flits go in and out; None if headers are not listed."""
    if table(network) is None:
        return None
    inputs = ["inject_valid", "inject_flit", "eject_credit"]
    inputs += [port.name for port in control_ports(network) if port.direction == "input"]
    return CocotbSpeech(
        module=f"{identifier(network.name)}_network",
        needs="",
        libraries="import json\nimport sys",
        imports="from cocotb.triggers import Timer",
        constants=(
            'TERMINALS, CREDITS, FLIT, CLASSES = FACTS["terminals"], '
            f"{network.terminal_depth}, {network.flit.width}, {network.classes}"
        ),
        body=BODY.replace("@INPUTS@", ", ".join(f'"{port}"' for port in inputs)),
    )
