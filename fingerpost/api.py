"""What `import fingerpost` offers and no other room has in one piece."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from testbench.benches import choose, make

if TYPE_CHECKING:
    from golden.network import Network
    from testbench.cosim import Result

__all__ = ["cosim"]


def cosim(
    network: "Network",
    level: str = "unit",
    *,
    simulator: str = "",
    way: str = "",
    directory: Path | str = "sim_build",
    waves: bool = False,
    **options: Any,
) -> "Result":
    """Run the Verilog of a network against its model; `mismatches` of the result tells how often.

    Parameters
    ----------
    level : str
        One of `testbench.benches.LEVELS`: unit, walk, router, network, clocks.
    simulator, way : str
        icarus or verilator; cocotb or compiled. What is not said is as of `fingerpost cosim`.
    directory : Path
        Where the simulator writes.
    waves : bool
        Whether to keep a waveform; a difference leaves one anyway.
    **options
        The stimulus: seed, and what the level takes, such as cycles and load.

    Raises
    ------
    ValueError
        If there is no such level, or it does not take these options, or cannot be run so.
    ToolError
        If a tool is missing.
    BenchError
        If the simulation did not build or broke down.
    """
    from testbench.cosim import run

    nodes, around = network.topology.nodes, network.around
    tool, chosen = choose(nodes, level, simulator, way=way, waves=waves, around=around)
    bench = make(network, level, way=chosen, **options)
    return run(bench, simulator=tool, directory=Path(directory), waves=waves)
