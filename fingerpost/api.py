"""What `import fingerpost` offers and no other room has in one piece."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from testbench.benches import make

if TYPE_CHECKING:
    from golden.network import Network
    from testbench.cosim import Result

__all__ = ["cosim"]


def cosim(
    network: "Network",
    level: str = "unit",
    *,
    simulator: str = "icarus",
    directory: Path | str = "sim_build",
    waves: bool = False,
    **options: Any,
) -> "Result":
    """Run the Verilog of a network against its model; `mismatches` of the result tells how often.

    Parameters
    ----------
    level : str
        One of `testbench.benches.LEVELS`: unit, walk, router, network, clocks.
    simulator : str
        icarus or verilator.
    directory : Path
        Where the simulator writes.
    waves : bool
        Whether to keep a waveform; a difference leaves one anyway.
    **options
        The stimulus: seed, and what the level takes, such as cycles and load.

    Raises
    ------
    ValueError
        If there is no such level, or it does not take these options.
    ToolError
        If a tool is missing.
    BenchError
        If the simulation did not build or broke down.
    """
    bench = make(network, level, **options)
    run = import_module("testbench.cosim").run
    result: Result = run(bench, simulator=simulator, directory=Path(directory), waves=waves)
    return result
