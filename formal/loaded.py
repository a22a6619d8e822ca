"""A router under load: what the gates of the generated Verilog do with any traffic, in any state.

The Verilog of a node is cut between its input buffers and its outputs. On either side the cut wires
are anything that the other side is proven to keep to:

- `arrivals`: a flit gets the route of its head in the cycle in which it arrives, and keeps it until
  it is popped, whenever that may be.
- `departures`: whatever is at the front of the buffers, a flit leaves by its route, on the virtual
  channel that the lanes and increments of the network give, and waits for nothing else than a
  credit of that channel, that the channel is free, and flits that could go now.

Assumed of neighbours is that flits arrive with credits, on one channel at a time, and that credits
return for flits that were sent: `departures` and `arrivals` of these claim it.
"""

from dataclasses import dataclass
from typing import Any

from amaranth import Cat, Const, Mux, Signal, Value

from fingerpost.formal.armed import Armed
from fingerpost.formal.contract import Contract, at_most_one, level
from fingerpost.formal.finding import Finding
from fingerpost.formal.gates import Gates
from fingerpost.formal.netlist import Netlist
from fingerpost.formal.prove import graph_of, prove_each
from fingerpost.golden import counters
from fingerpost.golden.header import bits
from fingerpost.golden.link.flit_link import FlitLink
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.emit.network import node_names
from fingerpost.hdl.emit.verilog import node_verilog
from fingerpost.hdl.lib.logic import select
from fingerpost.hdl.node import additions
from fingerpost.hdl.router.vc_buffer import NIBBLE

__all__ = ["arrivals", "departures", "routes", "under_load"]

SECONDS = 60
"""After these PDR gives up."""

PATIENCE = 3
"""Cycles in which a flit that could go may stand, while no other could."""

Buffer = tuple[int, int]
"""Input port and virtual channel."""


class _Node:
    """The ports of a node type, and its Verilog in a contract."""

    def __init__(self, network: Network, node_type: NodeType, verilog: str) -> None:
        self.network, self.lanes, used = network, network.lanes, network.used_turns[node_type]
        self.degree = network.topology.degree
        terminal = (self.degree,) if node_type.terminal else ()
        ins, outs = node_type.inputs + terminal, node_type.outputs + terminal
        self.outputs = {p: tuple(q for q in outs if used[p, q]) for p in ins if used[p, outs].any()}
        self.inputs = {q: [p for p in self.outputs if used[p, q]] for q in outs}
        self.inputs = {q: inputs for q, inputs in self.inputs.items() if inputs}
        self.buffers = [(p, v) for p in self.outputs for v in range(self.channels(p))]
        self.contract = Contract()
        self.around = "router." if additions(network) else ""
        self.netlist = Netlist(self.contract, node_names(network)[node_type], verilog)
        self.wire, self.m = self.netlist.wire, self.contract.m

    def channels(self, port: int) -> int:
        """Return the virtual channels of an input or output."""
        return self.lanes.copies if port == self.degree else self.lanes.all_channels

    def depth(self, port: int) -> int:
        """Return the flits that a buffer of an input holds."""
        return self.network.terminal_depth if port == self.degree else self.network.buffer_depth

    def input(self, port: int, name: str, width: int = 1) -> Signal:
        """Return a wire of an input port."""
        return self.wire(f"{self.around}input{port}.{name}", width)

    def output(self, port: int, name: str, width: int = 1) -> Signal:
        """Return a wire of an output port."""
        return self.wire(f"{self.around}output{port}.{name}", width)

    def buffer(self, at: Buffer, name: str, width: int = 1) -> Signal:
        """Return a wire of a buffer."""
        return self.input(at[0], f"vc_buffer{at[1]}.{name}", width)

    def cut(self, at: Buffer, name: str, width: int = 1) -> Signal:
        """Cut a wire of a buffer."""
        return self.netlist.cut(f"{self.around}input{at[0]}.vc_buffer{at[1]}.{name}", width)

    def past(self, value: Value, init: int = 0) -> Signal:
        """Return what a value was in the previous cycle."""
        before = Signal(len(value), init=init, name="past")
        self.m.d.sync += before.eq(value)
        return before

    def arrives(self, port: int) -> tuple[Value, Any]:
        """Return by channel whether a flit arrives at an input, and the flit."""
        width = 2 + self.network.flit_width
        if port == self.degree:
            injection = f"{self.around}injection.next_"
            valid = self.wire(f"{injection}valid", self.lanes.copies)
            return valid, self.wire(f"{injection}flit", width)
        valid = self.contract.anything(f"inputs__{port}__valid", self.lanes.all_channels)
        flit = self.contract.anything(f"inputs__{port}__flit", width)
        self.netlist.put(valid.name, valid)
        self.netlist.put(flit.name, flit)
        return valid, flit


