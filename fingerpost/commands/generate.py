"""`fingerpost generate`: the Verilog of a network."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from fingerpost.cli import options
from fingerpost.cli.app import command
from fingerpost.jobs.console import status
from fingerpost.jobs.files import check_folder


@command("generate networks/borel-21.yaml -o build/borel-21")
def main(
    net: options.Net,
    output: options.Folder,
    cost: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Output of `cost --json` for this network, for the manifest.",
            show_default="none",
        ),
    ] = None,
    files: Annotated[
        Literal["one", "many"], typer.Option(help="Verilog: one file, or one for each module.")
    ] = "many",
    faults: options.Faults = None,
    routing: options.Algorithm = None,
) -> None:
    """Write the Verilog of a network."""
    from fingerpost.cli import saved_answers as stored
    from fingerpost.hdl.export.generate import generate as write
    from fingerpost.hdl.lib.banner import description_hash

    check_folder(output)
    network = options.load_any(net, faults=faults, routing=routing)
    costs = []
    if cost:
        costs = stored.costs(cost, network.name, description_hash(network))
    with status("generating") as tell:
        written = write(network, output, files=files, costs=costs, progress=tell)
    for file in written:
        print(file)
