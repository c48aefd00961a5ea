"""What the writers of all formats need: times in ticks that never fall, whole sectors, and devices by number."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count

from sim.error import UserError, shown
from workloads.traces.record import Record


def steps(records: Iterable[Record], ticks: int) -> Iterator[tuple[int, Record]]:
    """Each record and its time, in *ticks* a second; without a time, or a falling one, with the one before."""
    now = 0
    for record in records:
        if record.time is not None:
            now = max(now, round(record.time * ticks))
        yield now, record


def sectors(record: Record, size: int) -> tuple[int, int]:
    """The first sector of *size* bytes, and how many; UserError if they are no whole ones."""
    if record.first % size or record.length % size:
        raise UserError(f"{record.length} bytes from byte {record.first} on are no whole sectors of {size} bytes, "
                      "and the format has no others")
    return record.first // size, record.length // size


class Numbers(dict[str, int]):
    """Devices by number: *own* is what a name says itself, if it does; others get the first *fresh* one left."""

    def __init__(self, own: Callable[[str], int | None], fresh: Callable[[int], int]) -> None:
        super().__init__()
        self._own = own
        self._fresh = fresh

    def __missing__(self, name: str) -> int:
        number = self._own(name)
        if number is None:
            number = next(fresh for fresh in map(self._fresh, count()) if fresh not in self.values())
        elif number in self.values():
            raise UserError(f"device {shown(name)} would get number {number}, which another has")
        self[name] = number
        return number
