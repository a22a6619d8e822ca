"""`fingerpost schema`: the JSON schema of network files."""

from fingerpost.cli.app import command
from fingerpost.jobs.console import print_json


@command("schema > network.schema.json")
def main() -> None:
    """Print the JSON schema of network files, for editors."""
    from fingerpost.netfile.schema import json_schema

    print_json(json_schema(), indent=2)
