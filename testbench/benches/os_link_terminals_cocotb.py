"""OS-Link terminals under peers that know the wires alone: what was sent is what comes out."""

from typing import Any

import cocotb
from cocotb.triggers import Timer

from fingerpost.golden.network.network import build
from fingerpost.testbench.benches.os_link_peers import PERIOD, Messages, word
from fingerpost.testbench.runner import finish, parameters

START = 40
"""Bit times after the reset until peers begin: the ports listen then."""

SHORT = 500
"""Bit times of a time-out up to which messages take so long as to be cut in the middle."""

NO_TERMINAL = 65_535
"""No network here has a node of this number."""


@cocotb.test()
async def delivers(dut: Any) -> None:
    """Send messages between all pairs, and to unknown numbers; then let peers misbehave."""
    given = parameters()
    network = build(given["description"])
    exchange = Messages(dut, network, given)
    await begin(dut, exchange)
    await all_pairs(exchange)
    await exchange.settle()
    refused = exchange.counted("refused")
    exchange.expect(sum(refused) == exchange.refused, f"refused is {refused}")
    for name in ("expired", "lost", "flaws"):
        exchange.count(name)
    if exchange.bad:
        exchange.wrong(f"messages are bad: {exchange.bad}")
    timeout = network.terminal.describe()["timeout"]
    if timeout and not exchange.message:
        await falls_silent(exchange)
        await takes_nothing(exchange)
    if 0 < timeout <= SHORT and not exchange.message:
        await takes_half(exchange)
    if not exchange.message:
        await acknowledges_nothing(exchange)
    if timeout and not exchange.message:
        await is_cut_off(exchange)
    names = ("refused", "expired", "lost", "flaws", "errors")
    counts = {name: sum(exchange.counted(name)) for name in names}
    finish(exchange.message, cycles=0, **exchange.counts(), **counts)


