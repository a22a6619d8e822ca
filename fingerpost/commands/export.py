"""`fingerpost export`: a network for other tools."""

from pathlib import Path
from typing import Annotated

import typer

from fingerpost.cli import options
from fingerpost.cli.app import command
from fingerpost.jobs import files
from fingerpost.jobs.console import note


@command("export networks/borel-21.yaml -o borel-21.graphml")
def main(
    net: options.Net,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="The file: .graphml or .anynet."),
    ],
    faults: options.Faults = None,
) -> None:
    """Write the network for other tools: as GraphML, or as BookSim 2's list of links."""
    from fingerpost.formats import graphs

    files.check(output)
    source = options.load_source(net, faults=faults)
    topology = source.topology()
    options.tell_faults(topology)
    graphs.write(topology, output, name=source.file.name)
    note(f"wrote {output}")
