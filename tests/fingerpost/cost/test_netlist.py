"""What is read of netlists and reports of the tools."""

from collections.abc import Mapping
from typing import Any

import pytest

from fingerpost.cost.device import DEVICES
from fingerpost.cost.netlist import Cell, cells, count, part, parts, slowest
from tests.fingerpost.cost.tools import path, paths, step

KINDS = DEVICES["ecp5"].cells


def module(contents: Mapping[str, str]) -> dict[str, Any]:
    found = {name: {"type": kind} for name, kind in contents.items()}
    return {"attributes": {"keep_hierarchy": "1"}, "cells": found}


NETLIST = {
    "modules": {
        "LUT4": {"attributes": {"blackbox": "1"}, "cells": {"inside": {"type": "LUT4"}}},
        "top": module({"router": "router", "scope": "$scopeinfo"}),
        "router": module(
            {
                "input0.q": "TRELLIS_FF",
                "input0.data$7.0.0": "TRELLIS_DPR16X4",
                "switch_allocator": "matrix",
                "errors_LUT4_Z": "LUT4",
                "output3.link__flit_LUT4_Z": "LUT4",
            }
        ),
        "matrix": module({"z": "LUT4", "y": "LUT4", "x": "PFUMX"}),
    }
}


def test_cells_of_the_modules_inside_count() -> None:
    found = list(cells(NETLIST, "top"))
    assert Cell("router.switch_allocator.z", "LUT4") in found
    assert len(found) == 7
    assert count(found, KINDS) == {
        "lut4": 4, "carries": 0, "flip_flops": 1, "ramw": 1, "block_rams": 0,
    }  # fmt: skip


def test_parts_are_the_whole() -> None:
    found = list(cells(NETLIST, "top"))
    its = parts(found, KINDS)
    assert list(its) == ["allocator", "buffers", "crossbar", "error counter", "inputs"]
    assert its["allocator"]["lut4"] == 2
    assert its["buffers"]["ramw"] == 1
    for name, total in count(found, KINDS).items():
        assert sum(each[name] for each in its.values()) == total


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("router.input0.route_stage.routing.port_LUT4_Z", "routing units"),
        ("router.injection.header_generator.x_TRELLIS_FF_Q", "routing units"),
        ("router.input0.route_stage.data_SB_LUT4_O", "route stage"),
        ("router.input12.data$59[3]_SB_DFFE_Q", "buffers"),
        ("router.input0.data$59.0.0", "buffers"),
        ("router.input0.vc_buffer0.routes.0.1", "buffers"),
        ("router.input0.flit$61_LUT4_Z", "buffers"),
        ("input0.pointer_TRELLIS_FF_Q", "inputs"),
        ("router.router.output4.link__flit_LUT4_Z", "crossbar"),
        ("output4.link__valid_LUT4_Z", "outputs"),
        ("output4.switch_allocator.arbiter.first0_1_TRELLIS_FF_Q", "allocator"),
        ("router.output1.batch_arbiter0.served_LUT4_Z", "batch arbiters"),
        ("router.output1.batch_arbiter0_valid_LUT4_Z", "batch arbiters"),
        ("router.input0.vc_buffer1.level_TRELLIS_FF_Q", "buffers"),
        ("router.errors_CCU2C_S0", "error counter"),
        ("router.router.new_TRELLIS_FF_Q", "error counter"),
        ("router.newer_TRELLIS_FF_Q", "between them"),
        ("router.input_granted_LUT4_Z", "between them"),
        ("router.os_link3.transmitter.x", "os_link"),
        ("router.something$12.x", "something"),
        ("node_12.router.errors_CCU2C_S0", "error counter"),
        ("node_12.axi_sender.x_LUT4_Z", "axi_sender"),
        ("tap_3.count_TRELLIS_FF_Q", "tap"),
    ],
)
def test_part_is_told_by_the_name(name: str, expected: str) -> None:
    assert part(name) == expected


def test_slowest_path_is_from_register_to_register() -> None:
    assert slowest(paths()) == {
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
    own = path("posedge clk", "posedge clk", step("setup", 1.0, cell, cell))
    found = slowest({"critical_paths": [own]})
    assert found
    assert found["from"] == found["to"] == name
