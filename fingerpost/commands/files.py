"""Commands that write files: networks to start from, for other tools, and as Verilog."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import typer

from fingerpost.cli import options
from fingerpost.cli.app import command, option
from fingerpost.jobs import files
from fingerpost.jobs.console import answer, note, print_json, status
from fingerpost.netfile.scaffold import choose, copy


@command("examples -o networks")
def examples(
    names: list[str] | None = typer.Argument(
        None,
        metavar="[NAME]...",
        help="Files to list or copy; all if none is named.",
        autocompletion=options.one_of("netfile.scaffold", "NAMES"),
    ),
    output: Path | None = option(None, "Copy them there.", "DIR"),
    as_json: options.AsJson = False,
) -> None:
    """List the network files that come with fingerpost, or copy them."""
    chosen = choose(names or ())
    if output is None:
        answer(facts(chosen), render, as_json=as_json)
        return
    files.check_folder(output)
    copies = [str(path) for path in copy(chosen, output)]
    answer({"files": copies}, lambda _: "\n".join(copies), as_json=as_json)


def facts(chosen: Iterable[Path]) -> dict[str, Any]:
    """Return what each file is.

    Keys
    ----
    examples, files
        Example files: `name`, `what`. With `--output`, instead: paths of the copies.
    """
    texts = {file.stem: file.read_text(encoding="utf-8") for file in chosen}
    return {"examples": [{"name": name, "what": _what(text)} for name, text in texts.items()]}


def render(facts: Mapping[str, Any]) -> str:
    """Return the list as people read it."""
    width = max(len(example["name"]) for example in facts["examples"])
    return "\n".join(f"{each['name']:{width}}  {each['what']}" for each in facts["examples"])


def _what(text: str) -> str:
    """Return the first sentence of the comment on top of a file."""
    comment = re.match(r"(?:#.*\n)*", text)
    words = " ".join(re.findall(r"[^\s#]+", comment[0] if comment else ""))
    return re.split(r"(?<=\.) (?=[A-Z])", words, maxsplit=1)[0].rstrip(".")


def _kind(section: str, what: str, usual: str) -> Any:
    names = options.one_of("netfile.scaffold", "KINDS", section)
    return option(None, what, "KIND", usual=usual, autocompletion=names)


@command("new star -o net.yaml")
def new(
    family: str = typer.Argument(
        "borel",
        metavar="[FAMILY]",
        help="The network family; see the file itself.",
        autocompletion=options.one_of("netfile.scaffold", "FAMILIES"),
    ),
    output: Path | None = option(None, "The file.", "FILE", usual="print it"),
    router: str | None = _kind(
        "router", "Routers: wormhole, with virtual channels, or deflection.", "wormhole"
    ),
    link: str | None = _kind(
        "link", "Links: flit, in parallel; os-link, serial; stream, between boards.", "flit"
    ),
    terminal: str | None = _kind(
        "terminal", "Terminals: credit, axi-stream, os-link, mailbox or axi4.", "credit"
    ),
) -> None:
    """Write a network file to start from, with a comment on every key."""
    from fingerpost.netfile.scaffold import starting_file, write

    asked = {"router": router, "link": link, "terminal": terminal}
    kinds = {title: kind for title, kind in asked.items() if kind is not None}
    if output is None:
        print(starting_file(family, **kinds), end="")
        return
    print(*write(family, output, **kinds), sep="\n")


@command("schema > network.schema.json")
def schema() -> None:
    """Print the JSON schema of network files, for editors."""
    from fingerpost.netfile.schema import json_schema

    print_json(json_schema(), indent=2)


@command("export networks/borel-21.yaml -o borel-21.graphml")
def export(
    net: options.Net,
    output: Path = option(
        ..., "The file: .txt, .csv, .adjlist, .anynet, .gml, .graphml, .dot or .json.", "FILE"
    ),
    faults: options.Faults = None,
) -> None:
    """Write the network for other tools, as a graph; `file:` of a network file reads it."""
    from fingerpost.formats import graphs

    files.check(output)
    source = options.load_source(net, faults=faults)
    topology = source.topology()
    options.tell_faults(topology)
    graphs.write(topology, output, name=source.file.name)
    note(f"wrote {output}")


@command("generate networks/borel-21.yaml -o build/borel-21")
def generate(
    net: options.Net,
    output: options.Folder,
    cost: list[Path] | None = option(
        None, "Output of `cost --json` for this network, for the manifest.", "FILE", usual="none"
    ),
    split: Literal["one", "many"] = option(
        "many", "Verilog: one file, or one for each module.", called="--files"
    ),
    faults: options.Faults = None,
    routing: options.Algorithm = None,
) -> None:
    """Write the Verilog of a network."""
    from fingerpost.cli import saved_answers as stored
    from fingerpost.hdl.export.generate import generate as write
    from fingerpost.hdl.lib.banner import description_hash

    files.check_folder(output)
    network = options.load_any(net, faults=faults, routing=routing)
    costs = []
    if cost:
        costs = stored.costs(cost, network.name, description_hash(network))
    with status("generating") as tell:
        made = write(network, output, files=split, costs=costs, progress=tell)
    print(*made, sep="\n")


@command("port --peer t425 -o build/port")
def port(
    output: options.Folder,
    peer: Literal["fingerpost", "t800", "t425", "c011", "c012", "c004"] = option(
        "fingerpost", "Device at the other end; the options below override it."
    ),
    name: str = option("os_link_port", "Name of module and files.", "NAME"),
    clocks_per_bit: int = option(
        5, "Clocks in a bit time; 5 at 100 MHz is 20 Mbit/s.", min=4, max=1000
    ),
    fifo: int = option(2, "Bytes that the receiver holds.", min=1, max=64),
    acknowledge: Literal["overlap", "late"] | None = option(
        None,
        "Acknowledge a byte with its second bit, or its last.",
        usual="late for a t800, else overlap",
    ),
    stop: Literal["checked", "ignored"] | None = option(
        None,
        "Check that stop bits are low, or ignore them.",
        usual="checked for fingerpost, else ignored",
    ),
    slot: int = option(0, "Least bit times from packet to packet.", min=0, max=255),
    timeout: int = option(
        0, "Bit times to wait for an acknowledge; 0: no limit.", min=0, max=1_000_000
    ),
    breaks: bool = option(False, "Start both ends afresh by breaks; never with INMOS."),
    registers: bool = option(False, "For software: behind AXI4-Lite, with interrupt."),
) -> None:
    """Write an OS-Link port, the serial link of transputers: AXI4-Stream bytes, or registers."""
    from fingerpost.golden.link.parameters import port_for
    from fingerpost.hdl.export.port import generate_port

    files.check_folder(output)
    if not (name.isascii() and name.isidentifier()):
        raise ValueError(f"--name needs letters, digits and _, as modules have, not {name!r}")
    parameters = port_for(
        peer,
        clocks_per_bit=clocks_per_bit,
        fifo=fifo,
        acknowledge=acknowledge,
        stop=stop,
        slot=slot,
        timeout=timeout,
        breaks=breaks,
    )
    with status("generating"):
        made = generate_port(parameters, output, name=name, peer=peer, registers=registers)
    print(*made, sep="\n")
