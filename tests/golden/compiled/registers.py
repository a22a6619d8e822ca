"""All registers of the two models, in the words of the reference."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from golden.compiled.reference import ReferenceRun
from golden.compiled.run import CompiledRun
from golden.flit import Flits
from golden.terminal import Terminals

Registers = dict[str, NDArray[Any]]


def of_reference(run: ReferenceRun, *, contents: bool = True) -> Registers:
    model, ends = run.model, run.ends
    assert isinstance(ends, Terminals)
    allocation, queues = model.allocation, model.queues
    rounds, courtesy = allocation.rounds, allocation.courtesy
    found: Registers = {
        "chance": np.array(model.chance if model.routing.selection == "random" else 0),
        "level": queues.level,
        "midst": queues.midst,
        "way_port": queues.way_port,
        "way_channel": queues.way_channel,
        "inside": model.inside,
        "credits": allocation.credits,
        "busy": allocation.busy,
        "nominee": allocation.nominee,
        "taken": allocation.taken,
        "served": allocation.served.ravel(),
        "lane": allocation.lane,
        "passed": courtesy.passed if courtesy else np.zeros(len(queues.level), np.int64),
        "through": courtesy.through if courtesy else np.full(len(model.node), -1),
        "gone": np.zeros(len(queues.level), np.int64),
        "errors": model.errors,
        "new_errors": np.sort(model.new_errors),
        "count": model.entry.count,
        "cut": model.entry.cut,
        "credit": np.sort(model.credit),
        "packet": ends.packet,
        "end": ends.end,
        "index": ends.index,
        "terminal_credits": ends.credits,
        "backlog": ends.backlog,
        "received": ends.received,
        "delivered": ends.delivered,
        "expected": ends.expected,
        "received_flits": np.array(ends.received_flits),
        "faults": np.array(ends.faults, np.str_),
    }
    if rounds:
        on = rounds.gone & (rounds.lasts == rounds.now)[:, None]
        found["gone"] = on @ (1 << np.arange(rounds.queues))
    moving = {"crossing": model.crossing, "link": model.link, "ejected": model.ejected}
    moving |= {f"injection {stage}": flits for stage, flits in enumerate(model.injection)}
    for name, flits in moving.items():
        found |= _flits(name, flits)
    for stage, coming in enumerate(model.routed):
        found |= _sorted(f"routed {stage}", "queue port channel tail data tag", *coming)
    if contents:
        row = _rows(queues.base, queues.oldest - queues.base, queues.level, queues.depth)
        for name in ("port", "channel", "tail", "data", "tag"):
            found[f"contents {name}"] = getattr(queues, name)[row]
    return found


def of_compiled(run: CompiledRun, *, contents: bool = True) -> Registers:
    fixed, number = run.fixed, run.number
    of, moving, terminals = run.arrays.routers, run.arrays.moving, run.arrays.terminals
    queue, channel, clock = of.queue[number], of.channel[number], run.arrays.clock[number, 0]
    packets = run.arrays.packets[run.packets]
    now, channels = int(clock["now"]), fixed.channels
    # The one bit that is set among those of an input.
    bits = of.router[number]["nominated"][:, None] >> np.arange(fixed.queues) & 1
    nominee = np.flatnonzero(bits)
    assert (nominee // channels == np.arange(fixed.nodes * fixed.ports)).all()
    here = now & 1
    found: Registers = {
        "chance": np.array(int(clock["chance"]) if fixed.selection == 2 else 0),
        "level": queue["level"],
        "midst": queue["midst"],
        "way_port": queue["way_port"],
        "way_channel": queue["way_channel"],
        "inside": queue["inside"],
        "credits": channel["credits"],
        "busy": channel["busy"],
        "nominee": nominee,
        "taken": of.taken[number],
        "served": of.served[number],
        "lane": of.lane[number],
        "passed": of.passed[number],
        "through": of.through[number],
        "gone": channel["gone"],
        "errors": of.errors[number],
        "new_errors": np.sort(moving.new_errors[number][: clock["new_errors"]]),
        "count": of.lost[number],
        "cut": of.cut[number],
        "credit": np.sort(moving.credit[number, here, : moving.credit_count[number, here]]),
        "packet": terminals.packet[number] - run.first,
        "end": terminals.end[number] - run.first,
        "index": terminals.next_flit[number],
        "terminal_credits": terminals.credits[number],
        "backlog": terminals.backlog[number],
        "received": packets["received"],
        "delivered": packets["delivered"],
        "expected": packets["expected"],
        "received_flits": clock["received_flits"],
        "faults": np.array(run.faults, np.str_),
    }
    out = moving.flits[number, here, : moving.flit_count[number, here]]
    local = fixed.reached[out["place"]] < 0
    lists = {
        "crossing": moving.flits[number, 1 - here, : moving.flit_count[number, 1 - here]],
        "link": out[~local],
        "ejected": out[local],
    }
    for stage in range(fixed.launch_cycles):
        slot = (now - fixed.launch_cycles + stage) % (fixed.launch_cycles + 1)
        count = moving.injection_count[number, slot]
        lists[f"injection {stage}"] = moving.injection[number, slot, :count]
    for name, some in lists.items():
        columns = (some[field] for field in ("place", "channel", "head", "tail", "data", "tag"))
        found |= _flits(name, Flits(*columns), run.first)
    for stage in range(fixed.routing_register):
        slot = (now - fixed.routing_register + stage) % (fixed.routing_register + 1)
        some = moving.routed[number, slot, : moving.routed_count[number, slot]]
        at = some["node"] * fixed.queues + some["number"]
        last = (queue["newest"][at].astype(np.int64) - 1) % fixed.depths[some["number"]]
        row = some["node"] * fixed.rows + fixed.bases[some["number"]] + last
        names = "queue port channel tail data tag"
        found |= _sorted(f"routed {stage}", names, at, *_flit(run, row))
    if contents:
        node, within = np.divmod(np.arange(len(queue)), fixed.queues)
        base, depth = node * fixed.rows + fixed.bases[within], fixed.depths[within]
        row = _rows(base, queue["oldest"].astype(np.int64), queue["level"], depth)
        fields = zip(("port", "channel", "tail", "data", "tag"), _flit(run, row), strict=True)
        for name, column in fields:
            found[f"contents {name}"] = column
    return found


def _flit(run: CompiledRun, row: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Return port, channel, tail, data and tag of what is in rows."""
    of = run.arrays.routers
    way, rest = of.way[run.number][row], of.row[run.number][row]
    return way["port"], way["channel"], way["tail"], rest["data"], _tag(rest["tag"], run.first)


