"""The command that proves."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from fingerpost.commands.app import Algorithm, AsJson, Faults, Net, command, load_network
from fingerpost.console import answer, status

__all__ = ["prove"]


@command("prove networks/borel-21.yaml -o build/borel-21/certificate.json")
def prove(
    net: Net,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write the certificate to this file."),
    ] = None,
    rtl: Annotated[
        bool,
        typer.Option(
            "--rtl", help="Prove what can be proven of the hardware of this network, too."
        ),
    ] = False,
    faults: Faults = None,
    routing: Algorithm = None,
    as_json: AsJson = False,
) -> None:
    """Prove that a network cannot deadlock, and write a certificate of it.

    It is an order of all channels. `checker/deadlock.py` checks it against the generated Verilog.
    Ends with status 1 if something about the hardware is not as claimed, and with 3 if something is
    not proven: what is too much to try, or depends on chance.
    """
    files = import_module("fingerpost.files")
    if output is not None:
        files.check(output)
    network = load_network(net, faults=faults, routing=routing)
    module = import_module("fingerpost.proof")
    facts = module.facts(network) | {"certificate": None if output is None else str(output)}
    if output is not None:
        certificate = import_module("hdl.emit.certificate").certificate(network)
        files.write_text(output, import_module("json").dumps(certificate) + "\n")
    if rtl:
        with status("hardware") as tell:
            facts["rtl"] = module.rtl(network, tell)
    answer(facts, module.render, as_json=as_json)
    if found := module.status(facts.get("rtl", ())):
        raise typer.Exit(found)
