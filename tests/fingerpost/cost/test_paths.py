from typing import Any

import pytest

from fingerpost.cost.netlist import slowest


def step(kind: str, delay: float, start: str, end: str) -> dict[str, Any]:
    return {"type": kind, "delay": delay, "from": {"cell": start}, "to": {"cell": end}}


FIRST, LAST = "inside.router.input1.level1_TRELLIS_FF_Q", "inside.flit$122.head_TRELLIS_FF_Q_3"
LUT = "inside.router.input1.asks_LUT4_Z_D_LUT4_Z_1"
CARRY = "inside.router.input1.sum_CCU2C_S0$CCU2_COMB0"


def report(delay: float = 1.25) -> dict[str, Any]:
    return {
        "critical_paths": [
            {"from": "<async>", "to": "posedge clk", "path": [step("logic", 99.0, "a", "b")]},
            {
                "from": "posedge clk",
                "to": "posedge clk",
                "path": [
                    step("clk-to-q", 0.5, FIRST, FIRST),
                    step("routing", delay, FIRST, LUT),
                    step("logic", 0.25, LUT, LUT),
                    step("routing", 2.0, LUT, CARRY),
                    step("logic", 0.5, CARRY, CARRY),
                    step("routing", 0.5, CARRY, LAST),
                    step("setup", 0.0, LAST, LAST),
                ],
            },
            {"from": "posedge clk", "to": "<async>", "path": [step("logic", 99.0, "c", "d")]},
        ]
    }


def test_slowest_path_is_from_register_to_register() -> None:
    assert slowest(report()) == {
        "from": "input1.level1",
        "to": "flit$122.head",
        "levels": 2,
        "logic_ns": 1.25,
        "routing_ns": 3.75,
        "cells": ["input1.level1", "input1.asks", "input1.sum", "flit$122.head"],
    }


def test_no_path_from_register_to_register() -> None:
    assert slowest({"critical_paths": []}) is None


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("inside.router.input0.nominee_SB_DFFESR_Q_5_D_SB_LUT4_O_LC", "input0.nominee"),
        ("inside.input0.nominee_SB_CARRY_CO", "input0.nominee"),
        ("driven_TRELLIS_FF_Q_7", "driven"),
    ],
)
def test_cells_have_their_own_names(cell: str, name: str) -> None:
    path = {"from": "posedge clk", "to": "posedge clk", "path": [step("setup", 1.0, cell, cell)]}
    found = slowest({"critical_paths": [path]})
    assert found
    assert found["from"] == found["to"] == name
