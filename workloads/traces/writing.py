"""Writes a trace as CSV, and gives the writers of all formats whole ticks of time, whole sectors and device numbers."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count

from spindle.sim.error import UserError, quote
from spindle.workloads.traces.record import Record


def with_ticks(records: Iterable[Record], ticks: int) -> Iterator[tuple[int, Record]]:
    """Yield each record with its time, in *ticks* a second; a missing or falling time is replaced by the one before."""
    now = 0
    for record in records:
        if record.time is not None:
            now = max(now, round(record.time * ticks))
        yield now, record


def sectors(record: Record, size: int) -> tuple[int, int]:
    """Return the first sector of *size* bytes, and their number; UserError if they are no whole ones."""
    if record.first % size or record.length % size:
        raise UserError(f"{record.length} bytes from byte {record.first} on are no whole sectors of {size} bytes, "
                      "and the format has no others")
    return record.first // size, record.length // size


class DeviceNumbers(dict[str, int]):
    """Numbers of devices by name: *own* returns the number in a name, if any; others get the first *fresh* one left."""

    def __init__(self, own: Callable[[str], int | None], fresh: Callable[[int], int]) -> None:
        super().__init__()
        self._own = own
        self._fresh = fresh

    def __missing__(self, name: str) -> int:
        number = self._own(name)
        if number is None:
            number = next(fresh for fresh in map(self._fresh, count()) if fresh not in self.values())
        elif number in self.values():
            raise UserError(f"device {quote(name)} would get number {number}, which another has")
        self[name] = number
        return number


def on_devices(records: Iterable[Record], format: str) -> Iterator[Record]:
    """Yield *records*; UserError where one has keys of objects, for which a *format* of devices has no place."""
    for record in records:
        if record.keys:
            raise UserError(f"{quote(record.keys[0])} is the key of an object, and {format} has bytes of devices")
        yield record


def encode_csv(records: Iterable[Record]) -> Iterator[bytes]:
    """Encode plain CSV, with times in nanoseconds that never fall, and without measured values.

    An object has a line for each reference to it. Unknown times are left out.
    """
    keyed: bool | None = None
    timed = False
    for ns, record in with_ticks(records, 10**9):
        if keyed is None:
            keyed = bool(record.keys)
            yield b"time_s,device,op,key,size,ttl\n" if keyed else b"time_s,device,op,offset,size\n"
        if keyed != bool(record.keys):
            raise UserError("a trace asks for objects by key, or for bytes of devices, and not for both")
        timed = timed or record.time is not None
        time = f"{ns // 10**9}.{ns % 10**9:09}" if timed else ""
        ends = "" if not keyed else f",{record.ttl:.12g}" if record.ttl else ","
        op = "delete" if record.delete else record.op.name[0]
        size = "" if record.unsized else str(record.length)
        for what in record.keys or (str(record.first),):
            if any(mark in what for mark in '\t\n\r"'):
                raise UserError(f"the key {quote(what)} has a quote, a tab or an end of line, which CSV takes")
            yield f"{time},{_quote(record.device)},{op},{_quote(what)},{size}{ends}\n".encode()


def _quote(name: str) -> str:
    """Return *name*, in quotes where it has a comma, as the numbers of a device in Linux have."""
    return f'"{name}"' if "," in name else name
