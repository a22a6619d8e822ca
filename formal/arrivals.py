"""From the links of a node to its buffers: a flit gets the route of its head, and keeps it.

That holds whenever it is popped; `departures` claims of what pops it all that is assumed here.
"""

from typing import Any

from amaranth import Cat, Const, Mux, Signal, Value

from fingerpost.formal.contract import Armed, Contract, at_most_one, level
from fingerpost.formal.netlist import Buffer, Node
from fingerpost.golden import counters
from fingerpost.golden.header import bits
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.router.vc_buffer import NIBBLE


def arrivals(network: Network, node_type: NodeType, verilog: str) -> dict[str, Contract]:
    """Return contracts of a node type by name: of each buffer, each input, injection, errors."""
    node = Node(network, node_type, verilog)
    contracts = {}
    for port in node.outputs:
        valid, flit = node.arrives(port)
        for v in range(node.channels(port)):
            contract = node.contract.beside()
            contract.assume(at_most_one(valid))  # of the terminal: the claim `one_class`
            _arrival(node, contract, (port, v), valid[v], flit)
            contracts[f"input {port} channel {v}"] = contract
        contract = contracts[f"input {port}"] = node.contract.beside()
        if port < node.degree:
            contract.assume(at_most_one(valid))
        elif node.lanes.copies > 1:
            sent = node.inside(f"{node.link_in(port)}__valid", node.lanes.copies)
            contract.assume(at_most_one(sent))
            contract.claim("one_class", at_most_one(valid))
            if node.around:
                own = node.wire(f"{node.around}{node.link_in(port)}_valid", node.lanes.copies)
                contract.claim("one_class_sent", at_most_one(own))
        _stored(node, contract, port, valid, flit)
    for port in filter(node.outputs.__contains__, node.terminals):
        contract = contracts[node.local("injection", port)] = node.contract.beside()
        _injected(node, contract, port)
    contracts["errors"] = node.contract.beside()
    _counted(node, contracts["errors"])
    node.netlist.connect()
    return contracts


def _arrival(node: Node, contract: Contract, at: Buffer, arrives: Value, flit: Any) -> None:
    """Claim that a buffer gives flits in order with their routes, whenever they are popped."""
    (port, v), m, past = at, node.m, node.past
    depth, name = node.depth(port), f"input{port}_{v}_"
    pop, valid = node.cut(at, "pop"), node.buffer(at, "valid")
    request = node.buffer(at, "request", len(node.outputs[port]))
    head, tail = node.buffer(at, "head"), node.buffer(at, "tail")
    contract.assume(~pop | valid)
    credit = node.outside(f"{node.link_in(port)}__credit", node.channels(port))[v]
    contract.claim("credit", credit == past(pop, node.network.pipeline.credit))
    if port < node.degree:
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
    comes, its_tail_bit = (
        past(value, node.network.pipeline.routing - 1) for value in (arrives, arriving_tail)
    )
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
    write, read = (node.buffer(at, f"routes.{end}_addr", rows) for end in ("write", "read"))
    word = node.buffer(at, "routes.write_data", 1 + packed)
    given = node.cut(at, "routes.read_data", 1 + packed)
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
    contract.claim("writes", ~push | (node.buffer(at, "routes.write_en") & (write == write_ptr)))
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


def _stored(node: Node, contract: Contract, port: int, valid: Value, flit: Any) -> None:
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
    write, read = (node.input(port, f"data.{end}_addr", address) for end in ("write", "read"))
    contract.claim("writes", node.input(port, "data.write_en") == Cat(push).any())
    in_packet = node.input(port, "in_packet", channels)
    starts = flit[0] & ~(in_packet & valid).any()
    unit = node.input(port, "route_stage.routing.next_header", header)
    content: Value = Cat(Mux(starts, unit, flit[2 : 2 + header]), flit[2 + header :])
    content = past(content, node.network.pipeline.routing - 1)
    orphan = ~flit[0] & ~(in_packet & valid).any()
    unit_route = node.input(port, "route_stage.route", len(node.outputs[port]))
    malformed = orphan | (flit[0] & ((in_packet & valid).any() | ~unit_route.any()))
    contract.claim("error", node.input(port, "error") == (valid.any() & malformed))
    data = node.input(port, "data.write_data", width)
    contract.claim("content", ~Cat(push).any() | (data == content))
    for v in range(channels):
        contract.claim(f"write{v}", ~push[v] | (write == rows[v]["write_ptr"]))
        contract.claim(f"read{v}", ~candidate[v] | (read == rows[v]["read_ptr"]))
    crosses = node.input(port, "st_flit", 2 + width)
    contract.claim("crosses", crosses[2:] == node.input(port, "data.read_data", width))
    marks = [
        (candidate & Cat(node.buffer((port, v), name) for v in range(channels))).any()
        for name in ("head", "tail")
    ]
    crossing = past(Cat(marks), node.network.pipeline.allocation)
    contract.claim("marks", crosses[:2] == crossing)


def _injected(node: Node, contract: Contract, port: int) -> None:
    """Claim that flits which a terminal sends with credits come in unchanged, and nothing else.

    After as many cycles as header generation takes, by the order in which they were sent. Without a
    credit a flit may be dropped; its packet then gets a tail, as contracts of `Injection` claim.
    """
    cycles, link = node.network.routing.header_cycles, node.link_in(port)
    depth, channels = node.depth(port), node.channels(port)
    sent, flit = (
        node.inside(f"{link}__valid", channels),
        node.inside(f"{link}__flit", 2 + node.network.flit_width),
    )
    credit = node.outside(f"{link}__credit", channels)
    contract.assume(at_most_one(sent))
    for v in range(channels):
        contract.assume(~node.cut((port, v), "pop") | node.buffer((port, v), "valid"))
        owed = level(contract, f"sent{v}", depth, up=sent[v], down=credit[v])
        contract.assume(~sent[v] | (owed != depth))
    valid, next_flit = node.arrives(port)
    contract.claim("enters", valid == node.past(sent, cycles))
    contract.claim("unchanged", ~valid.any() | (next_flit == node.past(flit, cycles)))


def _counted(node: Node, contract: Contract) -> None:
    """Claim that each malformed flit counts once, two cycles later, up to the limit."""
    width = counters.ERRORS.width
    errors = node.wire("errors", width)
    new = node.past(Cat(node.input(port, "error") for port in node.outputs))
    due, total = Signal(width, name="due_errors"), Signal(width + 1, name="total_errors")
    node.m.d.comb += total.eq(due + sum(new))
    node.m.d.sync += due.eq(Mux(total[width], (1 << width) - 1, total))
    contract.claim("errors", errors == due)
