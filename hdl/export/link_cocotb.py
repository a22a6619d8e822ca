"""How a bench for cocotb speaks with terminals that are OS-Links: over their wires, as peers do."""

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import control_ports, identifier
from fingerpost.hdl.export.bench_plan import longest_data, longest_pause
from fingerpost.hdl.export.cocotb_frame import CocotbSpeech

__all__ = ["link_cocotb"]

BODY = '''
class LinkPeer:
    """What is at the other end of two wires: it has a bit time of its own, and knows no clock."""

    def __init__(self, hears, says, place):
        self.hears, self.says, self.rng = hears, says, random.Random(place)
        self.bit = 100 * CLOCKS * (99 + place % 3)  # in ps; off by a hundredth, or not
        self.early = 0 if place % 4 == 3 else 0.75  # as link adaptors, which never are
        self.queue, self.waits, self.rests = deque(), False, 0  # bytes to send, the last one sent
        self.heard, self.comes, self.owed = bytearray(), False, 0
        self.place, self.faults = 11, []  # which bit of a byte is sent
        says.value = 0

    def start(self):
        """Begin; the other end must have left its reset."""
        cocotb.start_soon(self.hear())
        cocotb.start_soon(self.speak())

    async def bits(self, count):
        """Wait so many bit times."""
        await Timer(max(1, round(count * self.bit)), "ps")

    async def hear(self):
        """Sample packets in the middles of their bits, and acknowledge some bytes at once."""
        while True:
            await RisingEdge(self.hears)
            hasty = LATE and self.place < 9
            await self.bits(0.5)
            if self.hears.value != 1:
                self.faults.append("a pulse shorter than a bit")
                continue
            await self.bits(1)
            if self.hears.value != 1:
                if not self.waits:
                    self.faults.append("an acknowledge for nothing")
                if hasty:
                    self.faults.append("an acknowledge before the end of a byte")
                self.waits = False
                self.rests = get_sim_time("ps") + self.pause(16)
                continue
            if self.comes:
                self.faults.append("a byte before the last one was acknowledged")
            self.comes, early = True, self.rng.random() < self.early
            self.owed += early
            byte = 0
            for place in range(8):
                await self.bits(1)
                byte |= (self.hears.value == 1) << place
            await self.bits(1)
            if self.hears.value != 0:
                self.faults.append("a byte without a stop bit")
            self.heard.append(byte)
            if not early:
                cocotb.start_soon(self.take())

    async def take(self):
        """Acknowledge a byte that is complete, now and then after a while."""
        await Timer(1 + self.pause(8), "ps")
        self.owed += 1

    def pause(self, often):
        """Return how long to pause, in ps; mostly not."""
        return 0 if self.rng.randrange(often) else self.rng.randrange(PAUSE * self.bit)

    async def speak(self):
        """Send acknowledges and bytes: the former first, the latter when the last was taken."""
        await self.bits(32 + self.rng.random())
        while True:
            if self.owed:
                self.owed, self.comes = self.owed - 1, False
                await self.packet([1, 0])
            elif self.queue and not self.waits and get_sim_time("ps") >= self.rests:
                byte = self.queue.popleft()
                await self.packet([1, 1, *(byte >> place & 1 for place in range(8)), 0])
                self.place = 11
            else:
                await self.bits(0.25)

    async def packet(self, levels):
        """Put the bits of a packet on the wire; stop bits may be short where nobody looks."""
        for place, level in enumerate(levels):
            self.says.value = level
            if len(levels) > 2:
                self.place = place
                self.waits = self.waits or place == 2  # it cannot have been acknowledged before
            await self.bits(0.5 if SHORT and place == 10 and levels[2] else 1)


def word(number):
    """Return the two bytes of a number."""
    return number.to_bytes(2, "little")


def content(number):
    """Return the data of a message; the longest and the shortest are the first."""
    short = number // 2 % (LONGEST + 1)
    return random.Random(number).randbytes(short if number % 2 else LONGEST - short)


def fault(node, said, due):
    """Return what is wrong with a message that has come; if nothing, it is done with."""
    source, data, status = int.from_bytes(said[:2], "little"), said[4:-1], said[-1]
    if (source, node) not in due:
        return f"a packet of {source} that was not sent, or for the second time"
    sent = due.pop((source, node))
    if data != sent:
        return f"other data than {source} has sent"
    return f"a status of {status} of {source}" if status else ""


async def ticks(clk, bits):
    """Drive a clock."""
    while True:
        clk.value = 0
        await Timer(5, "ns")
        clk.value = (1 << bits) - 1
        await Timer(5, "ns")


@cocotb.test()
async def packets_between_all_terminals(dut):
    """Each comes once, where it should, as it was sent, and nothing is counted."""
    due = {pair: content(number) for number, pair in enumerate(packets())}
    count = len(due)
    for name in (@INPUTS@):
        getattr(dut, name).value = 0
    dut.rst.value = (1 << PORTS["rst"]) - 1
    peers = {
        node: LinkPeer(getattr(dut, f"link_out_{node}"), getattr(dut, f"link_in_{node}"), place)
        for place, node in enumerate(TERMINALS)
    }
    for (source, to), data in due.items():
        peers[source].queue.extend(word(to) + word(len(data)) + data)
    cocotb.start_soon(ticks(dut.clk, PORTS["clk"]))
    await Timer(42, "ns")
    dut.rst.value = 0
    for peer in peers.values():
        peer.start()

    faults, idle, cycles = [], 0, 0
    while idle < (LIMIT if due and not faults else CALM) and len(faults) < 10:
        await Timer(10 * CLOCKS, "ns")
        idle, cycles = idle + CLOCKS, cycles + CLOCKS
        for node, peer in peers.items():
            if len(peer.heard) >= 5 + int.from_bytes(peer.heard[2:4], "little"):
                idle, length = 0, 5 + int.from_bytes(peer.heard[2:4], "little")
                peer.faults.append(fault(node, bytes(peer.heard[:length]), due))
                del peer.heard[:length]
            faults += [f"node {node}: {wrong}" for wrong in peer.faults if wrong]
            peer.faults.clear()
    for node, peer in () if due else peers.items():  # of what has not come they are no wonder
        faults += [f"node {node}: a byte that is not acknowledged"] * peer.waits
        faults += [f"node {node}: bytes that are no packet"] * bool(peer.heard)
    faults += [f"{name} is {getattr(dut, name).value}" for name in COUNTERS
               if int(getattr(dut, name).value)]
    assert not faults, "; ".join(faults)
    assert not due, f"{count - len(due)} of {count} packets came"
    dut._log.info("%d packets, %d cycles", count, cycles)
'''


def link_cocotb(network: Network) -> CocotbSpeech:
    """Return how messages go in and out of the module with separate wires."""
    inputs = [port.name for port in control_ports(network) if port.direction == "input"]
    return CocotbSpeech(
        module=f"{identifier(network.name)}_links",
        needs="",
        libraries="import json\nimport random\nimport sys\nfrom collections import deque",
        imports=(
            "from cocotb.triggers import RisingEdge, Timer\nfrom cocotb.utils import get_sim_time"
        ),
        constants=(
            'TERMINALS, CLOCKS = FACTS["terminals"], FACTS["terminal"]["clocks_per_bit"]\n'
            'LATE = FACTS["terminal"]["acknowledge"] == "late"  # no byte before its end\n'
            'SHORT = FACTS["terminal"]["stop"] == "ignored"  # stop bits may be short\n'
            f"LONGEST, PAUSE = {longest_data(network)}, {longest_pause(network)}  "
            "# bytes of data; bit times"
        ),
        body=BODY.replace("@INPUTS@", "".join(f'"{port}", ' for port in inputs).rstrip()),
    )
