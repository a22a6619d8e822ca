"""A machine for the C driver: threads instead of processors, models of mailboxes, no network.

Packets arrive in the order in which they were sent, one after the other at each terminal.
"""

import ctypes
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import MailboxTerminal
from fingerpost.hdl.export.software import mailbox_files
from fingerpost.hdl.terminal.mailbox_map import mailbox_map
from tests.hdl.export.mailbox_model import Beat, Mailbox

SHIM = """
#include <stdint.h>
uint32_t (*machine_read)(uintptr_t, uint32_t);
void (*machine_write)(uintptr_t, uint32_t, uint32_t);
#define LARGE_READ(box, at) machine_read((uintptr_t)(box)->registers, (at))
#define LARGE_WRITE(box, at, word) machine_write((uintptr_t)(box)->registers, (at), (word))
char machine_memory[65536] __attribute__((aligned(1024)));
#define LARGE_ADDRESS(pointer) ((uint32_t)((const char *)(pointer) - machine_memory))
#include "NAME.c"
uint32_t add(uint32_t one, uint32_t other) { return one + other; }
"""

READ = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_size_t, ctypes.c_uint32)
WRITE = ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_uint32)

STEPS = 4
"""Of all mailboxes, from one access of a processor to its next."""

STRICT = ("-std=c99", "-pedantic", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror")


class Box(ctypes.Structure):
    """`mailbox_t`."""

    _fields_ = (
        ("registers", ctypes.c_void_p),
        ("node", ctypes.c_uint32),
        ("rank", ctypes.c_uint32),
        ("kept", ctypes.c_void_p),
        ("kept_room", ctypes.c_uint),
        ("kept_words", ctypes.c_uint),
        ("rings", ctypes.c_byte * 4096),
    )


class Machine:
    """Mailboxes of a network, and the driver, compiled for the host.

    Attributes
    ----------
    driver : ctypes library
    boxes : dict of Box
        By node.
    models : dict of Mailbox
        By node.
    """

    def __init__(self, network: Network, folder: Path, compiler: str = "gcc") -> None:
        terminal = network.terminal
        assert isinstance(terminal, MailboxTerminal)
        self.terminal = terminal
        self.map, self.nodes = mailbox_map(network), network.topology.terminals.tolist()
        self.classes = network.classes
        self.names = {at: (register.name, c) for register, c, at in self.map.places()}
        self.constants = dict(self.map.constants())
        self.lock, self.refused = threading.Lock(), 0
        self.driver = self._compiled(network, folder, compiler)
        self.memory = (ctypes.c_uint32 * 16384).in_dll(self.driver, "machine_memory")
        self.models = {
            node: Mailbox(
                classes=self.classes,
                send_words=terminal.send_words,
                receive_words=terminal.receive_words,
                packet_limit=terminal.packet_limit,
                known=self.nodes,
                descriptors=terminal.descriptors,
                memory=self.memory if terminal.memory_words else None,
            )
            for node in self.nodes
        }
        self.under_way: dict[tuple[int, int], deque[Beat]] = {
            (node, c): deque() for node in self.nodes for c in range(self.classes)
        }
        self.blocked: set[int] = set()  # nodes whose streams take nothing
        self._read, self._write = READ(self.read), WRITE(self.write)
        for name, function in (("machine_read", self._read), ("machine_write", self._write)):
            pointer = ctypes.cast(function, ctypes.c_void_p).value
            ctypes.c_void_p.in_dll(self.driver, name).value = pointer
        self.boxes = {node: Box() for node in self.nodes}

    def _compiled(self, network: Network, folder: Path, compiler: str) -> Any:
        files = mailbox_files(network)
        for name, text in files.items():
            (folder / name).write_text(text)
        name = next(file for file in files if file.endswith(".c")).removesuffix(".c")
        self.prefix = name
        (folder / "shim.c").write_text(SHIM.replace("NAME", name).replace("LARGE", name.upper()))
        command = [compiler, *STRICT, "-shared", "-fPIC", "-o", "driver.so", "shim.c"]
        subprocess.run(command, cwd=folder, check=True)
        return ctypes.CDLL(str(folder / "driver.so"))

    def step(self) -> None:
        """Let all mailboxes send a packet, receive a word, and serve a descriptor."""
        for node, model in self.models.items():
            for c, (sender, receiver) in enumerate(
                zip(model.senders, model.receivers, strict=True)
            ):
                arriving = self.under_way[node, c]
                if arriving and receiver.ready:
                    receiver.arrive(arriving.popleft())
                if sender.packets and node not in self.blocked:
                    to, words = sender.packets.popleft()
                    last = len(words) - 1
                    beats = (Beat(word, i == last, node) for i, word in enumerate(words))
                    self.under_way[to, c].extend(beats)
            model.serve()

    def read(self, node: int, at: int) -> int:
        """Read a register, some time after the last access."""
        with self.lock:
            for _ in range(STEPS):
                self.step()
            name, c = self.names[at]
            value, refused = self.models[node].read(name, c)
            self.refused += refused
            return {"node": node}.get(name, self.constants.get(at, value))

    def write(self, node: int, at: int, word: int) -> None:
        """Write a register, some time after the last access."""
        with self.lock:
            for _ in range(STEPS):
                self.step()
            self.refused += self.models[node].write(*self.names[at], word)

    def init(self) -> list[int]:
        """Start all drivers; return their answers."""
        return [self.call("init", node, ctypes.c_void_p(node)) for node in self.nodes]

    def call(self, name: str, node: int, *arguments: Any) -> int:
        """Call a function of the driver at a node."""
        answer: int = getattr(self.driver, f"{self.prefix}_{name}")(
            ctypes.byref(self.boxes[node]), *arguments
        )
        return answer

    def send(self, node: int, to: int, words: Sequence[int], c: int = 0) -> int:
        """Send a packet if there is room."""
        array = (ctypes.c_uint32 * max(1, len(words)))(*words)
        return self.call("try_send", node, c, to, array, len(words))

    def receive(self, node: int, c: int = 0, room: int = 64) -> tuple[int, int, list[int]]:
        """Take a packet; return the answer, the source and the words."""
        array, source = (ctypes.c_uint32 * room)(), ctypes.c_uint(0)
        answer = self.call("try_receive", node, c, ctypes.byref(source), array, room)
        return answer, source.value, list(array)[: max(0, answer)]

    def at(self, word: int) -> Any:
        """Return a pointer to a word of memory, which all nodes share."""
        return ctypes.c_void_p(ctypes.addressof(self.memory) + 4 * word)

    def fetch(self, node: int, c: int = 0) -> tuple[int, int, list[int]]:
        """Take a buffer that was provided; return the answer, the source and the words."""
        source, words = ctypes.c_uint(0), ctypes.POINTER(ctypes.c_uint32)()
        answer = self.call("try_fetch", node, c, ctypes.byref(source), ctypes.byref(words))
        return answer, source.value, words[: max(0, answer)] if answer > 0 else []

    def wait(self, node: int) -> None:
        """Let some cycles pass, in which packets arrive."""
        for _ in range(16):
            self.call("poll", node)

    def everywhere(self, program: Callable[[int], None], seconds: float = 60) -> None:
        """Run a program at all terminals at once, and wait until all have ended."""
        failed: list[BaseException] = []

        def run(node: int) -> None:
            try:
                program(node)
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=run, args=(node,), daemon=True) for node in self.nodes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(seconds)
        assert not any(thread.is_alive() for thread in threads), "a program does not end"
        if failed:
            raise failed[0]