@dataclass(frozen=True)
class _Front:
    """The front of a buffer, to its outputs."""

    valid: Value
    head: Value
    tail: Value
    request: Value
    pop: Value


def arrivals(network: Network, node_type: NodeType, verilog: str) -> dict[str, Contract]:
    """Return the contract of each buffer of a node type, by its name."""
    node = _Node(network, node_type, verilog)
    contracts = {}
    for port in node.outputs:
        valid, flit = node.arrives(port)
        for v in range(node.channels(port)):
            contract = node.contract.beside()
            if port != node.degree:
                contract.assume(at_most_one(valid))
            _arrival(node, contract, (port, v), valid[v], flit)
            contracts[f"input {port} channel {v}"] = contract
        contract = contracts[f"input {port}"] = node.contract.beside()
        if port != node.degree:
            contract.assume(at_most_one(valid))
        elif node.lanes.copies > 1:
            contract.claim("one_class", at_most_one(valid))
            if not node.around:
                inject = node.contract.anything("inject__valid", node.lanes.copies)
                node.netlist.put(inject.name, inject)
                contract.assume(at_most_one(inject))
        _stored(node, contract, port, valid, flit)
    contracts["errors"] = node.contract.beside()
    _counted(node, contracts["errors"])
    node.netlist.connect()
    return contracts


