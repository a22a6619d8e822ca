"""Folders and loose files of hdl import each other one way only."""

import ast
from pathlib import Path

import networkx as nx

HDL = Path(__file__).parents[2] / "hdl"


def test_no_circle_of_folders() -> None:
    graph = nx.DiGraph()
    for file in HDL.rglob("*.py"):
        here = file.relative_to(HDL).with_suffix("").parts[0]
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("hdl."):
                there = str(node.module).split(".")[1]
                if there != here:
                    graph.add_edge(here, there)
    assert {"link", "router", "routing", "terminal"} <= set(graph)
    assert list(nx.simple_cycles(graph)) == []
