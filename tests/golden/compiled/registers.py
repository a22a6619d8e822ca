"""All registers of the two models, in the words of the reference."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.compiled.reference import ReferenceRun
from fingerpost.golden.compiled.run import CompiledRun
from fingerpost.golden.compiled.state import Config, InFlight, of_run
from fingerpost.golden.flit import Flits
from fingerpost.golden.model.model import Model
from tests.golden.compiled import terminal_registers

Registers = dict[str, NDArray[Any]]


def of_reference(run: ReferenceRun, *, contents: bool = True) -> Registers:
    model, ends = run.model, run.terminals
    assert isinstance(model, Model)
    allocation, buffers = model.allocation, model.vc_buffers
    batches, bypass = allocation.batches, allocation.bypass
    found: Registers = {
        "chance": np.array(model.chance if model.routing.selection == "random" else 0),
        "level": buffers.level,
        "mid_packet": buffers.mid_packet,
        "route_port": buffers.route_port,
        "route_channel": buffers.route_channel,
        "in_packet": model.in_packet,
        "credits": allocation.credits,
        "busy": allocation.busy,
        "candidate": allocation.candidate,
        "queue_last_grant": allocation.queue_last_grant,
        "input_last_grant": allocation.input_last_grant.ravel(),
        "lane": allocation.lane,
        "passed": bypass.passed if bypass else np.zeros(len(buffers.level), np.int64),
        "tail_passed": bypass.tail_passed if bypass else np.full(len(model.node), -1),
        "served": np.zeros(len(buffers.level), np.int64),
        "errors": model.errors,
        "new_errors": np.sort(model.new_errors),
        "overruns": model.overrun_guard.count,
        "truncated": model.overrun_guard.truncated,
        "credit": np.sort(model.credit),
    }
    found |= terminal_registers.of_reference(ends)
    if batches:
        on = batches.served & (batches.batch_open == batches.now)[:, None]
        found["served"] = on @ (1 << np.arange(batches.queues))
    in_flight = {"st_flit": model.st_flit, "link": model.link, "ejected": model.ejected}
    in_flight |= {f"injection {stage}": flits for stage, flits in enumerate(model.injection)}
    for name, flits in in_flight.items():
        found |= _flits(name, flits)
    for stage, push in enumerate(model.routed):
        found |= _sorted(f"push {stage}", "queue port channel tail data tag", *push)
    if contents:
        row = _rows(buffers.base, buffers.read_ptr - buffers.base, buffers.level, buffers.depth)
        for name in ("port", "channel", "tail", "data", "tag"):
            found[f"contents {name}"] = getattr(buffers, name)[row]
    return found


def of_compiled(run: CompiledRun, *, contents: bool = True) -> Registers:
    config, state = run.config, of_run(run.arrays, run.number)
    of, in_flight = state.routers, state.in_flight
    buffer, channel, clock = of.vc_buffer, of.channel, state.clock[0]
    now, channels = int(clock["now"]), config.channels
    # The one bit that is set among those of an input.
    bits = of.router["candidate"][:, None] >> np.arange(config.queues) & 1
    candidate = np.flatnonzero(bits)
    assert (candidate // channels == np.arange(config.nodes * config.ports)).all()
    tails = _bits(of.router["tails_passed"], config.ports)
    first = np.repeat(np.arange(config.nodes), config.ports) * config.queues
    found: Registers = {
        "chance": np.array(int(clock["chance"]) if config.selection == 2 else 0),
        "level": buffer["level"],
        "mid_packet": buffer["mid_packet"],
        "route_port": buffer["route_port"],
        "route_channel": buffer["route_channel"],
        "in_packet": buffer["in_packet"],
        "credits": of.credits,
        "busy": _bits(of.router["busy"], config.queues),
        "candidate": candidate,
        "queue_last_grant": buffer["last_grant"],
        "input_last_grant": of.input_last_grant,
        "lane": of.lane,
        "passed": buffer["passed"],
        "tail_passed": np.where(tails, first + of.tail_passed, -1),
        "served": channel["served"],
        "errors": of.errors,
        "new_errors": np.repeat(np.arange(config.nodes), of.router["new_errors"]),
        "overruns": of.overruns,
        "truncated": of.truncated,
        "credit": _credits(config, in_flight, now % 2),
    }
    found |= terminal_registers.of_compiled(run)
    # Flits are in the places of the inputs to which they go.
    output = np.arange(config.nodes * config.ports)
    far, far_port = config.link["dst_node"], config.link["dst_port"]
    local = output % config.ports == config.local
    lines = {}
    kinds = ("st_flit", 1, local | ~local), ("link", 0, ~local), ("ejected", 0, local)
    for name, wait, of_kind in kinds:
        slot = (now + wait) % 3
        valid = in_flight.arriving[slot].sum(axis=0)[far] >> far_port & 1
        line = in_flight.flits[slot][far * config.ports + far_port]
        lines[name] = output, line, (valid > 0) & (far >= 0) & of_kind
    for stage in range(config.header_cycles):
        line = in_flight.injection[(now + stage) % len(in_flight.injection)]
        lines[f"injection {stage}"] = output[local], line, line["valid"]
    for name, (port_index, line, valid) in lines.items():
        columns = (line[field][valid] for field in ("channel", "head", "tail", "data", "tag"))
        found |= _flits(name, Flits(port_index[valid], *columns), run.first)
    for stage in range(config.routing_register):
        node, queue = np.nonzero(of.router["push"][:, None] >> np.arange(config.queues) & 1)
        at = node * config.queues + queue
        last = (buffer["write_ptr"][at].astype(np.int64) - 1) % config.depths[queue]
        row = (last * config.nodes + node) * config.used_queues + queue
        names = "queue port channel tail data tag"
        found |= _sorted(f"push {stage}", names, at, *_flit(run, row))
    if contents:
        node, within = np.divmod(np.arange(len(buffer)), config.queues)
        base, depth = node * config.used_queues + within, config.depths[within]
        read_ptr, level = buffer["read_ptr"].astype(np.int64), buffer["level"]
        row = _rows(base, read_ptr, level, depth, config.nodes * config.used_queues)
        fields = zip(("port", "channel", "tail", "data", "tag"), _flit(run, row), strict=True)
        for name, column in fields:
            found[f"contents {name}"] = column
    return found


def _bits(masks: NDArray[Any], count: int) -> NDArray[Any]:
    """Return the first bits of masks, one behind the other."""
    bits: NDArray[Any] = (masks[:, None] >> np.arange(count) & 1).ravel() > 0
    return bits


def _credits(config: Config, in_flight: InFlight, slot: int) -> NDArray[Any]:
    """Return the queues whose credits are in a slot."""
    node, port = config.link["src_node"], config.link["src_port"]
    masks = in_flight.credits[slot].sum(axis=0)[node] >> port * config.channels
    at_terminal = np.arange(len(node)) % config.ports == config.local
    masks[at_terminal] = in_flight.terminal_credits[slot]
    masks[node < 0] = 0
    return np.flatnonzero(masks[:, None] >> np.arange(config.channels) & 1)


def _flit(run: CompiledRun, row: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Return port, channel, tail, data and tag of what is in rows."""
    of = run.arrays.routers
    rows = of.row[run.number][row]
    names = "port", "channel", "tail", "data"
    return (*(rows[name] for name in names), _tag(rows["tag"], run.first))


def _tag(tag: NDArray[Any], first: int) -> NDArray[Any]:
    return np.where(tag < 0, tag, tag - first)


def _flits(name: str, flits: Flits, first: int = 0) -> Registers:
    return _sorted(
        name, "port_index channel head tail data tag", *flits[:5], _tag(flits.tag, first)
    )


def _sorted(name: str, fields: str, *columns: NDArray[Any]) -> Registers:
    order = np.argsort(columns[0])
    return {
        f"{name} {field}": column[order]
        for field, column in zip(fields.split(), columns, strict=True)
    }


def _rows(
    base: NDArray[Any],
    oldest: NDArray[Any],
    level: NDArray[Any],
    depth: NDArray[Any],
    step: int = 1,
) -> NDArray[Any]:
    """Return the rows in use, queue by queue, the front first."""
    place = np.arange(int(level.max(initial=0)))
    row = base[:, None] + (oldest[:, None] + place) % depth[:, None] * step
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
