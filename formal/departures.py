"""From the buffers of a node to its links: a flit takes its channel, and waits only for that.

Whatever is at the front of the buffers, a flit leaves by its route, on the virtual channel that the
lanes and increments of the network give, and waits for nothing else than a credit of that channel,
that the channel is free, and flits that could go now. `arrivals` claims of the fronts all that is
assumed here; no contract of these claims what another assumes.
"""

from dataclasses import dataclass

from amaranth import Cat, Const, Mux, Signal, Value

from fingerpost.formal.contract import Contract, at_most_one, claim_room, level
from fingerpost.formal.netlist import Buffer, Node
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.lib.logic import select

PATIENCE = 3
"""Cycles in which a flit that could go may stand, while no other could."""


@dataclass(frozen=True)
class Front:
    """The front of a buffer, to its outputs."""

    valid: Value
    head: Value
    tail: Value
    request: Value
    pop: Value


def departures(network: Network, node_type: NodeType, verilog: str) -> dict[str, Contract]:
    """Return the contract of each output of a node type, and of what pops its buffers."""
    node = Node(network, node_type, verilog)
    m, past = node.m, node.past
    fronts, assumed = {}, list[Value]()
    for at in node.buffers:
        request = node.cut(at, "request", len(node.outputs[at[0]]))
        valid, tail = node.cut(at, "valid"), node.cut(at, "tail")
        front = Front(valid, node.cut(at, "head"), tail, request, node.buffer(at, "pop"))
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
        if port >= node.degree:
            arrives = node.netlist.cut(node.injection(port, "next_valid"), node.channels(port))
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
    if network.counters is not None and network.counters.ports:
        contract = contracts["stalls"] = node.contract.beside()
        _stalled(node, contract, outputs)
    for contract in contracts.values():
        for value in assumed:
            contract.assume(value)
    node.netlist.connect()
    return contracts


def _stalled(node: Node, contract: Contract, outputs: dict[int, "_Output"]) -> None:
    """Claim that `stalled` follows a cycle in which a flit requested an output and none left."""
    stalled = node.wire("stalled", node.network.topology.all_ports)
    for q, output in outputs.items():
        wait = [front.valid & bit for front, bit in zip(output.fronts, output.request, strict=True)]
        goes = [bit & front.pop for front, bit in zip(output.fronts, wait, strict=True)]
        due = node.past(Cat(wait).any() & ~Cat(goes).any())
        contract.claim(f"stalled{q}", stalled[q] == due)


class _Output:
    """What leaves by an output, according to the fronts of buffers and what it grants."""

    def __init__(
        self,
        node: Node,
        port: int,
        fronts: dict[Buffer, Front],
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
            p: node.output(port, f"switch_allocator.eligible{n}", node.channels(p))
            for n, p in enumerate(inputs)
        }
        self.to = [self._channel(at) for at in self.buffers]
        self.has_credit = [node.output(port, f"credit_counter{c}.has_credit") for c in self.used]
        # With one channel the switch allocator asks for a credit last.
        single = self.count == max(map(node.channels, inputs)) == 1
        enable = self.has_credit[0] if single else Const(1)
        self.eligible = [every[p][v] & enable for p, v in self.buffers]
        self.busy = [node.output(port, f"vc_allocator{c}.busy") for c in self.used]

    @property
    def used(self) -> list[int]:
        """Return the virtual channels that some packet uses."""
        return [c for c in range(self.count) if any(self._may(at, c) for at in self.buffers)]

    def _may(self, at: Buffer, c: int) -> bool:
        return bool(self._channels(at) >> c & 1)

    def _channels(self, at: Buffer) -> int:
        """Return as bits the virtual channels that packets of a buffer may use."""
        (p, v), lanes, degree = at, self.node.lanes, self.node.degree
        if self.port >= degree:
            return 1 << (v if p >= degree else v // lanes.channels)
        if p >= degree:
            return ((1 << int(lanes.count[0])) - 1) << v * lanes.channels
        return 1 << v | 1 << int(lanes.next_vc[v])

    def _channel(self, at: Buffer) -> Value:
        """Return one-hot the virtual channel of a packet, by lanes and increments."""
        (p, v), node = at, self.node
        lanes, degree = node.lanes, node.degree
        every = Const(self._channels(at), self.count)
        if self.port >= degree:
            return every
        if p >= degree:
            first = int(lanes.count[0])
            if lanes.spare and lanes.copies == 1:
                lane: Value = node.output(self.port, node.local("next_lane", p), first)
            else:
                lane = node.output(self.port, node.local("lane", p), first * lanes.copies)
                lane = lane[v * first :][:first]
            below = v * lanes.channels
            return Cat(Const(0, below), lane, Const(0, self.count - below - first))
        increment = self.increments[p * degree + self.port]
        one = Const(1, self.count)
        return Mux(increment, one << int(lanes.next_vc[v]), one << v)[: self.count]

    def claims(self, contract: Contract) -> None:
        """Claim that flits leave whole, on their channel, with credits, and nothing else does."""
        node, past = self.node, self.node.past
        port, name = self.port, f"output{self.port}_"
        link = node.link_out(port)
        valid = node.outside(f"{link}__valid", self.count)
        flit = node.outside(f"{link}__flit", 2 + node.network.flit_width)
        credit = node.inside(f"{link}__credit", self.count)
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
        stages = node.network.pipeline
        crosses = [self._crosses(p, stages.allocation) for p in node.inputs[port]]
        grant_q = past(self.grant, stages.allocation)
        whole = flit == past(select(grant_q, crosses), stages.traversal)
        contract.claim("flit", ~valid.any() | whole)
        contract.claim("one_channel", at_most_one(valid))
        for c in range(self.count):
            if c not in self.used:
                contract.claim(f"unused{c}", ~valid[c])
        for number, c in enumerate(self.used):
            here = [to[c] for to in self.to]
            sent = Cat(g & h for g, h in zip(self.granted, here, strict=True)).any()
            contract.claim(f"channel{c}", valid[c] == past(sent, stages.link_cycles))
            full = node.network.buffer_depth
            claim_room(contract, c, full, valid=valid[c], credit=credit[c], port=name)
            away = level(contract, f"{name}away{c}", full, up=sent, down=credit[c])
            contract.claim(f"has_credit{c}", self.has_credit[number] == (away != full))
            inside = Cat(
                h & r & ~f.head for h, r, f in zip(here, self.request, self.fronts, strict=True)
            )
            contract.claim(f"busy{c}", self.busy[number] == inside.any())
            contract.claim(f"one_packet{c}", at_most_one(inside))
        self._eligible(contract)

    def _crosses(self, p: int, cycles: int) -> Value:
        """Return the candidate of an input in switch traversal: its marks, and any data."""
        node, candidate = self.node, self.candidates[p]
        at = [k for k, (port, _) in enumerate(self.buffers) if port == p]
        marks = Cat(
            (candidate & Cat(getattr(self.fronts[k], name) for k in at)).any()
            for name in ("head", "tail")
        )
        data = f"{node.around}input{p}.data.read_data"
        return Cat(node.past(marks, cycles), node.netlist.cut(data, node.network.flit_width))

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
    node: Node,
    contract: Contract,
    port: int,
    fronts: dict[Buffer, Front],
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
