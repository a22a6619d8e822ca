"""The cycle of a router, stage by stage; the twin of hdl.router.router.

Nothing that a router sends depends on what arrives in the same cycle, so the routers of a network
go through a cycle one after the other, and the stages of a router in the order of the pipeline:
see `fingerpost.golden.router.pipeline`.
"""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.injection import enter
from fingerpost.golden.router.input_port import arrive, nominate, push
from fingerpost.golden.router.output_port import traverse_switch
from fingerpost.golden.router.state import Config, Routers, State
from fingerpost.golden.router.switch_allocator import (
    count_bypasses,
    grant_outputs,
    unpromoted_heads,
)
from fingerpost.golden.router.vc_allocator import (
    choose_lane,
    eligible_flits,
    predict_eligible,
    receive_credits,
    step_batches,
)


@compiled
def step(node: int, slots: Slots, winner: Any, config: Config, state: State) -> None:
    """Go through a cycle, up to and including its clock edge.

    `slots` are those of this cycle; `winner` is a row of `State.winner`.
    """
    routers = state.routers
    router = routers.router[node]
    _count_errors(node, config, routers)

    # RC: what arrives from the terminal and over links gets its route, and a row of its buffer.
    for local in range(config.local_ports):
        enter(node, local, slots.injected, config, state)
    arrive(node, slots, config, state)
    if not config.routing_register:
        router.push, router.routed = router.routed, 0

    if router.valid | router.discard | router.push | router.batch_open | router.tails_passed:
        # VA: of the flits at the front, those that have a credit and an output channel.
        if config.lanes > 1 and config.classes == 1:
            for local in range(config.local_ports):
                choose_lane(node, local, router, config, routers)
        heads = router.valid & router.head
        unpromoted = unpromoted_heads(node, heads, config, routers)
        eligible = eligible_flits(node, router, config, routers)

        # SA: each output grants a candidate; each input chooses that of the next cycle.
        now, granted = state.clock[0].now, 0
        if eligible & router.candidate:
            granted = grant_outputs(
                node, eligible & router.candidate, heads, router.tail, now, config, routers, winner
            )
        if config.channels > 1:
            following = predict_eligible(node, eligible, unpromoted, router, config, routers)
            candidates = eligible & router.candidate
            nominate(node, candidates, granted, following, now, router, config, routers)
        if config.batches:
            step_batches(node, granted, heads, unpromoted, router, config, routers)
        if config.yielding:
            count_bypasses(node, granted, heads, unpromoted, router, config, routers)

        # ST and LT: granted flits cross to their links, on which they take the cycles of a line.
        if granted | router.discard:
            traverse_switch(node, granted, slots, config, state)

    # What arrives counts from the next cycle on.
    receive_credits(node, slots, config, routers)
    push(node, config, routers)
    router.push = 0
    if config.routing_register:
        router.push, router.routed = router.routed, 0


@compiled
def _count_errors(node: int, config: Config, routers: Routers) -> None:
    """Count the malformed flits and packets of the cycle before."""
    router = routers.router[node]
    if router.new_errors:
        errors = routers.errors[node] + router.new_errors
        routers.errors[node], router.new_errors = min(errors, config.max_errors), 0
