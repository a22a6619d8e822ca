"""Values as messages show them: shortened, and written as in YAML."""

import reprlib


class _Short(reprlib.Repr):
    """Values shortened, and written as in YAML."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = 60
        self.maxlevel = 2

    def repr_bool(self, value: bool, level: int) -> str:
        return str(value).lower()


def shown(value: object) -> str:
    """Return a value as one would write it in the file, shortened."""
    if value is None:
        return "nothing"
    try:
        return _Short().repr(value)
    except ValueError:  # Python refuses to print a number of thousands of digits
        return "a number of thousands of digits"
