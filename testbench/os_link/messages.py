"""Messages between peers at the OS-Links of a network: what is sent, and what is due."""

import random
from collections import defaultdict, deque
from typing import Any

from cocotb.triggers import Timer

from fingerpost.golden.network.network import Network
from fingerpost.testbench.os_link.link_peer import LinkPeer
from fingerpost.testbench.runner import tick

__all__ = ["PERIOD", "Exchange", "word"]

PERIOD = 1000
"""Nanoseconds of a clock; only ratios matter."""


def word(number: int) -> bytes:
    """Return two bytes, the lower first."""
    return bytes([number & 0xFF, number >> 8])


class Exchange:
    """The peers, all that is sent, and what is wrong with what comes."""

    def __init__(self, dut: Any, network: Network, given: dict[str, Any]) -> None:
        self.dut, self.network, self.given = dut, network, given
        self.terminals = network.topology.terminals.tolist()
        self.rng = random.Random(given["seed"])
        self.clocks = network.terminal.describe()["clocks_per_bit"]
        self.bit = PERIOD * self.clocks
        self.due: defaultdict[tuple[int, int], deque[bytes]] = defaultdict(deque)
        self.bad: list[tuple[int, int, bytes]] = []  # messages that came with a status
        self.packets = self.delivered = self.refused = 0
        self.message = ""
        self.peers = {node: self._peer(node) for node in self.terminals}

    def _peer(self, node: int) -> LinkPeer:
        off = self.rng.choice([-1, 1, self.rng.uniform(-1, 1)]) * self.given["offset"]
        return LinkPeer(
            getattr(self.dut, f"link_out_{node}"),
            getattr(self.dut, f"link_in_{node}"),
            bit=round(self.bit * (1 + off)),
            rng=random.Random(self.rng.random()),
            late=self.rng.random() < self.given["late"],
            pause=self.given["pause"],
        )

    def send(self, source: int, to: int, data: bytes | None = None) -> None:
        """Let a terminal send a message; it is due if its destination has a terminal."""
        content = self.rng.randbytes(self.rng.randint(0, self.given["most"]))
        content = content if data is None else data
        self.peers[source].send(word(to) + word(len(content)) + content)
        longest = self.network.terminal.describe()["longest"]
        if to in self.peers and len(content) <= longest:
            self.due[source, to].append(content)
            self.packets += 1
        else:
            self.refused += 1

    def arrive(self) -> int:
        """Take the messages that are complete; return how many are good."""
        before = self.delivered
        for node, peer in self.peers.items():
            said = peer.received
            while len(said) >= 5 and len(said) >= 5 + said[2] + 256 * said[3]:
                source, length = said[0] + 256 * said[1], said[2] + 256 * said[3]
                data, status = bytes(said[4 : 4 + length]), said[4 + length]
                del said[: 5 + length]
                self._check(source, node, data, status)
            if peer.faults:
                self._wrong(f"node {node}: {peer.faults[0]}")
        return self.delivered - before

    def _check(self, source: int, node: int, data: bytes, status: int) -> None:
        due = self.due[source, node]
        if status:
            self.bad.append((source, node, data))
            if status != 1:
                self._wrong(f"node {node}: a status of {status}")
        elif data in (list(due)[:1] if self.network.in_order else due):
            due.remove(data)
            self.delivered += 1
        else:
            self._wrong(f"node {node}: {data.hex()} came, which {source} did not send, or not next")

    def _wrong(self, what: str) -> None:
        self.message = self.message or what

    async def settle(self, *, but: int = -1) -> None:
        """Wait until all that is due has come, but to one node, and all has been sent."""
        quiet = 0
        while not self.message:
            await Timer(100 * self.bit, "ns")
            quiet = 0 if self.arrive() else quiet + 1
            tick(self.delivered, self.packets)
            missing = sum(len(due) for (_, to), due in self.due.items() if to != but)
            if not missing and all(peer.quiet for peer in self.peers.values()):
                return
            if quiet == 10 * self.given["patience"]:
                self._wrong(f"{missing} messages do not come out")

    async def rest(self, bits: int) -> None:
        """Wait for some bit times."""
        await Timer(bits * self.bit, "ns")
        self.arrive()

    def counted(self, name: str) -> list[int]:
        """Return a counter of every terminal."""
        value = int(getattr(self.dut, name).value)
        return [value >> 8 * node & 0xFF for node in self.terminals]

    def expect(self, name: str, **counts: int) -> None:
        """See to it that a counter is 0 but at some places among the terminals."""
        due = [counts.get(f"at{place}", 0) for place in range(len(self.terminals))]
        if self.counted(name) != due:
            self._wrong(f"{name} is {self.counted(name)}, not {due}")
