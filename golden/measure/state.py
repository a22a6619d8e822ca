"""The state of a run as bytes, to be taken up again: what moves, not what the network is.

Pickles, since arrays of a model may have several names and must keep them; but none that can do
anything else than make arrays, numbers, and objects of golden's own classes.
"""

import io
import pickle
from collections.abc import Mapping
from typing import Any

__all__ = ["StateError", "dump", "restore"]

PLAIN = {
    ("collections", "defaultdict"),
    ("collections", "deque"),
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"),
    ("numpy.random._generator", "Generator"),
    ("numpy.random._pcg64", "PCG64"),
    ("numpy.random._pickle", "__bit_generator_ctor"),
    ("numpy.random._pickle", "__generator_ctor"),
    ("numpy.random.bit_generator", "SeedSequence"),
    ("numpy.random.bit_generator", "__pyx_unpickle_SeedSequence"),
}
"""What may be made besides golden's classes."""


class StateError(ValueError):
    """Bytes that are no state."""


class _Pickler(pickle.Pickler):
    """Leaves out what is made anew, and remembers its name."""

    def __init__(self, file: io.BytesIO, fixed: Mapping[str, object]) -> None:
        super().__init__(file, protocol=5)
        self.names = {id(value): name for name, value in fixed.items()}

    def persistent_id(self, obj: object) -> str | None:
        return self.names.get(id(obj))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, fixed: Mapping[str, object]) -> None:
        super().__init__(file)
        self.fixed = fixed

    def persistent_load(self, pid: Any) -> Any:
        return self.fixed[pid]

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in PLAIN:
            return super().find_class(module, name)
        if module.partition(".")[0] == "golden":
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise StateError(f"State needs arrays and golden's own objects, not {module}.{name}")


def dump(moving: object, fixed: Mapping[str, object]) -> bytes:
    """Return the state of an object; of what it has of `fixed`, the names only."""
    file = io.BytesIO()
    _Pickler(file, fixed).dump(moving)
    return file.getvalue()


def restore(state: bytes, fixed: Mapping[str, object]) -> Any:
    """Return the object of which `dump` made these bytes, with the same things `fixed`.

    Raises
    ------
    StateError
        If they are something else.
    """
    try:
        return _Unpickler(io.BytesIO(state), fixed).load()
    except StateError:
        raise
    except Exception as error:  # whatever a torn or foreign pickle leads to
        raise StateError(f"State cannot be read: {error}") from None
