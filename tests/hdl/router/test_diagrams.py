"""Timing diagrams in docstrings: the components do what their diagrams show."""

import re
from functools import reduce
from typing import Any

import pytest
from amaranth.lib import wiring

from fingerpost.hdl.router.arbiter import Arbiter
from fingerpost.hdl.router.batch_arbiter import BatchArbiter
from fingerpost.hdl.router.bypass_limit import BypassLimit
from fingerpost.hdl.router.credit_counter import CreditCounter
from fingerpost.hdl.router.switch_arbiter import SwitchArbiter
from fingerpost.hdl.router.vc_buffer import VcBuffer
from fingerpost.hdl.router.vc_state import VcState
from fingerpost.testbench.context import Context
from tests.hdl.simulators import simulate

COMPONENTS = (
    Arbiter(3),
    BatchArbiter(3),
    BypassLimit(2),
    CreditCounter(2),
    SwitchArbiter((1, 1, 1), yielding=(2,)),
    VcBuffer(depth=2, outputs=1),
    VcState(2, predict=False),
)


def diagram(component: wiring.Component) -> dict[str, list[int]]:
    """Return the rows of a diagram: a signal, and its value in each cycle, in binary."""
    lines = (type(component).__doc__ or "").splitlines()
    start = next(i for i, line in enumerate(lines) if re.match(r" +cycle +0", line))
    end = next(i for i in range(start, len(lines)) if not lines[i].strip())
    rows = [line.split() for line in lines[start + 1 : end]]
    return {name: [int(value, 2) for value in values] for name, *values in rows}


def is_input(component: wiring.Component, name: str) -> bool:
    return component.signature.members[name.partition(".")[0]].flow is wiring.In


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda each: type(each).__name__)
def test_diagram_is_true(component: wiring.Component) -> None:
    rows = diagram(component)
    signals: dict[str, Any] = {name: reduce(getattr, name.split("."), component) for name in rows}
    driven = [name for name in rows if is_input(component, name)]
    assert 0 < len(driven) < len(rows)

    async def bench(ctx: Context) -> None:
        for cycle in range(len(rows[driven[0]])):
            for name in driven:
                ctx.set(signals[name], rows[name][cycle])
            await ctx.delay(1e-8)
            seen = {name: ctx.get(signal) for name, signal in signals.items()}
            assert seen == {name: values[cycle] for name, values in rows.items()}, cycle
            await ctx.tick()

    simulate(component, bench)
