"""The compiled model and the reference in lock-step."""

from typing import Any

from fingerpost.golden.compiled import engine
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.traffic import Traffic
from tests.golden.compiled.registers import deflection, difference, wormhole

CONTENTS = 25
"""In large networks what is in the queues is compared once in so many cycles."""

LARGE = 200

REGISTERS: dict[str, Any] = {"wormhole": wormhole, "deflection": deflection}
"""Those of every kind of routers."""


def lock_step(
    network: AnyNetwork, cycles: int, *, stop: int = 0, traffic: dict[str, Any], **options: Any
) -> str:
    """Return the first difference in any register of any cycle; nothing if there is none.

    Terminals begin nothing from cycle `stop` on.
    """
    packets = [Traffic(network, cycles=stop or cycles, **traffic) for _ in range(2)]
    compiled = engine(network, packets[:1], compiled=True, **options)
    reference = engine(network, packets[1:], compiled=False, **options)
    of = REGISTERS[network.router_kind]
    mine, theirs = compiled.runs[0], reference.runs[0]
    for cycle in range(cycles):
        compiled.run(1)
        reference.run(1)
        if stop and cycle == stop:
            mine.stop()
            theirs.stop()
        contents = network.topology.nodes <= LARGE or cycle % CONTENTS == 0 or cycle == cycles - 1
        found = difference(of(theirs, mine, contents=contents))
        if found:
            return f"{network.name}, cycle {cycle}, {found}"
    same = mine.now == theirs.now == cycles
    same &= (mine.sent == theirs.sent).all() and (mine.received == theirs.received).all()
    same &= (mine.overruns == theirs.overruns).all() and mine.flits == theirs.flits
    same &= mine.longest_time == theirs.longest_time
    same &= mine.empty == theirs.empty and mine.all_delivered == theirs.all_delivered
    return "" if same else f"{network.name}: counters differ"