def _arrival(node: _Node, contract: Contract, at: Buffer, arrives: Value, flit: Any) -> None:
    """Claim that a buffer gives flits in order with their routes, whenever they are popped."""
    (port, v), m, past = at, node.m, node.past
    depth, name = node.depth(port), f"input{port}_{v}_"
    pop, valid = node.cut(at, "pop"), node.buffer(at, "valid")
    request = node.buffer(at, "request", len(node.outputs[port]))
    head, tail = node.buffer(at, "head"), node.buffer(at, "tail")
    contract.assume(~pop | valid)
    credit = node.input(port, "link__credit", node.channels(port))[v]
    contract.claim("credit", credit == past(pop))
    if port != node.degree:
        owed = level(contract, f"{name}owed", depth, up=arrives, down=credit)
        contract.assume(~arrives | (owed != depth))

    # What arrives, and what is pushed.
    in_packet = Signal(name=f"{name}in_packet")
    arriving_tail = flit[1] | (~flit[0] & ~in_packet)
    with m.If(arrives):
        m.d.sync += in_packet.eq((in_packet | flit[0]) & ~flit[1])
    contract.claim("in_packet", node.input(port, "in_packet", node.channels(port))[v] == in_packet)
    push, route = node.buffer(at, "push"), node.cut((port, 0), "push_route", len(request))
    contract.assume(at_most_one(route))
    pushed: list[Value] = [arrives, arriving_tail]
    if node.network.routing_register:
        pushed = [past(value) for value in pushed]
    comes, its_tail_bit = pushed
    contract.claim("push", push == comes)
    contract.claim("push_tail", ~push | (node.buffer(at, "push_tail") == its_tail_bit))

    held = level(contract, f"{name}held", depth, up=push, down=pop)
    contract.claim("room", ~push | (held != depth))
    contract.claim("valid", valid == (held != 0))
    head_now = Signal(init=1, name=f"{name}head")
    with m.If(pop):
        m.d.sync += head_now.eq(tail)
    contract.claim("head", head == head_now)
    stays = past(valid & ~pop)
    front = Cat(tail, request)
    contract.claim("stable", ~stays | (valid & (front == past(front))))
    changes = past(Mux(pop, tail, ~valid & head), init=1)
    contract.claim("holds", changes | (request == past(request)))

    # The memory of routes is that of Yosys: it gives what was written to a row last. It is asked
    # about three flits: any one, that which was pushed before it, and that which was pushed last.
    armed = Armed(contract, push, pop, held, name=name)
    rows = bits(depth)
    write_ptr, read_ptr = node.buffer(at, "write_ptr", rows), node.buffer(at, "read_ptr", rows)
    packed = len(request) if 1 + len(request) <= NIBBLE else bits(1 + len(request))
    write, read = (node.buffer(at, f"{end}__addr", rows) for end in ("write", "read"))
    word, given = node.buffer(at, "write__data", 1 + packed), node.cut(at, "read__data", 1 + packed)
    last_row, last_word = Signal(rows), Signal(1 + packed)
    last_tail, some = Signal(init=1, name=f"{name}last_tail"), Signal(name=f"{name}some")
    with m.If(push):
        m.d.sync += [last_row.eq(write_ptr), last_word.eq(word), last_tail.eq(its_tail_bit)]
        m.d.sync += some.eq(1)
    its_word, its_row = armed.keep("its_word", word), armed.keep("its_row", write_ptr)
    previous_word = armed.keep("previous_word", last_word)
    previous_row = armed.keep("previous_row", last_row)
    behind = armed.here & (armed.ahead != 0)
    for there, row, value in (
        (armed.here, its_row, its_word),
        (behind, previous_row, previous_word),
        (some, last_row, last_word),
    ):
        contract.assume(~there | (read != row) | (given == value))
        kept = there & push & (write_ptr == row)
        contract.claim(f"kept_{row.name}", ~kept | (row is last_row))
    contract.claim("writes", ~push | (node.buffer(at, "write__en") & (write == write_ptr)))
    its_route, its_head = armed.keep("its_route", route), armed.keep("its_head", last_tail)
    its_tail = armed.keep("its_tail", its_tail_bit)
    contract.claim("its_head", ~armed.front | (head == its_head))
    contract.claim("its_tail", ~armed.front | (tail == its_tail))
    contract.claim("its_route", ~(armed.front & its_head) | (request == its_route))
    # Until the tail the request holds, so it is one-hot for body flits, too.
    watched = (armed.front & its_head) | (~valid & head)
    contract.claim("one_request", ~watched | at_most_one(request))
    contract.claim("its_row", ~armed.front | (read_ptr == its_row))
    # Invariants that help.
    contract.claim("last_tail", (held > 1) | (Mux(held == 0, head, tail) == last_tail))
    contract.claim("its_front", ~armed.here | (armed.ahead != 1) | (tail == its_head))
    ends = _around(read_ptr + held, depth), _around(read_ptr + armed.ahead, depth)
    contract.claim("pointers", (write_ptr == ends[0]) & (read_ptr < depth))
    contract.claim("ahead", ~armed.here | ((its_row == ends[1]) & (armed.ahead < held)))


def _around(row: Value, depth: int) -> Value:
    """Return a row of a ring of rows."""
    return Mux(row >= depth, row - depth, row)[: bits(depth)]


