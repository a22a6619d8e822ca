"""The registers of the two models, one beside the other, in the words of the reference."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.compiled.reference import ReferenceRun
from fingerpost.golden.compiled.run import CompiledRun
from fingerpost.golden.compiled.state import Config, InFlight, of_run
from fingerpost.golden.model.model import Model
from tests.golden.compiled import terminal_registers
from tests.golden.compiled.terminal_registers import Pair, packets_of

Array = NDArray[Any]

FLIT = "port", "channel", "tail", "data", "tag"
"""Of a flit in a queue."""


def wormhole(reference: ReferenceRun, run: CompiledRun, *, contents: bool = True) -> Iterator[Pair]:
    model, state, config = reference.model, of_run(run.arrays, run.number), run.config
    assert isinstance(model, Model)
    allocation, buffers, guard = model.allocation, model.vc_buffers, model.overrun_guard
    batches, bypass = allocation.batches, allocation.bypass
    of, buffer, clock = state.routers, state.routers.vc_buffer, state.clock[0]
    if model.routing.selection == "random":
        yield "chance", np.array(model.chance), clock["chance"]
    for name in ("level", "mid_packet", "route_port", "route_channel"):
        yield name, getattr(buffers, name), buffer[name]
    yield "in_packet", model.in_packet, buffer["in_packet"]
    yield "credits", allocation.credits, of.credits
    yield "busy", allocation.busy, _bits(of.router["busy"], config.queues)
    yield (
        "candidate",
        allocation.candidate,
        np.flatnonzero(_bits(of.router["candidate"], config.queues)),
    )
    yield "queue_last_grant", allocation.queue_last_grant, buffer["last_grant"]
    yield "input_last_grant", allocation.input_last_grant.ravel(), of.input_last_grant
    yield "lane", allocation.lane, of.lane
    yield "passed", bypass.passed if bypass else np.zeros_like(buffers.level), buffer["passed"]
    tails = _bits(of.router["tails_passed"], config.ports)
    first = np.repeat(np.arange(config.nodes), config.ports) * config.queues
    tail_passed = bypass.tail_passed if bypass else np.full(len(model.node), -1)
    yield "tail_passed", tail_passed, np.where(tails, first + of.tail_passed, -1)
    served = np.zeros_like(buffers.level)
    if batches:
        on = batches.served & (batches.batch_open == batches.now)[:, None]
        served = on @ (1 << np.arange(batches.queues))
    yield "served", served, of.channel["served"]
    yield "errors", model.errors, of.errors
    nodes = np.arange(config.nodes)
    yield "new_errors", np.sort(model.new_errors), np.repeat(nodes, of.router["new_errors"])
    yield "overruns", guard.count, of.overruns
    yield "truncated", guard.truncated, of.truncated
    now = int(clock["now"])
    yield "credit", np.sort(model.credit), _credits(config, state.in_flight, now % 2)
    yield from terminal_registers.pairs(reference.terminals, run)
    yield from _in_flight(model, run)
    for push in model.routed:
        order = np.argsort(push[0])
        node, queue = np.nonzero(of.router["push"][:, None] >> np.arange(config.queues) & 1)
        at = node * config.queues + queue
        last = (buffer["write_ptr"][at].astype(np.int64) - 1) % config.depths[queue]
        row = (last * config.nodes + node) * config.used_queues + queue
        yield "push queue", push[0][order], at
        for name, column in zip(FLIT, push[1:], strict=True):
            yield f"push {name}", column[order], _flit(run, row, name)
    if contents:
        there = _rows(buffers.base, buffers.read_ptr - buffers.base, buffers.level, buffers.depth)
        node, within = np.divmod(np.arange(len(buffer)), config.queues)
        base, depth = node * config.used_queues + within, config.depths[within]
        step = config.nodes * config.used_queues
        row = _rows(base, buffer["read_ptr"].astype(np.int64), buffer["level"], depth, step)
        for name in FLIT:
            yield f"contents {name}", getattr(buffers, name)[there], _flit(run, row, name)


def _in_flight(model: Model, run: CompiledRun) -> Iterator[Pair]:
    """Return flits between routers: in the compiled model in the places to which they go."""
    config, state = run.config, of_run(run.arrays, run.number)
    in_flight, now = state.in_flight, int(state.clock[0]["now"])
    output = np.arange(config.nodes * config.ports)
    far, far_port = config.link["dst_node"], config.link["dst_port"]
    local = output % config.ports == config.local
    lines = []
    kinds = (model.st_flit, 1, local | ~local), (model.link, 0, ~local), (model.ejected, 0, local)
    for flits, wait, of_kind in kinds:
        slot = (now + wait) % 3
        valid = in_flight.arriving[slot].sum(axis=0)[far] >> far_port & 1
        line = in_flight.flits[slot][far * config.ports + far_port]
        lines.append((flits, output, line, (valid > 0) & (far >= 0) & of_kind))
    for stage, flits in enumerate(model.injection):
        line = in_flight.injection[(now + stage) % len(in_flight.injection)]
        lines.append((flits, output[local], line, line["valid"]))
    for number, (flits, port_index, line, valid) in enumerate(lines):
        order = np.argsort(flits.port_index)
        yield f"flits {number} port_index", flits.port_index[order], port_index[valid]
        for name in ("channel", "head", "tail", "data"):
            yield f"flits {number} {name}", getattr(flits, name)[order], line[name][valid]
        yield f"flits {number} tag", flits.tag[order], packets_of(run, line["tag"][valid])


def _bits(masks: Array, count: int) -> Array:
    """Return the first bits of masks, one behind the other."""
    bits: Array = (masks[:, None] >> np.arange(count) & 1).ravel() > 0
    return bits


def _credits(config: Config, in_flight: InFlight, slot: int) -> Array:
    """Return the queues whose credits are in a slot."""
    node, port = config.link["src_node"], config.link["src_port"]
    masks = in_flight.credits[slot].sum(axis=0)[node] >> port * config.channels
    at_terminal = np.arange(len(node)) % config.ports == config.local
    masks[at_terminal] = in_flight.terminal_credits[slot]
    masks[node < 0] = 0
    return np.flatnonzero(_bits(masks, config.channels))


def _flit(run: CompiledRun, row: Array, name: str) -> Array:
    """Return a part of the flits in rows of queues."""
    column: Array = run.arrays.routers.row[run.number][row][name]
    return packets_of(run, column) if name == "tag" else column


def _rows(base: Array, oldest: Array, level: Array, depth: Array, step: int = 1) -> Array:
    """Return the rows in use, queue by queue, the front first."""
    place = np.arange(int(level.max(initial=0)))
    row = base[:, None] + (oldest[:, None] + place) % depth[:, None] * step
    used: Array = row[place < level[:, None]]
    return used


def difference(pairs: Iterable[Pair]) -> str:
    """Return the first register that differs, and where; nothing if none does."""
    for name, here, there in pairs:
        if here.shape != there.shape:
            return f"{name}: {here.shape} in the reference, {there.shape} compiled"
        wrong = np.argwhere(here != there)
        if len(wrong):
            at = tuple(wrong[0].tolist())
            return f"{name}, {at}: {here[at]} in the reference, {there[at]} compiled"
    return ""
