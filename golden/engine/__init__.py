"""The cycle of golden.model, compiled: the same registers in every cycle, many times faster.

`engine` takes the compiled model where it can run a network, and says so (`Engine.name`,
`Engine.why`); else the reference stands behind the same interface::

    with_engine = engine(network, [Traffic(network, 0.3, 5000, seed=seed) for seed in range(64)])
    with_engine.run(5000)                            # all runs, thousands of cycles in one call
    with_engine.run(5000, until_delivered=True)      # each until its packets are delivered
    run = with_engine.runs[0]
    run.delivered, run.expected                      # by packet, as those of `CreditTerminalModel`
    run.received, run.sent                           # flits by terminal, and by output; counted
    run.errors, run.overruns, run.faults             # from the start: subtract for a window

Lock-step with hardware records a chunk of cycles (`Record`: arrays with the cycle first)::

    lock_step = engine(network, [traffic], stall=0.3)
    record = lock_step.record(256)
    record.given["valid"]        # what terminals give: fields of `Terminal.given`, (cycles, nodes)
    record.links["valid"]        # links: fields of `Link.seen`, (cycles, nodes * degree)
    record.terminals["errors"]   # fields of `Terminal.seen` and counters, (cycles, nodes)

Row t has the registers of cycle t before its clock edge, and the flits injected during it.
After `runs[0].stop()` terminals begin no packet; `runs[0].empty` is true when all is drained.

The phases of a cycle, in the order of `golden.engine.cycle`. *Lines* are delay lines of
`InFlight`; t is the cycle. What is written to a line for a later cycle nothing in this cycle reads.

| phase of all terminals | reads | writes |
|---|---|---|
| step_links, of OS-Links | lines flits(t), credits(t); bytes | the same lines: what arrives |
| receive_credits | line terminal_credits(t) | credits of terminals |
| send | packets, credits of terminals | line injection(t + header_cycles) |
| note, if recorded | lines injection, flits(t), credits(t); counters | recording |
| _receive | line flits(t) | packets, backlog of terminals |
| return_credits | backlog, stalls | backlog, line credits(t) |

Then each router goes through the whole cycle before the next one does: no output depends on an
input of the same cycle, and the records of a router are fetched once.

| phase of a router | reads | writes |
|---|---|---|
| count errors | new_errors of t - 1 | errors |
| enter, find_route | line injection(t), levels, steps | overruns, truncated; as _arrive |
| _arrive, find_route | line flits(t), steps | rows, routed, new_errors |
| allocate | masks, output channels, push | granted, candidates, batches, bypasses |
| traverse_switch | granted, discard, rows | lines flits(t + 2), credits(t + 1); levels, busy |
| _receive_credits | line credits(t) | credits of output channels |
| _push | push: `routed` of t - routing_register | levels, routes and requests of fronts |

| file | what it has |
|---|---|
| base, engine, calls, compiled, reference, run | the interface, and the two models behind it |
| state, records, delay_line, start, memory | the arrays: names, records, first values |
| routes | the decisions on headers, found before they are sent |
| link | OS-Links between routers, and at terminals: ports bit by bit, cells byte by byte |
| pool | the packets that a run knows of, from window to window |
| cycle and what it imports | the compiled functions, counterparts of `fingerpost.golden.model` |
| fetch, prefetch | what is fetched before it is needed |
| jit, bits | what compiled functions are written with |
"""

from fingerpost.golden.engine.base import Engine, Record, Run
from fingerpost.golden.engine.engine import engine, takes_windows, unfit

__all__ = ["Engine", "Record", "Run", "engine", "takes_windows", "unfit"]