def _stored(node: _Node, contract: Contract, port: int, valid: Value, flit: Any) -> None:
    """Claim where an input writes and reads flits, and that a head is written with its next header.

    The memory itself is that of Yosys.
    """
    past, channels = node.past, node.channels(port)
    depth, width = node.depth(port), node.network.flit_width
    header = node.network.routing.header.width
    numbered = bits(channels) if channels > 1 else 0
    rows = [
        {
            end: Cat(node.buffer((port, v), end, bits(depth)), Const(v, numbered))
            for end in ("write_ptr", "read_ptr")
        }
        for v in range(channels)
    ]
    address = bits(depth) + numbered
    candidate, push = (
        node.input(port, "candidate", channels),
        [node.buffer((port, v), "push") for v in range(channels)],
    )
    write, read = (node.input(port, f"{end}__addr", address) for end in ("write", "read"))
    contract.claim("writes", node.input(port, "write__en") == Cat(push).any())
    in_packet = node.input(port, "in_packet", channels)
    starts = flit[0] & ~(in_packet & valid).any()
    unit = node.input(port, "route_stage.routing.next_header", header)
    content: Value = Cat(Mux(starts, unit, flit[2 : 2 + header]), flit[2 + header :])
    if node.network.routing_register:
        content = past(content)
    orphan = ~flit[0] & ~(in_packet & valid).any()
    unit_route = node.input(port, "route_stage.route", len(node.outputs[port]))
    malformed = orphan | (flit[0] & ((in_packet & valid).any() | ~unit_route.any()))
    contract.claim("error", node.input(port, "error") == (valid.any() & malformed))
    data = node.input(port, "write__data", width)
    contract.claim("content", ~Cat(push).any() | (data == content))
    for v in range(channels):
        contract.claim(f"write{v}", ~push[v] | (write == rows[v]["write_ptr"]))
        contract.claim(f"read{v}", ~candidate[v] | (read == rows[v]["read_ptr"]))
    crosses = node.input(port, "st_flit", 2 + width)
    contract.claim("crosses", crosses[2:] == node.input(port, "read__data", width))
    marks = [
        (candidate & Cat(node.buffer((port, v), name) for v in range(channels))).any()
        for name in ("head", "tail")
    ]
    contract.claim("marks", crosses[:2] == past(Cat(marks)))


def _counted(node: _Node, contract: Contract) -> None:
    """Claim that each malformed flit counts once, two cycles later, up to the limit."""
    width = counters.ERRORS.width
    errors = node.wire(f"{node.around}errors", width)
    new = node.past(Cat(node.input(port, "error") for port in node.outputs))
    due, total = Signal(width, name="due_errors"), Signal(width + 1, name="total_errors")
    node.m.d.comb += total.eq(due + sum(new))
    node.m.d.sync += due.eq(Mux(total[width], (1 << width) - 1, total))
    contract.claim("errors", errors == due)


def departures(network: Network, node_type: NodeType, verilog: str) -> dict[str, Contract]:
    """Return the contract of each output of a node type, and of what pops its buffers."""
    node = _Node(network, node_type, verilog)
    m, past = node.m, node.past
    fronts, assumed = {}, list[Value]()
    for at in node.buffers:
        request = node.cut(at, "request", len(node.outputs[at[0]]))
        valid, tail = node.cut(at, "valid"), node.cut(at, "tail")
        front = _Front(valid, node.cut(at, "head"), tail, request, node.buffer(at, "pop"))
        fronts[at] = front
        head = Signal(init=1, name=f"head{at[0]}_{at[1]}")
        with m.If(front.pop):
            m.d.sync += head.eq(front.tail)
        stays = past(front.valid & ~front.pop)
        rest = Cat(front.tail, request)
        changes = past(Mux(front.pop, front.tail, ~front.valid & front.head), init=1)
        assumed += [
            at_most_one(request),
            front.head == head,
            ~stays | (front.valid & (rest == past(rest))),
            changes | (request == past(request)),
        ]
    for port in node.outputs:
        arrives: Value = node.arrives(port)[0]
        if port == node.degree:
            arrives = node.netlist.cut(f"{node.around}injection.next_valid", node.channels(port))
        assumed.append(at_most_one(arrives))
    contracts = {}
    increments = node.contract.constant("increments", node.degree**2)
    node.netlist.put("increments", increments)
    candidates = {p: node.input(p, "candidate", node.channels(p)) for p in node.outputs}
    outputs = {q: _Output(node, q, fronts, candidates, increments) for q in node.inputs}
    for port in node.outputs:
        contract = contracts[f"input {port}"] = node.contract.beside()
        _popped(node, contract, port, fronts, candidates[port], outputs)
    for q, output in outputs.items():
        contract = contracts[f"output {q}"] = node.contract.beside()
        output.claims(contract)
        contract = contracts[f"waits for output {q}"] = node.contract.beside()
        output.waits(contract, outputs)
    for contract in contracts.values():
        for value in assumed:
            contract.assume(value)
    node.netlist.connect()
    return contracts


