"""What a drive counts: numbers that only grow, and are exact at any instant."""

from sim.request import READ, Access, Service


class DriveCounts:
    """Requests are counted when they are issued and when they are completed; seconds as they go by.

    The phases of the request in service count up to the instant of the reading, in the order overhead, seek,
    rotation, transfer, channel, so that at any instant they add up to ``busy``.
    """

    def __init__(self, now: float, sector_bytes: int) -> None:
        self.issued = self.completed = 0
        self.reads = self.writes = self.partial_writes = 0
        self.bytes_read = self.bytes_written = 0
        self.overhead = self.seek = self.rotation = self.transfer = self.channel = 0.0
        self._sector_bytes = sector_bytes
        self._queue = 0.0
        self._waiting = 0
        self._submitted = 0.0
        self._number_seconds = 0.0
        self._changed = now
        self._busy = 0.0
        self._began = now
        self._serving: Service | None = None

    def enter(self, now: float) -> None:
        """A request was issued."""
        self._number_seconds += (self.issued - self.completed) * (now - self._changed)
        self._changed = now
        self.issued += 1
        self._waiting += 1
        self._submitted += now

    def begin(self, now: float, service: Service) -> None:
        """A request is being served from *now* on."""
        self._began = now
        self._serving = service
        self._queue += service.queue
        self._waiting -= 1
        self._submitted = self._submitted - (now - service.queue) if self._waiting else 0.0

    def revise(self, service: Service) -> None:
        """Replace the phases of the request in service; a phase without an end yet is infinite."""
        self._serving = service

    def leave(self, now: float, access: Access, service: Service) -> None:
        """The request that was being served is done."""
        self._number_seconds += (self.issued - self.completed) * (now - self._changed)
        self._changed = now
        self._busy += now - self._began
        self._serving = None
        self.completed += 1
        _, overhead, seek, rotation, transfer, channel = service
        self.overhead += overhead
        self.seek += seek
        self.rotation += rotation
        self.transfer += transfer
        self.channel += channel
        first, length = access.span
        if access.op is READ:
            self.reads += 1
            self.bytes_read += length
        else:
            self.writes += 1
            self.bytes_written += length
            if first % self._sector_bytes or (first + length) % self._sector_bytes:
                self.partial_writes += 1

    def busy(self, now: float) -> float:
        """Seconds up to *now* in which a request was being served."""
        return self._busy if self._serving is None else self._busy + (now - self._began)

    def number_seconds(self, now: float) -> float:
        """The integral over time of the number of requests queued or being served."""
        return self._number_seconds + (self.issued - self.completed) * (now - self._changed)

    def _phases(self, now: float) -> dict[str, float]:
        totals = {"overhead": self.overhead, "seek": self.seek, "rotation": self.rotation,
                  "transfer": self.transfer, "channel": self.channel}
        if self._serving is not None:
            left = now - self._began
            for name, seconds in zip(totals, self._serving[1:], strict=True):
                totals[name] += min(seconds, left)
                left -= min(seconds, left)
        return totals

    def reading(self, now: float) -> dict[str, float]:
        """Everything counted up to *now*. Queue adds up how long each request waited for its turn, or has so far."""
        names = ("issued", "completed", "reads", "writes", "partial_writes", "bytes_read", "bytes_written")
        return {
            **{name: float(getattr(self, name)) for name in names},
            "busy": self.busy(now),
            "number_seconds": self.number_seconds(now),
            "queue": self._queue + self._waiting * now - self._submitted,
            **self._phases(now),
        }
