"""The load at which a network saturates, by bisection."""


class Bisection:
    """A search for the load at which saturation begins, one load to be tried after the other.

    The limit is tried first: a network that accepts all that its terminals can send has no
    saturation. Loads are whole multiples of `resolution`, so the same ones are tried again and
    again, whatever else is asked for.

    Parameters
    ----------
    limit : float
        The greatest load that terminals can offer.
    resolution : float
        How close the answer is to the truth.

    Raises
    ------
    ValueError
        If the resolution is not above 0 and at most half of the limit.

    Examples
    --------
    >>> search = Bisection()
    >>> while search.load is not None:
    ...     search.tell(saturated=search.load > 0.427)
    >>> search.saturation, search.steps
    (0.42, 8)
    """

    def __init__(self, *, limit: float = 1.0, resolution: float = 0.01) -> None:
        if not 0 < resolution <= limit / 2:
            raise ValueError(
                f"Bisection needs a resolution above 0 and up to {limit / 2:g}, half of the "
                f"greatest load, not {resolution:g}"
            )
        self.resolution, self.limit = resolution, limit
        self._low, self._high = 0, max(2, round(limit / resolution))
        self._top, self._limit_tried = self._high, False

    @property
    def steps(self) -> int:
        """Return how many loads are tried, at most."""
        return 1 + (self._top - 1).bit_length()

    @property
    def left(self) -> int:
        """Return how many of them are still to be tried, at most."""
        tried = self._limit_tried
        return int(not tried) + max(0, self._high - self._low - 1).bit_length()

    @property
    def load(self) -> float | None:
        """Return the load to be tried next; None if the answer is known."""
        if not self._limit_tried:
            return self.limit
        if self._high - self._low <= 1:
            return None
        return self._at((self._low + self._high) // 2)

    def tell(self, *, saturated: bool) -> None:
        """Take what became of that load."""
        if not self._limit_tried:
            self._limit_tried = True
            if not saturated:
                self._low = self._high
            return
        middle = (self._low + self._high) // 2
        if saturated:
            self._high = middle
        else:
            self._low = middle

    @property
    def beyond(self) -> float | None:
        """Return the least load that was too much; None if none was."""
        return None if self._high == self._low else self._at(self._high)

    @property
    def saturation(self) -> float | None:
        """Return the greatest load that was not too much; None if none was too much."""
        return None if self._low == self._top else self._at(self._low)

    def _at(self, step: int) -> float:
        return round(step * self.limit / self._top, 9)
