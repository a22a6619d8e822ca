"""A component beside its model: what must be seen, in every clock."""

from typing import Any

from amaranth import Value
from amaranth.lib.wiring import Out

from fingerpost.testbench.terminals.stimulus import Ports, Stimulus, port_name
from tests.hdl.simulators import simulate

__all__ = ["lock_step"]


def lock_step(stimulus: Stimulus, cycles: int) -> None:
    """Compare all outputs, idle payload as 0; an AssertionError has the first difference."""
    dut = stimulus.component()
    ports: dict[str, Any] = {}
    outputs = []
    for path, member, value in dut.signature.flatten(dut):
        name = port_name(path)
        ports[name] = Value.cast(value)
        outputs += [name] * (member.flow == Out)

    async def bench(ctx: Any) -> None:
        seen: Ports = stimulus.after_reset
        for cycle in range(cycles):
            given, to_come = stimulus.clock()
            for name, value in given.items():
                ctx.set(ports[name], value)
            for name in outputs:
                assert ctx.get(ports[name]) == seen.get(name, 0), (cycle, name)
            seen = to_come
            await ctx.tick()

    simulate(dut, bench)
