"""The commands that make an OS-Link port, put a network on a board, and prove one."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from fingerpost.cli.commands.app import (
    Algorithm,
    AsJson,
    Faults,
    Folder,
    Net,
    command,
    load_any,
    load_source,
    one_of,
    prove_any,
    tell_faults,
)
from fingerpost.jobs.console import answer, status
from fingerpost.jobs.files import check_folder


@command("port --peer t425 -o build/port")
def port(
    output: Folder,
    peer: Annotated[
        Literal["fingerpost", "t800", "t425", "c011", "c012", "c004"],
        typer.Option(help="Device at the other end; the options below override it."),
    ] = "fingerpost",
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Name of module and files.")
    ] = "os_link_port",
    clocks_per_bit: Annotated[
        int, typer.Option(min=4, max=1000, help="Clocks in a bit time; 5 at 100 MHz is 20 Mbit/s.")
    ] = 5,
    fifo: Annotated[int, typer.Option(min=1, max=64, help="Bytes that the receiver holds.")] = 2,
    acknowledge: Annotated[
        Literal["overlap", "late"] | None,
        typer.Option(
            help="Acknowledge a byte with its second bit, or its last.",
            show_default="late for a t800, else overlap",
        ),
    ] = None,
    stop: Annotated[
        Literal["checked", "ignored"] | None,
        typer.Option(
            help="Check that stop bits are low, or ignore them.",
            show_default="checked for fingerpost, else ignored",
        ),
    ] = None,
    slot: Annotated[
        int, typer.Option(min=0, max=255, help="Least bit times from packet to packet.")
    ] = 0,
    timeout: Annotated[
        int,
        typer.Option(
            min=0, max=1_000_000, help="Bit times to wait for an acknowledge; 0: no limit."
        ),
    ] = 0,
    breaks: Annotated[
        bool, typer.Option("--breaks", help="Start both ends afresh by breaks; never with INMOS.")
    ] = False,
    registers: Annotated[
        bool, typer.Option("--registers", help="For software: behind AXI4-Lite, with interrupt.")
    ] = False,
) -> None:
    """Write an OS-Link port, the serial link of transputers: AXI4-Stream bytes, or registers."""
    from fingerpost.golden.link.parameters import port_for
    from fingerpost.hdl.export.port import generate_port

    check_folder(output)
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
        files = generate_port(parameters, output, name=name, peer=peer, registers=registers)
    for file in files:
        print(file)


@command("board networks/petersen.yaml --board ulx3s-85f -o build/board")
def board(
    net: Net,
    output: Folder,
    board: Annotated[
        str,
        typer.Option(
            metavar="BOARD",
            help="ulx3s-12f, ulx3s-25f, ulx3s-45f or ulx3s-85f.",
            autocompletion=one_of("boards.known", "BOARDS"),
        ),
    ] = "ulx3s-85f",
    baud: Annotated[int, typer.Option(min=1, help="Of the UART that reports.")] = 115_200,
    files: Annotated[
        bool, typer.Option("--files", help="Write the design only, without a bitstream.")
    ] = False,
    part: Annotated[
        Literal["network", "node"], typer.Option(help="What is on the board.")
    ] = "network",
    node: Annotated[
        str | None,
        typer.Option(
            metavar="NODE", help="With --part node: which; its links are pins.", show_default=False
        ),
    ] = None,
    faults: Faults = None,
    routing: Algorithm = None,
    as_json: AsJson = False,
) -> None:
    """Exercise a network, or a node of one, on a board: packets sent, checked and reported."""
    from fingerpost.boards import board as exerciser
    from fingerpost.boards.known import board as known_board

    if (node is None) is (part == "node"):
        raise ValueError("board needs --part node and --node NODE, or neither")
    check_folder(output)
    known = known_board(board)
    source = load_source(net, faults=faults, routing=routing)
    network = prove_any(source.with_streams())
    tell_faults(network.topology)
    number = None if node is None else network.topology.node(node)
    with status("board") as tell:
        facts = exerciser.facts(
            network,
            known,
            baud=baud,
            directory=output,
            node=number,
            make=not files,
            progress=tell,
        )
    answer(facts, exerciser.render, as_json=as_json)


@command("prove networks/borel-21.yaml -o build/borel-21/certificate.json")
def prove(
    net: Annotated[
        Path,
        typer.Argument(
            metavar="NET",
            help="A network file, or the folder that generate wrote; - is standard input.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the certificate to this file; in a folder, to certificate.json.",
        ),
    ] = None,
    rtl: Annotated[
        bool,
        typer.Option("--rtl", help="Also prove claims about the Verilog: of a folder, that in it."),
    ] = False,
    faults: Faults = None,
    routing: Algorithm = None,
    as_json: AsJson = False,
) -> None:
    """Prove that a network cannot deadlock, and write a certificate.

    The certificate is an order of all channels; `checker/deadlock.py` compares it with the
    generated Verilog. For deflection routers, print the bound on the time of a flit in the network.

    With --rtl, prove what the checker assumes of the Verilog. `prove --rtl DIR` reads the files
    that `generate NET -o DIR` wrote, as the checker does; both print the hash of the manifest,
    which has those of all files. `prove --rtl NET` reads what it generates anew.

    Exits with status 1 if a claim about the hardware is false, 3 if one is not proven, because it
    is too large or depends on chance.
    """
    from fingerpost.answers import proof
    from fingerpost.jobs import files

    if output is not None:
        output = output / "certificate.json" if output.is_dir() else output
        files.check(output)
    folder = net.is_dir()
    if folder and (faults or routing):
        raise ValueError(f"prove needs a network file for --faults and --routing, not {net}")
    written = proof.written(net) if folder else None
    network = written.network if written else load_any(net, faults=faults, routing=routing)
    kind = proof.PROOFS[network.router_kind]
    if output is not None and not kind.certificate:
        raise ValueError(
            f"prove needs routers of kind wormhole for --output, not {network.router_kind}"
        )
    facts = kind.facts(network)
    if kind.certificate:
        facts["certificate"] = None if output is None else str(output)
        if output is not None:
            files.write_text(output, json.dumps(kind.certificate(network)) + "\n")
    if rtl:
        with status("hardware") as tell:
            facts |= proof.rtl(written or proof.generated(network), tell)
    answer(facts, kind.render, as_json=as_json)
    if found := proof.status(facts.get("rtl", ())):
        raise typer.Exit(found)