def _tag(tag: NDArray[Any], first: int) -> NDArray[Any]:
    return np.where(tag < 0, tag, tag - first)


def _flits(name: str, flits: Flits, first: int = 0) -> Registers:
    return _sorted(name, "place channel head tail data tag", *flits[:5], _tag(flits.tag, first))


def _sorted(name: str, fields: str, *columns: NDArray[Any]) -> Registers:
    order = np.argsort(columns[0])
    return {
        f"{name} {field}": column[order]
        for field, column in zip(fields.split(), columns, strict=True)
    }


def _rows(
    base: NDArray[Any], oldest: NDArray[Any], level: NDArray[Any], depth: NDArray[Any]
) -> NDArray[Any]:
    """Return the rows in use, queue by queue, the front first."""
    place = np.arange(int(level.max(initial=0)))
    row = base[:, None] + (oldest[:, None] + place) % depth[:, None]
    used: NDArray[Any] = row[place < level[:, None]]
    return used


def difference(expected: Registers, found: Registers) -> str:
    """Return the first register that differs, and where; nothing if none does."""
    assert expected.keys() == found.keys()
    for name, here in expected.items():
        there = found[name]
        if here.shape != there.shape:
            return f"{name}: {here.shape} in the reference, {there.shape} compiled"
        wrong = np.argwhere(here != there)
        if len(wrong):
            at = tuple(wrong[0].tolist())
            return f"{name}, {at}: {here[at]} in the reference, {there[at]} compiled"
    return ""
