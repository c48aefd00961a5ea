"""Requests that a drive was given and has not done, by which an event of completion finds when its request came."""

MOST_ISSUED = 1 << 16
"""Requests that are kept; of more the oldest are forgotten, for their completions are not in the file."""


class IssuedRequests:
    """Instants at which requests came, by device and first sector; the latest of two alike."""

    def __init__(self) -> None:
        self._since: dict[tuple[str, int], float] = {}
        self.any = False
        """True from the first request on: a completion before it is of a request that came before the file began."""

    def begin(self, device: str, first: int, time: float) -> None:
        self.any = True
        self._since.pop((device, first), None)
        self._since[device, first] = time
        if len(self._since) > MOST_ISSUED:
            del self._since[next(iter(self._since))]

    def end(self, device: str, first: int) -> float | None:
        """Return when the request came that is done; None where that is not known."""
        return self._since.pop((device, first), None)
