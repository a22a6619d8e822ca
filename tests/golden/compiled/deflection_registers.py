"""All registers of the two models of deflection routers, in the words of the reference."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.compiled.deflection.engine import DeflectionAxiRun, DeflectionRun
from fingerpost.golden.compiled.reference import ReferenceRun
from fingerpost.golden.compiled.state import of_run
from fingerpost.golden.model.deflection import DeflectionModel, Slots
from fingerpost.golden.terminal import AxiTerminalModel
from fingerpost.golden.terminal.axi_interfaces import FlowInterfaces
from fingerpost.golden.terminal.single_flit import SingleFlitTerminalModel
from tests.golden.compiled import terminal_registers
from tests.golden.compiled.terminal_registers import rows_in_order

__all__ = ["of_compiled", "of_reference"]

Registers = dict[str, NDArray[Any]]

ON_LINKS = "epoch", "destination", "key", "tag"
ARRIVED = *ON_LINKS, "old"
RANKED = "epoch", "destination", "distance", "wanted", "rank", "tag"


def of_reference(run: ReferenceRun, *, contents: bool = True) -> Registers:
    model, ends = run.model, run.terminals
    assert isinstance(model, DeflectionModel)
    found: Registers = {
        "epoch": np.array(model.epoch),
        "count": np.array(model.count),
        "taking": model.taking[:-1],
        "refused": model.refused,
        "pending": model.pending,
        "stop": np.array([model.ticked, model.held, model.hold]),
        "waits": np.array(model.waits),
        "errors": model.errors,
        "ejected port": model.ejected.port_index // model.ports,
        "ejected channel": model.ejected.channel,
        "ejected tag": model.ejected.tag,
        "ejected data": model.ejected.data,
        **(_streams(ends) if isinstance(ends, AxiTerminalModel) else _single(ends)),
    }
    registers = [("links", model.links, ON_LINKS), ("arrived", model.arrived, ARRIVED)]
    registers.append(("ranked", model.ranked, RANKED))
    if model.network.hop_cycles == 4:
        registers.append(("switched", model.switched, RANKED))
    for name, slots, fields in registers:
        found |= _slots(name, slots, slots.valid, fields)
        found[f"{name} data"] = slots.data[slots.valid]
    return found


def _single(ends: Any) -> Registers:
    assert isinstance(ends, SingleFlitTerminalModel)
    return {
        "packet": ends.packet,
        "end": ends.end,
        "held": ends.held,
        "delivered": ends.delivered,
        "entered": ends.entered,
        "expected": ends.expected,
        "received_flits": np.array(ends.received_flits),
        "faults": np.array(ends.faults, np.str_),
    }


def _streams(ends: AxiTerminalModel) -> Registers:
    """Return the registers of AXI4-Stream terminals, with those that wait for a place."""
    interfaces = ends.interfaces
    assert isinstance(interfaces, FlowInterfaces)
    queue = interfaces.queue
    assert queue is not None
    waiting = queue.rows[rows_in_order(queue.read, queue.level, queue.depth)]
    found = {"waiting": waiting, "waiting level": queue.level, "left": interfaces.left}
    return terminal_registers.of_reference(ends) | found


def of_compiled(run: DeflectionRun | DeflectionAxiRun, *, contents: bool = True) -> Registers:
    config, state = run.config, of_run(run.arrays, run.number)
    routers, clock = state.routers, state.clock[0]
    streams = isinstance(run, DeflectionAxiRun)
    flits = state.entrance.flits if streams else run.arrays.packets

    def tags(held: NDArray[Any]) -> NDArray[Any]:
        tag = flits["tag"][held].astype(np.int64) if streams else held
        return np.where(tag < 0, tag, tag - run.first)

    ports = np.arange(config.ejections)
    ejected = routers.ejected[: clock["ejected"]]
    found: Registers = {
        "epoch": np.array(clock["epoch"]),
        "count": np.array(clock["count"]),
        "taking": (routers.router["taking"][:, None] >> ports & 1).ravel() > 0,
        "refused": routers.router["refused"],
        "pending": routers.router["pending"],
        "stop": np.array([clock["ticked"], clock["held"], clock["hold"]]) > 0,
        "waits": np.roll(routers.waits, -(clock["count"] % len(routers.waits))),
        "errors": routers.errors,
        "ejected port": ejected["node"],
        "ejected channel": ejected["port"],
        "ejected tag": tags(ejected["tag"]),
        "ejected data": flits["data"][ejected["tag"]],
        **(_compiled_streams(run) if streams else _compiled_single(run)),
    }
    node = np.repeat(np.arange(config.nodes), np.diff(config.base))
    local = np.arange(len(node)) - config.base[node]
    on_links = routers.links[run.now & 1]
    registers: list[tuple[str, Any, Any, tuple[str, ...]]] = [
        ("links", on_links, on_links["valid"], ON_LINKS)
    ]
    stages: dict[str, tuple[str, ...]] = {"arrived": ARRIVED, "ranked": RANKED}
    stages |= {"switched": RANKED} if config.hop_cycles == 4 else {}
    for name in stages:
        valid = routers.router[name][node] >> local & 1 > 0
        registers.append((name, getattr(routers, name), valid, stages[name]))
    for name, slots, valid, fields in registers:
        found |= _slots(name, slots, valid, fields)
        found[f"{name} data"] = flits["data"][found[f"{name} tag"]]
        found[f"{name} tag"] = tags(found[f"{name} tag"])
    return found


def _compiled_single(run: DeflectionRun | DeflectionAxiRun) -> Registers:
    terminals = of_run(run.arrays, run.number).terminals
    packets, every = run.arrays.packets[run.packets], run.arrays.packets
    return {
        "packet": terminals.packet - run.first,
        "end": terminals.end - run.first,
        "held": np.where(terminals.held < 0, 0, every["data"][terminals.held]),
        "delivered": packets["delivered"],
        "entered": packets["entered"],
        "expected": packets["expected"],
        "received_flits": np.array(int(terminals.flits.sum())),
        "faults": np.array(run.faults, np.str_),
    }


def _compiled_streams(run: DeflectionRun | DeflectionAxiRun) -> Registers:
    entrance = of_run(run.arrays, run.number).entrance
    queue, depth = entrance.queue, len(entrance.rows) // len(entrance.queue)
    stream, row = rows_in_order(queue["read"], queue["level"], depth)
    rows = entrance.rows[stream * depth + row]
    tag = np.where(rows["tag"] < 0, -1, rows["tag"] - run.first)
    return terminal_registers.of_compiled(run) | {
        "waiting": np.stack([rows["data"], tag], axis=1),
        "waiting level": queue["level"],
        "left": of_run(run.arrays, run.number).terminals.user["credited"],
    }


def _slots(
    name: str, slots: Slots | NDArray[Any], valid: NDArray[Any], fields: tuple[str, ...]
) -> Registers:
    """Return where flits are in a register, and their fields."""
    found: Registers = {f"{name} valid": np.flatnonzero(valid)}
    for field in fields:
        column = getattr(slots, field) if isinstance(slots, Slots) else slots[field]
        found[f"{name} {field}"] = column[valid]
    return found
