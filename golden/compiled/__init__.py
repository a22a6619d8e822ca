"""The cycle of golden.model, compiled: the same registers in every cycle, many times faster.

`engine` takes the compiled model where it can run a network, and says so (`Engine.name`,
`Engine.why`); else the reference stands behind the same interface::

    with_engine = engine(network, [Traffic(network, 0.3, 5000, seed=seed) for seed in range(64)])
    with_engine.run(5000)                            # all runs, thousands of cycles in one call
    with_engine.run(5000, until_delivered=True)      # each until its packets are delivered
    run = with_engine.runs[0]
    run.delivered, run.expected                      # by packet, as those of `Terminals`
    run.received, run.sent                           # flits by terminal, and by output; counted
    run.errors, run.overruns, run.faults             # from the start: subtract for a window

Lock-step with hardware records a chunk of cycles (`Record`: arrays with the cycle first)::

    lock_step = engine(network, [traffic], stall=0.3)
    record = lock_step.record(256)
    record.given     # valid, head, tail, data, credit of terminals, (cycles, nodes): to the routers
    record.seen      # the same of all outputs, (cycles, nodes, ports), `local` is the terminal's;
                     # its credit is by input port: what the router gives back there
    record.errors, record.overruns                   # (cycles, nodes)

Row t has the registers of cycle t before its clock edge, and what terminals put in during it.
`runs[0].stop()` lets terminals begin nothing more, `runs[0].empty` tells when all is drained.
"""

from golden.compiled.base import Engine, Record, Run, Wire
from golden.compiled.engine import engine, unfit

__all__ = ["Engine", "Record", "Run", "Wire", "engine", "unfit"]