async def begin(dut: Any, exchange: Messages) -> None:
    """Start clocks and peers; nodes may have clocks of their own, which are alike here."""
    ones = (1 << len(dut.clk)) - 1

    async def toggle() -> None:
        while True:
            dut.clk.value = ones
            await Timer(PERIOD // 2, "ns")
            dut.clk.value = 0
            await Timer(PERIOD // 2, "ns")

    dut.rst.value = ones
    cocotb.start_soon(toggle())
    await Timer(5 * PERIOD + PERIOD // 4, "ns")
    dut.rst.value = 0
    await Timer(START * exchange.bit, "ns")
    for peer in exchange.peers.values():
        peer.start()
        await Timer(exchange.rng.randrange(1, PERIOD), "ns")


async def all_pairs(exchange: Messages) -> None:
    """Let every terminal send to every other, to itself, and to unknown numbers."""
    given, terminals, rng = exchange.given, exchange.terminals, exchange.rng
    count = exchange.network.topology.terminal_numbers
    longest = exchange.network.terminal.describe()["longest"]
    for source in terminals:
        goals = terminals * given["rounds"]
        goals += [
            rng.choice([count, count + 256, 1 << 15, NO_TERMINAL]) for _ in range(given["odd"])
        ]
        rng.shuffle(goals)
        for goal in goals:
            exchange.say(source, goal)
        if longest <= 2 * given["most"]:
            exchange.say(source, rng.choice(terminals), rng.randbytes(longest + 1))


async def falls_silent(exchange: Messages) -> None:
    """Let a terminal give up messages: before it begins, and in the middle of its data."""
    facts = exchange.network.terminal.describe()
    source, to = exchange.terminals[0], exchange.terminals[-1]
    peer, data = exchange.peers[source], bytes(range(1, 1 + min(40, facts["longest"])))
    sent = len(data) - 4
    for said in (1, 4, 4 + sent):
        peer.send((word(to) + word(len(data)) + data)[:said])
        await exchange.rest(30 * said + 2 * facts["timeout"] + 200)
        exchange.say(source, to)
        await exchange.settle()
    exchange.count("expired", {0: 3})
    # At least the last of them had begun. What was sent comes, and zeros for the rest.
    if not 1 <= len(exchange.bad) <= 2:
        exchange.wrong(f"{len(exchange.bad)} of 3 came bad")
    for origin, node, content in exchange.bad:
        kept = content.rstrip(b"\0")
        if (origin, node, len(content)) != (source, to, len(data)) or not data.startswith(kept):
            exchange.wrong(f"{content.hex()} came of a message given up")
    beat = exchange.network.data_width // 8
    if exchange.bad and not sent - beat < len(exchange.bad[-1][2].rstrip(b"\0")) <= sent:
        exchange.wrong("what was sent before is missing")
    exchange.bad.clear()


async def takes_nothing(exchange: Messages) -> None:
    """Stop a terminal from receiving; others continue, and it recovers when it receives again."""
    timeout = exchange.network.terminal.describe()["timeout"]
    deaf, others = exchange.terminals[-1], exchange.terminals[:-1]
    exchange.peers[deaf].deaf = True
    before = exchange.counted("lost")[-1]
    for source in others:
        exchange.say(source, deaf, bytes([source & 0xFF]) * 20)
    await exchange.rest(2 * timeout + 400)
    for source in others:
        for to in others:
            exchange.say(source, to)
        exchange.say(deaf, source)  # it can still speak
    await exchange.settle(but=deaf)
    await exchange.rest(400)
    lost = before + len(others)
    exchange.count("lost", {len(others): lost})
    exchange.peers[deaf].listen()
    await exchange.rest(1000)
    if len(exchange.bad) != 1 or exchange.bad[0][2].rstrip(b"\0"):
        exchange.wrong(f"{exchange.bad} came of those that were lost")
    for (_, to, _), due in exchange.due.items():
        if to == deaf:
            exchange.packets -= len(due)
            due.clear()
    exchange.bad.clear()
    for source in others:
        exchange.say(source, deaf)
    await exchange.settle()
    exchange.count("lost", {len(others): lost})


async def takes_half(exchange: Messages) -> None:
    """Let a terminal be deaf in the middle of a message that is long on its way."""
    timeout = exchange.network.terminal.describe()["timeout"]
    source, deaf = exchange.terminals[0], exchange.terminals[-1]
    peer, data = exchange.peers[deaf], bytes(range(1, 25))
    before = exchange.counted("lost")[-1]
    exchange.peers[source].pace = timeout / 2
    exchange.peers[source].send(word(deaf) + word(len(data)) + data)
    for _ in range(10 * len(data)):
        await exchange.rest(timeout // 20)
        if len(peer.received) > 4:  # it has the length
            break
    peer.deaf = True
    await exchange.rest(6 * timeout)
    peer.listen()
    if exchange.peers[source].quiet:
        exchange.wrong("the message was not long on its way")
    await exchange.rest(len(data) * (timeout // 2 + 60))
    exchange.peers[source].pace = 0
    exchange.count("lost", {len(exchange.terminals) - 1: before + 1})
    came = [(origin, node, len(content)) for origin, node, content in exchange.bad]
    if came != [(source, deaf, len(data))]:
        exchange.wrong(f"{came} came of a message that was cut")
    elif not data.startswith(exchange.bad[0][2].rstrip(b"\0")):
        exchange.wrong(f"{exchange.bad[0][2].hex()} came of what was cut")
    exchange.bad.clear()
    exchange.say(source, deaf)
    await exchange.settle()


async def acknowledges_nothing(exchange: Messages) -> None:
    """Let a terminal send an acknowledge for nothing: it is counted, and all goes on."""
    source, to = exchange.terminals[0], exchange.terminals[-1]
    exchange.peers[source].acknowledge()
    await exchange.rest(10)
    exchange.say(source, to)
    exchange.say(to, source)
    await exchange.settle()
    exchange.count("flaws", {0: 1})
    if exchange.bad:
        exchange.wrong(f"messages are bad: {exchange.bad}")


async def is_cut_off(exchange: Messages) -> None:
    """Cut the wires of a terminal in the middle of a message that it sends; others go on."""
    timeout = exchange.network.terminal.describe()["timeout"]
    *others, lone = exchange.terminals
    lost, expired = exchange.counted("lost")[-1], exchange.counted("expired")[-1]
    data = bytes(range(1, 21))
    exchange.peers[lone].send((word(others[0]) + word(len(data)) + data)[:16])
    while not exchange.peers[lone].quiet:
        await exchange.rest(10)
    exchange.peers[lone].cut()
    for source in others:
        exchange.say(source, lone, data)
        for to in others:
            exchange.say(source, to)
    await exchange.settle(but=lone)
    await exchange.rest(2 * timeout + 400 * len(others))
    exchange.count("lost", {len(others): lost + len(others)})
    if exchange.counted("expired")[-1] != expired + 1:
        exchange.wrong("a message that was cut off is not given up")
    came = [(origin, node, len(content)) for origin, node, content in exchange.bad]
    if came != [(lone, others[0], len(data))]:
        exchange.wrong(f"{came} came of a message that was cut off")
    exchange.packets -= len(others)
