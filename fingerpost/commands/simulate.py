"""`fingerpost simulate`: a network under one load, as facts and as people read them."""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Any

import typer

from fingerpost.cli import options
from fingerpost.cli.app import command, option
from fingerpost.golden.measure import CYCLES, PRECISION, Outcome, Simulation, simulate
from fingerpost.golden.measure.follow import Watch
from fingerpost.golden.measure.latency import PERCENTILES, by_class, by_flow, by_hops
from fingerpost.golden.measure.simulation import default_load
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.traffic import Arrivals, Lengths, Pattern
from fingerpost.golden.traffic.spelling import traffic_facts
from fingerpost.golden.traffic.traffic import KINDS, Transactions
from fingerpost.jobs.console import Columns, aligned, answer, cells, progress, status
from fingerpost.netfile import faults

STATUS = {
    Outcome.STABLE: 0,
    Outcome.COMPLETE: 0,
    Outcome.UNSTABLE: 3,
    Outcome.DEADLOCKED: 4,
    Outcome.UNDECIDED: 5,
}
"""The exit status of each outcome; `fingerpost.commands` has those of other commands."""


class By(StrEnum):
    """What latency can be broken down by; typer takes no list of literals."""

    HOPS = "hops"
    CLASS = "class"
    FLOW = "flow"


@command("simulate networks/borel-21.yaml --load 0.2 --precision 0.01")
def main(
    net: options.Net,
    load: float | None = option(None, options.LOAD_HELP, usual="0.1, or what a trace has"),
    cycles: options.Cycles = CYCLES,
    precision: options.Precision = PRECISION,
    warm_up: options.WarmUp = None,
    drain: options.Drain = None,
    seed: options.Seed = 0,
    traffic: options.TrafficOption = None,
    arrivals: options.ArrivalsOption = None,
    packet_length: options.PacketLength = None,
    by: list[By] | None = option(
        None, "Also report latency by hops, message class, or flow (source and destination)."
    ),
    classes: options.Classes = None,
    reads: options.Reads = None,
    outstanding: options.Outstanding = None,
    memory_cycles: options.MemoryCycles = None,
    threads: int = option(1, "Cores that share a network of over 2,000 nodes.", min=1, max=64),
    watch: int | None = option(
        None,
        "Follow one packet instead, a line a stage: where it is, and why it waits. PACKET "
        "is its number, from 0 in the order in which packets are made; those of one cycle by "
        "source, then by message class.",
        "PACKET",
        usual=False,
        min=0,
    ),
    faults: options.Faults = None,
    routing: options.Algorithm = None,
    as_json: options.AsJson = False,
) -> None:
    """Run the model under load: throughput and latency.

    Exits with status 3 if the network is not stable, 4 if it deadlocked, 5 if the run was too short
    to tell. With --watch it is 5 if the packet does not arrive within --cycles.
    """
    if watch is not None:
        _check_watch(by=by, precision=precision != PRECISION, threads=threads > 1)
    from fingerpost.golden.engine import engine, why_plain
    from fingerpost.golden.jit.compile import to_compile

    network = options.load_any(net, faults=faults, routing=routing)
    sent = options.sent_as(traffic, arrivals, packet_length)
    load = default_load(load, sent[0])
    options.remark_plain([network])
    given: dict[str, Any] = {
        "load": load,
        "cycles": cycles,
        "precision": precision,
        "seed": seed,
    }
    if classes is not None:
        given["classes"] = options.shares(classes)
    transactions = options.transactions(network, reads, outstanding, memory_cycles)
    if watch is not None:
        if transactions is not None:
            raise ValueError("--watch follows one packet, and AXI4 terminals have transactions")
        _watch(network, watch, sent, given | {"warm_up": warm_up}, as_json=as_json)
        return
    with progress("simulating", compiles=lambda: not why_plain(network) and to_compile()) as tell:
        result = simulate(
            network,
            pattern=sent[0],
            arrivals=sent[1],
            packet_length=sent[2],
            warm_up=warm_up,
            progress=tell,
            flows=bool({"hops", "flow"} & set(by or ())),
            transactions=transactions,
            make=partial(engine, threads=threads),
            **given,
        )
    found = facts(network, result, sent, by=by or (), transactions=transactions, **given)
    answer(found, render, as_json=as_json)
    if status := STATUS[result.outcome]:
        raise typer.Exit(status)


def _check_watch(**given: Any) -> None:
    """Refuse options of measurements: with --watch nothing is measured."""
    for name, is_given in given.items():
        if is_given:
            raise ValueError(f"--watch follows one packet and measures nothing: leave out --{name}")