class _Output:
    """What leaves by an output, according to the fronts of buffers and what it grants."""

    def __init__(
        self,
        node: _Node,
        port: int,
        fronts: dict[Buffer, _Front],
        candidates: dict[int, Signal],
        increments: Signal,
    ) -> None:
        self.node, self.port, self.count = node, port, node.channels(port)
        self.increments = increments
        inputs = node.inputs[port]
        self.grant = node.output(port, "grant", len(inputs))
        self.buffers = [at for at in node.buffers if at[0] in inputs]
        self.fronts = [fronts[at] for at in self.buffers]
        self.candidates = candidates
        self.request = [fronts[p, v].request[node.outputs[p].index(port)] for p, v in self.buffers]
        self.granted = [self.grant[inputs.index(p)] & candidates[p][v] for p, v in self.buffers]
        every = {
            p: node.output(port, f"eligible{n}", node.channels(p)) for n, p in enumerate(inputs)
        }
        self.eligible = [every[p][v] for p, v in self.buffers]
        self.to = [self._channel(at) for at in self.buffers]
        self.has_credit = [node.output(port, f"credit_counter{c}.has_credit") for c in self.used]
        self.busy = [node.output(port, f"vc_state{c}.busy") for c in self.used]

    @property
    def used(self) -> list[int]:
        """Return the virtual channels that some packet uses."""
        return [c for c in range(self.count) if any(self._may(at, c) for at in self.buffers)]

    def _may(self, at: Buffer, c: int) -> bool:
        return bool(self._channels(at) >> c & 1)

    def _channels(self, at: Buffer) -> int:
        """Return as bits the virtual channels that packets of a buffer may use."""
        (p, v), lanes, degree = at, self.node.lanes, self.node.degree
        if self.port == degree:
            return 1 << (v if p == degree else v // lanes.channels)
        if p == degree:
            return ((1 << int(lanes.count[0])) - 1) << v * lanes.channels
        return 1 << v | 1 << int(lanes.next_vc[v])

    def _channel(self, at: Buffer) -> Value:
        """Return one-hot the virtual channel of a packet, by lanes and increments."""
        (p, v), node = at, self.node
        lanes, degree = node.lanes, node.degree
        every = Const(self._channels(at), self.count)
        if self.port == degree:
            return every
        if p == degree:
            first = int(lanes.count[0])
            if lanes.spare and lanes.copies == 1:
                lane: Value = node.output(self.port, "next_lane", first)
            else:
                lane = node.output(self.port, "lane", first * lanes.copies)[v * first :][:first]
            below = v * lanes.channels
            return Cat(Const(0, below), lane, Const(0, self.count - below - first))
        increment = self.increments[p * degree + self.port]
        one = Const(1, self.count)
        return Mux(increment, one << int(lanes.next_vc[v]), one << v)[: self.count]

    def claims(self, contract: Contract) -> None:
        """Claim that flits leave whole, on their channel, with credits, and nothing else does."""
        node, past = self.node, self.node.past
        port, name = self.port, f"output{self.port}_"
        link = "eject" if port == node.degree else f"outputs__{port}"
        link = f"{node.around}{link}" if node.around else link
        valid = node.wire(f"{link}__valid", self.count)
        flit = node.wire(f"{link}__flit", 2 + node.network.flit_width)
        credit = node.output(port, "link__credit", self.count)
        wishes = [
            Cat(
                e & self.candidates[p][v]
                for e, (p, v) in zip(self.eligible, self.buffers, strict=True)
                if p == i
            ).any()
            for i in node.inputs[port]
        ]
        contract.claim("grant", at_most_one(self.grant) & ~(self.grant & ~Cat(wishes)).any())
        contract.claim("work_conserving", self.grant.any() == Cat(wishes).any())
        crosses = [
            node.netlist.cut(f"{node.around}input{p}.st_flit", 2 + node.network.flit_width)
            for p in node.inputs[port]
        ]
        grant_q = past(self.grant)
        contract.claim("flit", flit == past(select(grant_q, crosses)))
        contract.claim("one_channel", at_most_one(valid))
        for c in range(self.count):
            if c not in self.used:
                contract.claim(f"unused{c}", ~valid[c])
        for number, c in enumerate(self.used):
            here = [to[c] for to in self.to]
            sent = Cat(g & h for g, h in zip(self.granted, here, strict=True)).any()
            contract.claim(f"channel{c}", valid[c] == past(past(sent)))
            there = level(
                contract, f"{name}there{c}", node.network.buffer_depth, up=valid[c], down=credit[c]
            )
            away = level(
                contract, f"{name}away{c}", node.network.buffer_depth, up=sent, down=credit[c]
            )
            contract.assume((there != 0) | ~credit[c])
            full = node.network.buffer_depth
            contract.claim(f"room{c}", ~valid[c] | (there != full))
            contract.claim(f"has_credit{c}", self.has_credit[number] == (away != full))
            inside = Cat(
                h & r & ~f.head for h, r, f in zip(here, self.request, self.fronts, strict=True)
            )
            contract.claim(f"busy{c}", self.busy[number] == inside.any())
            contract.claim(f"one_packet{c}", at_most_one(inside))
        self._eligible(contract)

    def _eligible(self, contract: Contract) -> None:
        """Claim when a flit is eligible: exactly then."""
        node = self.node
        batches = max(node.channels(p) for p in node.inputs[self.port]) > 1
        numbers = {
            c: [k for k, at in enumerate(self.buffers) if self._may(at, c)] for c in self.used
        }
        served = {
            c: node.output(self.port, f"batch_arbiter{c}.served", len(numbers[c]))
            for c in self.used
            if batches
        }
        for k, (front, request) in enumerate(zip(self.fronts, self.request, strict=True)):
            may = []
            for number, c in enumerate(self.used):
                if k not in numbers[c]:
                    continue
                masked: Value = served[c][numbers[c].index(k)] if batches else Const(0)
                free = ~front.head | ~(self.busy[number] | masked)
                may.append(self.to[k][c] & self.has_credit[number] & free)
            p, v = self.buffers[k]
            due = front.valid & request & Cat(may).any()
            contract.claim(f"eligible{p}_{v}", self.eligible[k] == due)
        for number, c in enumerate(self.used if batches else ()):
            heads = Cat(
                self.fronts[k].valid & self.request[k] & self.fronts[k].head & self.to[k][c]
                for k in numbers[c]
            )
            could = heads.any() & self.has_credit[number] & ~self.busy[number]
            eligible = Cat(self.eligible[k] for k in numbers[c])
            contract.claim(f"begins{c}", ~could | (eligible & heads).any())

    def waits(self, contract: Contract, outputs: dict[int, "_Output"]) -> None:
        """Claim that a flit goes in time if its channel is free for it and no other flit could."""
        node = self.node
        chosen = contract.one_of(f"chosen{self.port}", len(self.buffers))
        could = []
        for k, (front, request) in enumerate(zip(self.fronts, self.request, strict=True)):
            may = Cat(
                self.to[k][c] & self.has_credit[n] & ~(front.head & self.busy[n])
                for n, c in enumerate(self.used)
            ).any()
            could.append(front.valid & request & may & ~front.pop)
        others = []
        for other in outputs.values():
            for at, eligible in zip(other.buffers, other.eligible, strict=True):
                mine = chosen[self.buffers.index(at)] if at in self.buffers else Const(0)
                others.append(eligible & ~mine)
        stands = (Cat(could) & chosen).any() & ~Cat(others).any()
        cycles = Signal(PATIENCE, name=f"cycles{self.port}")
        node.m.d.sync += cycles.eq(Mux(stands, Cat(1, cycles), 0))
        contract.claim("goes", ~(stands & cycles.all()))


def _popped(
    node: _Node,
    contract: Contract,
    port: int,
    fronts: dict[Buffer, _Front],
    candidate: Signal,
    outputs: dict[int, _Output],
) -> None:
    """Claim that a flit is popped as it is granted or has no route, and then crosses the switch."""
    route = node.buffer((port, 0), "push_route", len(node.outputs[port]))
    contract.claim("one_route", at_most_one(route))
    contract.claim("candidate", at_most_one(candidate) & candidate.any())
    for v in range(node.channels(port)):
        front = fronts[port, v]
        grants = [
            outputs[q].granted[outputs[q].buffers.index((port, v))] for q in node.outputs[port]
        ]
        discarded = front.valid & ~front.request.any()
        contract.claim(f"pop{v}", front.pop == (Cat(grants).any() | discarded))
        contract.claim(f"there{v}", ~front.pop | front.valid)
        wrong = [g & ~front.request[k] for k, g in enumerate(grants)]
        contract.claim(f"route{v}", ~Cat(wrong).any())


def routes(network: Network, node_type: NodeType, verilog: str) -> dict[str, list[str]]:
    """Return what routes and next headers depend on besides straps and flit, for each input.

    The flit is that which arrives, or that which the terminal sent as many cycles before as header
    generation and routing take. The selection of adaptive and random routing is an input, too.
    """
    node = _Node(network, node_type, verilog)
    routing, width = network.routing, 2 + network.flit_width
    flits, seen = dict[int, Any](), dict[int, Signal]()
    for port in node.outputs:
        flits[port] = node.arrives(port)[1]
        route = node.buffer((port, 0), "push_route", len(node.outputs[port]))
        unit = node.input(port, "route_stage.routing.next_header", routing.header.width)
        seen[port] = node.contract.see(f"route{port}", Cat(route, unit))
    known = {f"inputs__{port}__flit" for port in flits} | {"straps"}
    cuts = [f"{node.around}selection"] * bool(routing.selection)
    if node.degree in flits:
        cuts.append(f"{node.around}injection.next_flit")
        if node.around:
            cuts.append(f"{node.around}inject__flit")
        else:
            node.netlist.put("inject__flit", node.contract.anything("inject__flit", width))
    for name in cuts:
        node.netlist.cut(name, routing.selection_width if name.endswith("selection") else width)
    node.netlist.put("straps", node.contract.anything("straps", routing.straps.width))
    node.netlist.connect()
    known |= {f"{name}.cut" for name in cuts} | {"inject__flit"}
    gates = Gates.read(graph_of([node.contract], memories="memory_map -rom-only"))
    found = {}
    for port, signal in seen.items():
        cycles = network.routing_register + routing.header_cycles * (port == node.degree)
        found[f"input {port}"] = [
            name for name in gates.depends(signal.name, cycles) if name not in known
        ]
    return found


def under_load(network: Network, node_type: NodeType, component: str) -> list[Finding]:
    """Return what is proven of the generated Verilog of a node type in every state.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """
    if not isinstance(network.link, FlitLink):
        reason = "no flits on the links"
        return [Finding.not_tried(component, "flits take their channel", reason)]
    verilog = node_verilog(network)[node_names(network)[node_type]]
    depends = routes(network, node_type, verilog)
    broken = [f"{port}: {', '.join(names[:4])}" for port, names in depends.items() if names]
    claim = "routes depend on headers alone"
    found = [Finding(component, claim, "structure", len(depends), tuple(broken[:4]))]
    for claim, make in (
        ("flits keep the route of their head", arrivals),
        ("flits take their channel, wait only for it", departures),
    ):
        contracts = make(network, node_type, verilog)
        verdicts = zip(
            contracts, prove_each(list(contracts.values()), seconds=SECONDS), strict=True
        )
        broken, late = [], []
        for name, verdict in verdicts:
            late += [name] if verdict.proven is None else []
            broken += [f"{name}: {', '.join(verdict.broken)}"] if verdict.proven is False else []
        reason = f"undecided after {SECONDS} s: {', '.join(late[:4])}" if late else ""
        cases = sum(len(contract.claims) for contract in contracts.values())
        found.append(Finding(component, claim, "pdr", cases, tuple(broken[:4]), reason))
    return found
