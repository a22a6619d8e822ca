"""`fingerpost port`: an OS-Link port by itself."""

from typing import Annotated, Literal

import typer

from fingerpost.cli import options
from fingerpost.cli.app import command
from fingerpost.jobs.console import status
from fingerpost.jobs.files import check_folder


@command("port --peer t425 -o build/port")
def main(
    output: options.Folder,
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
