"""The model beside a judge: wormhole routers as objects and lists, written from the documentation.

The judge follows `docs/explanation/router.md` and `docs/design/router.md`, not the code. Routes,
turns, VC increments, lanes and limits are those of the network.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.algebra import chance
from fingerpost.golden.engine import Record, Run, engine, wormhole
from fingerpost.golden.link import pipelined_link
from fingerpost.golden.network.network import Network
from fingerpost.golden.router import injection, input_port, router, switch_allocator
from fingerpost.golden.traffic import Traffic
from tests.networks import BIPARTITE, BOREL, built, only


@dataclass(frozen=True)
class Flit:
    head: bool
    tail: bool
    data: int
    route: int | None = None  # the output port of its packet; None: it is discarded


@dataclass(eq=False)
class Buffer:
    """A virtual channel of an input."""

    port: int
    channel: int
    flits: deque[Flit] = field(default_factory=deque)
    in_packet: bool = False  # at arrival
    route: int | None = None  # of the packet that arrives
    passed: int = 0  # packets that bypassed the head
    lane: int = 0  # of a packet of the terminal

    @property
    def request(self) -> int | None:
        return self.flits[0].route if self.flits else None

    @property
    def head(self) -> bool:
        return self.request is not None and self.flits[0].head


@dataclass(eq=False)
class Channel:
    """A virtual channel of an output."""

    credits: int
    busy: bool = False
    served: list[Buffer] = field(default_factory=list)


Sent = tuple[int, Flit]
"""A flit and the number of its channel."""


class Input:
    def __init__(self, port: int, channels: int) -> None:
        self.buffers = [Buffer(port, channel) for channel in range(channels)]
        self.order = list(self.buffers)  # least recently granted first
        self.candidate = self.buffers[0]


class Output:
    def __init__(self, channels: int, depth: int, inputs: list[int]) -> None:
        self.channels = [Channel(depth) for _ in range(channels)]
        self.order = list(inputs)  # least recently granted first
        self.ended: Buffer | None = None  # whose tail was granted in the last cycle


class Entrance:
    """Injection of a terminal: header generation, and what is sent without a credit."""

    def __init__(self, classes: int, depth: int, cycles: int) -> None:
        self.room = [depth] * classes
        self.stages: deque[Sent | None] = deque([None] * cycles)
        self.in_packet, self.truncated = [False] * classes, [False] * classes
        self.overruns = 0

    def step(self, sent: Sent | None) -> Sent | None:
        """Return what enters its buffer; a truncated packet ends when no other class sends."""
        self.stages.append(sent)
        sent = self.stages.popleft()
        enters = sent
        if sent and (self.truncated[sent[0]] or not self.room[sent[0]]):
            self.overruns += 1
            self.truncated[sent[0]] |= self.in_packet[sent[0]]
            enters = None
        for number in range(len(self.room)) if sent is None else [sent[0]]:
            if self.truncated[number] and self.room[number]:
                enters = number, Flit(False, True, sent[1].data if sent else 0)
                self.truncated[number] = False
                break
        if enters:
            number, flit = enters
            self.room[number] -= 1
            self.in_packet[number] = (self.in_packet[number] or flit.head) and not flit.tail
        return enters


class Router:
    def __init__(self, network: Network, node: int) -> None:
        topology = network.topology
        kind, self.local = topology.node_type[node], topology.local
        self.network, self.node = network, node
        self.per_class, self.lanes = network.channels_per_class, int(network.lanes.count[0])
        self.by_packet = network.lanes.spare
        inputs = [*kind.inputs] + [self.local] * kind.terminals
        outputs = [*kind.outputs] + [self.local] * kind.terminals
        channels = dict.fromkeys(range(self.local), network.virtual_channels)
        channels[self.local] = network.classes
        self.inputs = {port: Input(port, channels[port]) for port in inputs}
        self.outputs = {
            port: Output(channels[port], network.buffer_depth, inputs) for port in outputs
        }
        self.buffers = [buffer for each in self.inputs.values() for buffer in each.buffers]
        register = network.description["router"].get("routing_register", False)
        self.register: deque[dict[int, Sent]] = deque([{}] * register)
        self.errors = self.errors_now = 0
        self.chance = chance.SEED

    def wanted(self, buffer: Buffer) -> Channel:
        """Return the output VC of the packet at the front."""
        output, channel = buffer.request, buffer.channel
        assert output is not None
        if output == self.local:
            channel //= 1 if buffer.port == self.local else self.per_class
        elif buffer.port == self.local:
            channel = channel * self.per_class + buffer.lane
        elif self.network.channels.vc_increments[self.node, buffer.port, output]:
            channel = int(self.network.lanes.next_vc[channel])
        return self.outputs[output].channels[channel]

    def rank(self, buffer: Buffer) -> int:
        """Return 0 for a head that lets others pass, 2 for a promoted one, 1 for other flits."""
        limit = self.network.bypass_limits[buffer.port, buffer.request] if buffer.head else 0
        return 2 * int(buffer.passed >= limit) if limit else 1

    def pending(self, channel: Channel) -> list[Buffer]:
        """Return the buffers whose heads wait for a VC and are not served in this batch."""
        return [
            b
            for b in self.buffers
            if b.head and self.wanted(b) is channel and b not in channel.served and self.rank(b) > 0
        ]

    def eligible(self, buffer: Buffer, free: bool | None = None) -> bool:
        """Return whether the front flit may be granted, if its VC is free as it is or as said."""
        if buffer.request is None:
            return False
        channel = self.wanted(buffer)
        if not buffer.head or not channel.credits:
            return channel.credits > 0
        batches = self.network.virtual_channels > 1 and self.network.service == "bounded"
        masked = batches and buffer in channel.served and bool(self.pending(channel))
        return not masked and (not channel.busy if free is None else free)

    def eligible_next(self, buffer: Buffer, candidates: list[Buffer]) -> bool:
        """Return what an input expects of another VC; `candidates` are those that are eligible.

        The terminal's output expects that all of these leave but heads that let others pass.
        """
        if buffer.request != self.local:
            return self.eligible(buffer)
        channel = self.wanted(buffer)
        leave = [
            b.flits[0].tail for b in candidates if self.wanted(b) is channel and self.rank(b) > 0
        ]
        return self.eligible(buffer, all(leave) if leave else not channel.busy)

    def allocate(self, candidates: list[Buffer]) -> dict[int, Buffer]:
        """Return by output what switch allocation grants of the eligible candidates."""
        found = {}
        for port, output in self.outputs.items():
            asking = [b for b in candidates if b.request == port]
            asking.sort(key=lambda b: (-self.rank(b), output.order.index(b.port)))
            if asking:
                found[port] = asking[0]
        return found

    def cycle(
        self, arriving: dict[int, Sent], returned: list[tuple[int, int]]
    ) -> tuple[dict[int, Sent], list[Buffer]]:
        """Return what is granted, by output, and the buffers that free a slot."""
        self.errors = self.errors_now
        self.register.append({port: self.routed(port, *each) for port, each in arriving.items()})
        arriving = self.register.popleft()
        for buffer in self.buffers:
            from_terminal = buffer.port == self.local != buffer.request
            if from_terminal and buffer.head and self.network.classes == 1:
                self.choose_lane(buffer)
        candidates = [each.candidate for each in self.inputs.values()]
        candidates = [buffer for buffer in candidates if self.eligible(buffer)]
        granted = self.allocate(candidates)
        self.nominate(candidates, granted, arriving)
        for output in self.outputs.values():
            for channel in output.channels:
                others = [b for b in self.pending(channel) if b not in granted.values()]
                heads = [b for b in granted.values() if b.head and self.wanted(b) is channel]
                channel.served = channel.served + heads if others else []
        self.count_bypasses(granted)
        self.chance = chance.advance(self.chance)
        popped = [b for b in self.buffers if b.flits and b.request is None]
        sent = {}
        for port, buffer in granted.items():
            output, channel, flit = self.outputs[port], self.wanted(buffer), buffer.flits[0]
            sent[port] = output.channels.index(channel), flit
            channel.busy = not flit.tail
            channel.credits -= 1
            order = self.inputs[buffer.port].order
            order.append(order.pop(order.index(buffer)))
            if flit.tail or not self.by_packet:
                output.order.append(output.order.pop(output.order.index(buffer.port)))
            buffer.lane = (buffer.lane + (flit.tail and port != self.local)) % self.lanes
            popped.append(buffer)
        for buffer in popped:
            buffer.flits.popleft()
        for port, number in returned:
            self.outputs[port].channels[number].credits += 1
        for port, (number, flit) in arriving.items():
            self.inputs[port].buffers[number].flits.append(flit)
        return sent, popped

    def nominate(
        self,
        candidates: list[Buffer],
        granted: dict[int, Buffer],
        arriving: dict[int, Sent],
    ) -> None:
        """Choose the candidates of the next cycle."""
        for port, each in self.inputs.items():
            now = each.candidate
            goes = now in granted.values()
            if now in candidates and not (goes and (now.flits[0].tail or not self.by_packet)):
                continue
            others = [b for b in each.order if b is not now and self.eligible_next(b, candidates)]
            if self.by_packet and now.request is not None:
                others.sort(key=lambda b: b.request == now.request)
            if others:
                each.candidate = others[0]
            elif port in arriving:
                each.candidate = each.buffers[arriving[port][0]]

    def count_bypasses(self, granted: dict[int, Buffer]) -> None:
        """Count the packets whose tail was granted in the cycle before."""
        for port, output in self.outputs.items():
            for buffer in self.buffers:
                passes = output.ended not in (None, buffer)
                buffer.passed += buffer.request == port and passes and self.rank(buffer) == 0
            output.ended = None
            if port in granted:
                winner = granted[port]
                winner.passed *= not winner.head
                output.ended = winner if winner.flits[0].tail else None

    def choose_lane(self, buffer: Buffer) -> None:
        """Let a head of the terminal take the first lane that is free, if its own is not."""
        present = buffer.lane
        for buffer.lane in (present, *range(self.lanes)):
            if self.eligible(buffer):
                return
        buffer.lane = present

    def routed(self, port: int, number: int, flit: Flit) -> Sent:
        """Return an arriving flit with its route; count what is malformed."""
        buffer, data = self.inputs[port].buffers[number], flit.data
        self.errors_now += flit.head == buffer.in_packet
        head = flit.head and not buffer.in_packet
        if head:
            buffer.route, data = self.route(port, data)
            self.errors_now += buffer.route is None
        elif not buffer.in_packet:
            buffer.route = None
        buffer.in_packet = (flit.head or buffer.in_packet) and not flit.tail
        return number, Flit(head, flit.tail, data, buffer.route)

    def route(self, port: int, data: int) -> tuple[int | None, int]:
        """Return the output port, none if the packet is discarded, and the data of the next hop."""
        routing, width = self.network.routing, self.network.routing.header.width
        selection = None
        if routing.selection == "free":
            requested = {buffer.request for buffer in self.buffers}
            free = [p for p in range(self.local + 1) if p not in requested]
            selection = np.array([sum(1 << p for p in free)])
        if routing.selection == "random":
            selection = chance.selection(self.chance, np.array([self.node]))
        header = np.array([data % (1 << width)])
        found = routing.decide(np.array([self.node]), np.array([port]), header, selection)
        output = int(found.port[0])
        turns = self.network.used_turns[self.network.topology.node_type[self.node]]
        if found.error[0] or not turns[port, output]:
            return None, data
        return output, (data >> width << width) + int(found.header[0])


class Judge:
    """All routers and links; a flit is a cycle on the link, and one more for each register there.

    Before that it crosses in the cycle of its grant, or takes a cycle of switch traversal. Links
    hold whatever there is in order, so they are lists of what is due in how many cycles.
    """

    def __init__(self, network: Network) -> None:
        self.network, topology = network, network.topology
        nodes = range(topology.nodes)
        self.routers = [Router(network, node) for node in nodes]
        shape = network.classes, network.terminal_depth, network.routing.header_cycles
        self.entrances = [Entrance(*shape) for _ in nodes]
        there = np.stack([topology.neighbour, topology.arrival_port], axis=-1)
        self.far = {
            (node, port): tuple(there[node, port].tolist())
            for node, port in np.argwhere(topology.neighbour >= 0).tolist()
        }
        self.near = {far: near for near, far in self.far.items()}
        hop_cycles = network.description["router"].get("hop_cycles", 2)
        self.traversing: deque[dict[tuple[int, int], Sent]] = deque([{}] * (hop_cycles - 2))
        self.delay = {
            near: delay(network.description, near[0], self.far[near][0]) for near in self.far
        }
        self.on_links: list[tuple[int, tuple[int, int], Sent]] = []
        self.on_way_back: list[tuple[int, tuple[int, int, int]]] = []
        self.links: dict[tuple[int, int], Sent] = {}  # arriving, by node and output port
        self.credits: list[tuple[int, int, int]] = []  # arriving, by node, input port and channel

    def step(self, injected: dict[int, Sent], returned: list[tuple[int, int]]) -> None:
        """Go through a cycle with what terminals send and return, by node and class."""
        local = self.network.topology.local
        arriving: list[dict[int, Sent]] = [{} for _ in self.routers]
        credited: list[list[tuple[int, int]]] = [[] for _ in self.routers]
        for near, flit in self.links.items():
            if near in self.far:
                node, port = self.far[near]
                arriving[node][port] = flit
        for node, entrance in enumerate(self.entrances):
            entered = entrance.step(injected.get(node))
            if entered:
                arriving[node][local] = entered
        for node, port, number in self.credits:
            if port != local:
                sender, output = self.near[node, port]
                credited[sender].append((output, number))
        for node, number in returned:
            credited[node].append((local, number))
        crossing = {}
        for node, stepped in enumerate(self.routers):
            sent, popped = stepped.cycle(arriving[node], credited[node])
            crossing.update({(node, port): flit for port, flit in sent.items()})
            self.on_way_back += [
                (
                    self.delay.get(self.near.get((node, b.port), (-1, 0)), 0),
                    (node, b.port, b.channel),
                )
                for b in popped
            ]
            for buffer in popped:
                if buffer.port == local:
                    self.entrances[node].room[buffer.channel] += 1
        self.traversing.append(crossing)
        self.on_links += [
            (self.delay.get(near, 0), near, sent)
            for near, sent in self.traversing.popleft().items()
        ]
        self.links = {near: sent for left, near, sent in self.on_links if not left}
        self.on_links = [(left - 1, near, sent) for left, near, sent in self.on_links if left]
        self.credits = [credit for left, credit in self.on_way_back if not left]
        self.on_way_back = [(left - 1, credit) for left, credit in self.on_way_back if left]

    def seen(self) -> dict[str, list[Any]]:
        """Return what can be seen from outside the routers."""
        return {
            "flits": sorted(
                (*at, number, flit.head, flit.tail, flit.data)
                for at, (number, flit) in self.links.items()
            ),
            "credits": sorted(self.credits),
            "errors": [min(router.errors, 255) for router in self.routers],
            "overruns": [min(entrance.overruns, 255) for entrance in self.entrances],
        }


def delay(description: Any, node: int, there: int) -> int:
    """Return the registers on the link between two nodes."""
    link = description.get("link") or {}
    if link.get("cycles") != "auto":
        return int(link.get("cycles", 1)) - 1
    (x, y), (to_x, to_y) = (description["positions"]["at"][each] for each in (node, there))
    return max(1, ceil((abs(x - to_x) + abs(y - to_y)) / link["reach"])) - 1


def compare(network: Network, record: Record, judge: Judge) -> None:
    """Let the judge go through what the model has recorded, with the same inputs."""
    topology = network.topology
    masks = np.arange(network.virtual_channels)
    for row in range(len(record.given["valid"])):
        given = {name: column[row] for name, column in record.given.items()}
        sides = [
            {name: column[row].reshape(topology.nodes, -1) for name, column in each.items()}
            for each in (record.links, record.terminals)
        ]
        links = {name: np.hstack([each[name] for each in sides]) for name in sides[0]}
        names = "head", "tail", "data"
        flits = [
            (*at, int(mask).bit_length() - 1, *(links[name][at].item() for name in names))
            for at, mask in np.ndenumerate(links["valid"])
            if mask
        ]
        # What returns a credit is the input at the other end of a link, or the terminal's own.
        credits = [
            (*judge.far.get((node, port), (node, port)), channel)
            for node, port, channel in np.argwhere(links["credit"][..., None] >> masks & 1).tolist()
        ]
        seen = {
            "flits": sorted(flits),
            "credits": sorted(credits),
            "errors": record.terminals["errors"][row].tolist(),
            "overruns": record.terminals["overruns"][row].tolist(),
        }
        assert seen == judge.seen(), f"model and judge differ in cycle {record.first + row}"
        sent = {
            node: (
                int(given["valid"][node]).bit_length() - 1,
                Flit(*(given[name][node].item() for name in names)),
            )
            for node in np.flatnonzero(given["valid"]).tolist()
        }
        returned = np.argwhere(given["credit"][:, None] >> masks & 1).tolist()
        judge.step(sent, [(node, channel) for node, channel in returned])


NETWORKS: dict[str, tuple[dict[str, Any], str]] = {
    "line": ({"family": "grid", "sizes": [3]}, "dimension-order"),
    "mesh": ({"family": "grid", "sizes": [3, 3]}, "dimension-order"),
    "torus": ({"family": "grid", "sizes": [5, 3], "wrap": True}, "dimension-order"),
    "star": ({"family": "star", "n": 3}, "greedy"),
    "rotator": ({"family": "rotator", "n": 3}, "rotator"),
    "loop": ({"family": "double-loop", "nodes": 7, "a": 1, "b": 2}, "table"),
    "trees": ({"family": "kyklos", "m": 2, "r": 2, "n": 2}, "m"),
    "borel": (BOREL, "two-phase"),
    "hop": (BOREL, "vertex-transitive"),
    "adaptive": (BOREL, "adaptive"),
    "random": ({"family": "star", "n": 4}, "random"),
    "ten links": (BIPARTITE, "adaptive-table"),
}


@cache
def needed(name: str) -> int:
    return built(*NETWORKS[name]).virtual_channels


def run(
    name: str,
    *,
    cycles: int = 70,
    spare: int = 0,
    stall: float = 0.1,
    surplus: int = 0,
    traffic: dict[str, Any],
    compiled: bool | None = False,
    **settings: Any,
) -> Run:
    """Compare a network under load, with `spare` virtual channels, for some cycles."""
    channels = needed(name) + spare
    network = built(*NETWORKS[name], virtual_channels=channels, **settings)
    offered = Traffic(network, cycles=cycles, **{"load": 0.9, **traffic})
    model = engine(network, [offered], stall=stall, surplus=surplus, compiled=compiled)
    compare(network, model.record(cycles), Judge(network))
    return model.runs[0]


CASES: dict[str, dict[str, Any]] = yaml.load(
    Path(__file__).with_name("judge.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader
)

BOTH = "lanes of classes", "header"
"""Cases of the compiled form, too, in `make test`: test_forms tells that it is the same."""


@pytest.mark.parametrize(
    ("case", "compiled"),
    only(
        [(x, compiled) for x in CASES for compiled in (False, x in BOTH)],
        product(CASES, (False, True)),
    ),
)
def test_model_is_as_documented(case: str, compiled: bool) -> None:
    assert run(**CASES[case], compiled=compiled).received.sum() > 0


@st.composite
def settings_of_a_run(draw: st.DrawFn) -> dict[str, Any]:
    def one(*values: Any) -> Any:
        return draw(st.sampled_from(values))

    name, classes = one(*NETWORKS), one(1, 1, 1, 2, 3, 4)
    limits = {
        "bypass_limit": one("auto", 0, 1, 2, 5),
        "turn_bypass_limit": one("auto", 0, 1, 3) if name in ("torus", "loop") else "auto",
    }
    return {
        "name": name,
        "cycles": 200,
        "spare": draw(st.integers(0, min(4, 16 // classes - needed(name)))),
        "stall": one(0.0, 0.2, 0.8),
        "surplus": one(0, 0, 1, 4),
        "classes": classes,
        "buffer_depth": draw(st.integers(1, 8)),
        "hop_cycles": one(2, 3),
        "routing_register": one(False, True),
        "link": {"kind": "flit", "cycles": one(1, 1, 2, 7)},
        **one(limits, limits, {"service": "local"}),
        "traffic": {
            "load": one(0.1, 0.5, 1.0),
            "lengths": one((1, 1), (1, 4), (2, 2), (1, 9)),
            "malformed": one(0.0, 0.0, 0.2, 0.8),
            "pattern": one("uniform", "uniform", "bitrev", "hotspot:nodes=0,share=0.7"),
            "seed": draw(st.integers(0, 1000)),
        },
    }


@pytest.mark.regress
@settings(max_examples=150)
@given(settings_of_a_run())
def test_model_is_as_documented_whatever_the_settings(chosen: dict[str, Any]) -> None:
    run(**chosen, compiled=None)  # compiled, but for routers of many queues


def before(action: Callable[..., object]) -> Callable[[Any], Any]:
    """Return a fault: something happens before what a function of the model does."""
    return lambda old: lambda *given: (action(*given), old(*given))[1]


def nothing(old: object) -> Callable[..., None]:
    """Return a fault: what a function of the model does is left out."""
    return lambda *given: None


def loses_a_credit(node: int, slots: Any, config: Any, routers: object) -> None:
    slots.credits[node] &= slots.credits[node] - 1


def in_port_order(node: int, *given: Any) -> None:
    config, routers = given[-3:-1]
    for at in range(config.ports**2):
        routers.input_last_grant[node * config.ports**2 + at] = at % config.ports


def in_channel_order(node: int, *given: Any) -> None:
    config, routers = given[-2:]
    for queue in range(config.queues):
        routers.vc_buffer[node * config.queues + queue].last_grant = queue


def heads_bypass(old: Callable[..., None]) -> Callable[..., None]:
    def broken(
        node: int, granted: int, heads: int, unpromoted: int, router: Any, *rest: Any
    ) -> None:
        tails, router.tail = router.tail, heads
        old(node, granted, heads, unpromoted, router, *rest)
        router.tail = tails

    return broken


def no_credit(old: Callable[..., None]) -> Callable[..., None]:
    def broken(node: int, granted: int, slots: Any, config: Any, state: Any) -> None:
        queues = [q for q in range(config.queues) if state.routers.router[node].discard >> q & 1]
        old(node, granted, slots, config, state)
        for queue in queues:
            port, channel = divmod(queue, config.channels)
            link = config.link[node * config.ports + port]
            if port == config.local:
                slots.terminal_returned[node] &= ~(1 << channel)
            else:
                slots.returned[link.src_node] &= ~(1 << (link.src_port * config.channels + channel))

    return broken


def outside_packets(flit: object, node: int, arrival: int, config: Any, state: Any) -> None:
    for channel in range(config.channels):
        queue = node * config.queues + arrival * config.channels + channel
        state.routers.vc_buffer[queue].in_packet = False


def register_too_few(old: Callable[..., Any]) -> Callable[..., Any]:
    def broken(*given: Any) -> Any:
        functions, config, state = old(*given)
        config.registers[np.flatnonzero(config.registers)[-1]] -= 1
        return functions, config, state

    return broken


FAULTS: dict[str, tuple[str, Any, str, Callable[[Any], Any]]] = {
    "credit lost": ("one flit", router, "receive_credits", before(loses_a_credit)),
    "order of outputs": ("one channel", router, "grant_outputs", before(in_port_order)),
    "order of inputs": ("lanes", router, "nominate", before(in_channel_order)),
    "denied candidate given up": (
        "lanes",
        router,
        "nominate",
        lambda old: lambda node, candidates, granted, *rest: old(node, granted, granted, *rest),
    ),
    "no prediction": (
        "batches",
        router,
        "predict_eligible",
        lambda old: lambda *given: given[1],
    ),
    "no batches": ("batches", router, "step_batches", nothing),
    "limit of one more": (
        "limit",
        switch_allocator,
        "_limit",
        lambda old: lambda *given: old(*given) + (old(*given) > 0),
    ),
    "heads bypass": ("limit", router, "count_bypasses", heads_bypass),
    "lane kept": ("lanes", router, "choose_lane", nothing),
    "same output first": (
        "lanes",
        input_port,
        "_elsewhere_first",
        lambda old: lambda *given: given[1],
    ),
    "discarded without credit": ("malformed", router, "traverse_switch", no_credit),
    "head within a packet": ("malformed", input_port, "find_route", before(outside_packets)),
    "register too few on a link": ("links by length", wormhole, "link_start", register_too_few),
    "credits take one cycle": ("links by length", pipelined_link, "_take_credits", nothing),
    "no tail for a truncated packet": ("overruns", injection, "_end_truncated", nothing),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_judge_finds(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case, module, name, broken = FAULTS[fault]
    monkeypatch.setattr(module, name, broken(getattr(module, name)))
    with pytest.raises(AssertionError, match=r"^model and judge differ in cycle"):
        run(**CASES[case])