def _watch(
    network: AnyNetwork,
    packet: int,
    sent: tuple[Pattern, Arrivals, Lengths],
    given: dict[str, Any],
    *,
    as_json: bool,
) -> None:
    """Answer with what one packet does."""
    from fingerpost.golden.measure.follow import watch

    arguments = {name: value for name, value in given.items() if name != "precision"}
    with status("following a packet"):
        found = watch(
            network, packet, pattern=sent[0], arrivals=sent[1], packet_length=sent[2], **arguments
        )
    facts = watch_facts(network, found, sent, **arguments)
    answer(facts, partial(render_watch, network), as_json=as_json)
    if found.delivered is None:
        raise typer.Exit(STATUS[Outcome.UNDECIDED])


def watch_facts(
    network: AnyNetwork,
    found: Watch,
    sent: tuple[Pattern, Arrivals, Lengths],
    **arguments: Any,
) -> dict[str, Any]:
    """Return what a packet does, as `fingerpost.golden.measure.follow.Watch` has it.

    Keys
    ----
    network, load, cycles, seed, warm_up, classes, traffic, arrivals, packet_length
        The arguments.
    packet, source, destination, message_class, length, created, delivered, latency, hops
        `delivered` and `latency` are `null` if the packet did not arrive.
    waits : cycles
        By reason.
    events
        `cycle`, `cycles`, `stage`, `node`, `port`, `channel`, `waits`, `packet`, `why`.
    """
    return {
        "network": network.name,
        **arguments,
        **traffic_facts(*sent),
        **found.facts(),
        **faults.facts(network.topology),
    }


def render_watch(network: AnyNetwork, facts: Mapping[str, Any]) -> str:
    """Return what a packet does as a table, a line a stage."""
    columns: Columns = {
        "cycle": "cycle",
        "cycles": lambda each: each["cycles"] or "",
        "stage": "stage",
        "node": "node",
        "port": lambda each: network.topology.port_name(each["port"]),
        "channel": "channel",
        "why": "why",
    }
    rows = [[*columns], *cells(columns, facts["events"])]
    way = f"packet {facts['packet']} from {facts['source']} to {facts['destination']}"
    end = "not delivered"
    if facts["latency"] is not None:
        waits = ", ".join(f"{cycles} {reason}" for reason, cycles in facts["waits"].items())
        end = f"{facts['latency']} cycles, {facts['hops']} hop{'' if facts['hops'] == 1 else 's'}"
        end += f"; waited {sum(facts['waits'].values())}" + (f" ({waits})" if waits else "")
    run = f"{facts['network']}, load {_load(facts['load'])}, seed {facts['seed']}"
    head = f"{run}: {way}, {facts['length']} flits, made in cycle {facts['created']}"
    return "\n".join((head, *aligned(rows, left=(2, 4, 6)), end))


def facts(
    network: AnyNetwork,
    result: Simulation,
    sent: tuple[Pattern, Arrivals, Lengths],
    *,
    by: Collection[str] = (),
    transactions: Transactions | None = None,
    **arguments: Any,
) -> dict[str, Any]:
    """Return the results of a simulation of the packets `sent`, with its `arguments`.

    With AXI4 terminals packets are transactions, flits beats of data, and terminals those of
    managers.

    Keys
    ----
    network, load, cycles, precision, seed, seconds, faults
    traffic, arrivals
        The arguments in full; `arrivals` is `null` for a trace.
    packet_length : flits
        A number or words; `null` for a trace.
    outcome
        `stable`, `not stable`, `undecided`, `deadlocked`; of a trace `complete`.
    offered : flits/terminal/cycle
        Offered load in the measurement.
    accepted, accepted_least : flits/terminal/cycle
        Mean over the sources, and the least.
    accepted_interval : flits/terminal/cycle
        95 % confidence; `null` if there are too few batches.
    latency : cycles
        `mean`, `interval`, `median`, `p90`, `p95`, `p99`, `p999`, `max`; all `null` if not stable,
        `interval` unless stable.
    latency_by_hops, latency_by_class, latency_by_flow : packets, cycles
        With `--by`: `hops`, `class`, or `source` and `destination`; `packets`, `mean`, `max`;
        `null` if not stable.
    classes
        With `--classes`: the share of each message class.
    reads, outstanding, memory_cycles
        With AXI4 terminals: the share of reads, and as given; `outstanding` if it is.
    latency_of_reads, latency_of_writes : cycles
        With AXI4 terminals, stable or not: `packets`, `mean`, `median`, `p90`, `p95`, `p99`,
        `p999`, `max`, from the address accepted to the last beat of the response.
    packets : packets
        Arrived in the measurement.
    warm_up, measured : cycles
        Left out at the start, and behind that.
    precise
        Whether `precision` was reached; `false` if not stable.
    link_load : flits/cycle
        `mean`, `max` over links.
    engine
        The form in which the model ran: `compiled` or `plain` (Python).
    why
        Why it was plain, or `""`.
    """
    load = result.link_load[network.topology.neighbour >= 0]
    latency, known = result.latency, result.latency is not None
    answer = {
        "network": network.name,
        **arguments,
        **(transactions.given if transactions else {}),
        **traffic_facts(*sent),
        "offered": result.offered,
        "accepted": result.accepted.mean,
        "accepted_interval": result.accepted.interval,
        "accepted_least": result.accepted_least,
        "latency": {
            "mean": latency.mean if latency else None,
            "interval": latency.interval if latency else None,
            **(result.latencies.percentiles if known else dict.fromkeys(PERCENTILES)),
        },
        **(_by_kind(result) if transactions else {}),
        "outcome": result.outcome.value,
        "packets": result.packets,
        "warm_up": result.warm_up,
        "measured": result.cycles,
        "precise": result.precise,
        "link_load": {"mean": float(load.mean()), "max": float(load.max())},
        "engine": result.engine,
        "why": result.why,
        "seconds": result.seconds,
        **faults.facts(network.topology),
    }
    if "hops" in by:
        answer["latency_by_hops"] = by_hops(result.latencies, network.routing) if known else None
    if "class" in by:
        answer["latency_by_class"] = by_class(result.latencies) if known else None
    if "flow" in by:
        answer["latency_by_flow"] = by_flow(result.latencies) if known else None
    return answer


