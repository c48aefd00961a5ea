"""Keeps the requests that were issued to a drive and not completed, to find when a completed request was issued."""

MOST_ISSUED = 1 << 16
"""Most requests that are kept; beyond them the oldest are dropped, because their completions are not in the file."""


class IssuedRequests:
    """Times at which requests were issued, by device and first sector; of two alike the later."""

    def __init__(self) -> None:
        self._since: dict[tuple[str, int], float] = {}
        self.any = False
        """True from the first request on: completions before it are of requests issued before the file began."""

    def begin(self, device: str, first: int, time: float) -> None:
        self.any = True
        self._since.pop((device, first), None)
        self._since[device, first] = time
        if len(self._since) > MOST_ISSUED:
            del self._since[next(iter(self._since))]

    def end(self, device: str, first: int) -> float | None:
        """Return when the completed request was issued; None if that is unknown."""
        return self._since.pop((device, first), None)
