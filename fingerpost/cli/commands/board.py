"""The command that puts a network on a board."""

from typing import Annotated, Literal

import typer

from fingerpost.cli.commands.app import (
    Algorithm,
    AsJson,
    Faults,
    Folder,
    Net,
    command,
    load_source,
    prove_any,
    tell_faults,
)
from fingerpost.jobs.console import answer, status
from fingerpost.jobs.files import check_folder


@command("board networks/petersen.yaml --board ulx3s-85f -o build/board")
def board(
    net: Net,
    output: Folder,
    board: Annotated[
        str, typer.Option(metavar="BOARD", help="ulx3s-12f, ulx3s-25f, ulx3s-45f or ulx3s-85f.")
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
    from fingerpost.boards import known as boards

    if (node is None) is (part == "node"):
        raise ValueError("board needs --part node and --node NODE, or neither")
    check_folder(output)
    known = boards.board(board)
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