def _by_kind(result: Simulation) -> dict[str, Any]:
    """Return the latencies of reads and of writes."""
    found = {}
    for kind, name in KINDS.items():
        some = result.latencies.of_class(kind)
        found[f"latency_of_{name}"] = {
            "packets": some.packets,
            "mean": some.mean,
            **some.percentiles,
        }
    return found


def render(facts: Mapping[str, Any]) -> str:
    """Return a simulation as people read it."""
    latency = dict(facts["latency"])
    mean, interval = latency.pop("mean"), latency.pop("interval")
    accepted = f"{facts['accepted']:.4f}{_plus_minus(facts['accepted_interval'], 4)}"
    shown = facts["outcome"]
    if mean is not None:
        shown = f"mean {mean:.1f}{_plus_minus(interval, 1)}, {_percentiles(latency)}"
    elif shown in (Outcome.STABLE, Outcome.COMPLETE, Outcome.UNDECIDED):
        shown = "no packets"
    link = facts["link_load"]
    missed = not facts["precise"] and facts["outcome"] != Outcome.UNSTABLE
    reached = f", precision {facts['precision']:g} not reached" if missed else ""
    run = f"{facts['network']}, load {_load(facts['load'])}, seed {facts['seed']}"
    unit = "beats per manager" if "latency_of_reads" in facts else "flits per terminal"
    return "\n".join(
        (
            f"{run}: {facts['outcome']}",
            f"offered    {facts['offered']:.4f} {unit} and cycle",
            f"accepted   {accepted}, least {facts['accepted_least']:.4f}",
            f"latency    {shown}",
            *(
                f"{name:9}  {_in_full(facts[f'latency_of_{name}'])}"
                for name in KINDS.values()
                if f"latency_of_{name}" in facts
            ),
            f"link load  mean {link['mean']:.4f}, max {link['max']:.4f} flits per cycle",
            f"cycles     {facts['measured']} measured after {facts['warm_up']}{reached}",
            f"seconds    {facts['seconds']:.1f}, {facts['engine']} model",
            *(f"{row['hops']:3} hops   {_row(row)}" for row in facts.get("latency_by_hops") or ()),
            *(
                f"class {row['class']}    {_row(row)}"
                for row in facts.get("latency_by_class") or ()
            ),
            *(
                f"{row['source']:5} to {row['destination']:5}   {_row(row)}"
                for row in facts.get("latency_by_flow") or ()
            ),
        )
    )


def _percentiles(latency: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {latency[name]:.0f}" for name in PERCENTILES) + " cycles"


def _in_full(row: Mapping[str, Any]) -> str:
    if not row["packets"]:
        return "none"
    return f"mean {row['mean']:.1f}, {_percentiles(row)}, {row['packets']} packets"


def _plus_minus(interval: Sequence[float] | None, digits: int) -> str:
    return "" if interval is None else f" \u00b1 {(interval[1] - interval[0]) / 2:.{digits}f}"


def _load(load: float | None) -> str:
    return "of the trace" if load is None else f"{load:g}"


def _row(row: Mapping[str, Any]) -> str:
    return f"mean {row['mean']:.1f}, max {row['max']} cycles, {row['packets']} packets"
