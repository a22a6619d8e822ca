"""The command that proves."""

import json
from pathlib import Path
from typing import Annotated

import typer

from fingerpost.cli.commands.app import (
    Algorithm,
    AsJson,
    Faults,
    Net,
    command,
    load_any,
)
from fingerpost.jobs.console import answer, status

__all__ = ["prove"]


@command("prove networks/borel-21.yaml -o build/borel-21/certificate.json")
def prove(
    net: Net,
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
        typer.Option("--rtl", help="Also prove claims about the hardware of this network."),
    ] = False,
    faults: Faults = None,
    routing: Algorithm = None,
    as_json: AsJson = False,
) -> None:
    """Prove that a network cannot deadlock, and write a certificate.

    The certificate is an order of all channels; `checker/deadlock.py` compares it with the
    generated Verilog. For deflection routers, print the bound on the time of a flit in the network.

    Exits with status 1 if a claim about the hardware is false, 3 if one is not proven, because it
    is too large or depends on chance.
    """
    from fingerpost.answers import proof
    from fingerpost.golden.network.deflection import DeflectionNetwork
    from fingerpost.hdl.emit.certificate import certificate
    from fingerpost.jobs import files

    if output is not None:
        output = output / "certificate.json" if output.is_dir() else output
        files.check(output)
    network = load_any(net, faults=faults, routing=routing)
    render = proof.render
    if isinstance(network, DeflectionNetwork):
        if output is not None:
            raise ValueError("prove needs routers of kind wormhole for --output, not deflection")
        facts, render = proof.of_deflection(network), proof.render_deflection
    else:
        facts = proof.facts(network) | {"certificate": None if output is None else str(output)}
        if output is not None:
            files.write_text(output, json.dumps(certificate(network)) + "\n")
    if rtl:
        with status("hardware") as tell:
            facts["rtl"] = proof.rtl(network, tell)
    answer(facts, render, as_json=as_json)
    if found := proof.status(facts.get("rtl", ())):
        raise typer.Exit(found)
