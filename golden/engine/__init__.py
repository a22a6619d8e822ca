"""What runs the model: networks with their terminals, many cycles a call, in either form.

The functions of a cycle are written once, in `golden.router`, `golden.deflection`,
`golden.terminal` and `golden.link`. They are plain Python, which can be read, called and stepped
through with a debugger; numba compiles them where it is installed: see `golden.jit.compile`. Both
forms have the same registers in every cycle; `Engine.name` and `Engine.why` tell which one runs::

    model = engine(network, [Traffic(network, 0.3, 5000, seed=seed) for seed in range(64)])
    model.run(5000)                                  # all runs, thousands of cycles in one call
    model.run(5000, until_delivered=True)            # each until its packets are delivered
    run = model.runs[0]
    run.delivered, run.expected                      # by packet: a cycle, -1; whether it can be
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

A cycle of a network of wormhole routers (`cycle`) is that of all terminals and links, and then that
of one router after the other. *Lines* are delay lines of `golden.router.state.InFlight`; t is the
cycle, and p is `link_cycles` of the network's `Pipeline`. What is written to a line for a later
cycle nothing in this cycle reads, so no router depends on what another one does in the same cycle.

| phase of all terminals and links | reads | writes |
|---|---|---|
| step_links, of OS-Links | lines flits(t), credits(t); bytes | the same lines: what arrives |
| receive_credits | line terminal_credits(t) | credits of terminals |
| send | packets, credits of terminals | line injection(t + header_cycles) |
| note, if recorded | lines injection, flits(t), credits(t); counters | recording |
| receive | line flits(t) | packets, backlog of terminals |
| return_credits | backlog, stalls | backlog, line credits(t) |

| stage of a router (`golden.router.router`) | reads | writes |
|---|---|---|
| count errors | new_errors of t - 1 | errors |
| RC: enter, arrive | lines injection(t), flits(t); steps | rows, routed, overruns, truncated |
| VA: eligible_flits | valid, credits, busy and served channels | flits that may begin or go on |
| SA: grant_outputs, nominate | eligible candidates | granted, candidates of t + 1 |
| ST, LT: traverse_switch | granted, discard, rows | lines flits(t + p), credits(t + 1); levels |
| receive_credits | line credits(t) | credits of output channels |
| push | `routed` of t - routing_register | levels, routes and requests of fronts |

| file | what it has |
|---|---|
| engine, base, run | the interface: `engine` chooses the form, `Run` is what became of a traffic |
| wormhole, deflection, isolated | the engines of both kinds of routers, and of routers alone |
| start, routes, numbers | the arrays before the first cycle; decisions on headers, beforehand |
| axi_start, os_link | arrays and runs of AXI4-Stream and OS-Link terminals |
| axi4_start | those of AXI4 terminals with managers and memories |
| links | arrays and functions of every kind of link |
| cycle, recording | the loop over cycles, and what is recorded of them |
| pool | the packets that a run knows of, from window to window |
"""

from fingerpost.golden.engine.base import Engine, Record
from fingerpost.golden.engine.engine import engine, takes_windows, unfit, why_plain
from fingerpost.golden.engine.run import Run

__all__ = ["Engine", "Record", "Run", "engine", "takes_windows", "unfit", "why_plain"]
