"""The whole network in lock-step with the model, its nodes compiled: for large networks."""

from dataclasses import dataclass
from typing import ClassVar

from testbench.benches.network import NetworkBench

__all__ = ["CompiledBench"]


@dataclass(frozen=True, kw_only=True)
class CompiledBench(NetworkBench):
    """The same as `NetworkBench`, cycle by cycle and packet by packet, without cocotb.

    Each kind of node is compiled once. `testbench.compiled` steps the nodes, copies the links
    between them, and compares.
    """

    way: ClassVar[str] = "compiled"
    facts: ClassVar[tuple[str, ...]] = (
        *NetworkBench.facts, "model_cpu_seconds", "hardware_cpu_seconds",
    )  # fmt: skip
