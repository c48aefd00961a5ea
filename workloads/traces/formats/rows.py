"""Lines of fields in a fixed order, each of which becomes its part of a request: what all traces in CSV come to."""

from collections.abc import Callable, Mapping, Sequence

from spindle.sim.request import READ, WRITE, Op
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.record import Record
from spindle.workloads.traces.shape import COMMA, Field, Separator, Shape

WRITES = ("w", "write", "set", "set_lease", "put", "add", "replace", "cas", "append", "prepend", "incr", "decr")
OPS: Mapping[str, Op] = {"r": READ, "read": READ} | dict.fromkeys(WRITES, WRITE)
"""By the word in small letters. What is none of them, as get, U or -, is a reference all the same: a read."""
DELETES = ("delete", "del", "remove")
"""Of objects: they read nothing, and are passed over."""
LATEST = 1e11
"""Seconds since 1970 or 1601 are fewer."""
MOST_KEYS = 1 << 16
"""References that one line may make, to several objects or to one."""
_MISSING = -1
"""Where an empty cell is put, behind the others."""
_MAIN = ("op", "device", "first", "length", "key", "count", "extra", "ttl")
_MEASURED = ("response", "gap", "service", "queue", "number")


class Rows:
    """Of two *fields* that become one part, it is the earlier; *ops* are what words of operations mean."""

    def __init__(
        self, fields: Sequence[Field], separator: Separator = COMMA, longer: bool = False, ops: Mapping[str, Op] = OPS
    ) -> None:
        self.shape = Shape(fields, separator, longer)
        self._ops = ops
        places = {each.part: place for place, each in reversed(list(enumerate(fields)))}
        self._main = [places.get(part, _MISSING) for part in _MAIN]
        self._first, self._length = (int(self._unit(fields, places, part)) for part in ("first", "length"))
        self._time, self._clock = places.get("time", _MISSING), places.get("clock", _MISSING)
        self._tick = self._unit(fields, places, "clock")
        self._began: float | None = None
        self._places_measured = [places.get(part, _MISSING) for part in _MEASURED]
        self._seconds: list[Callable[[str], float | None]] = [
            _seconds(self._unit(fields, places, part)) for part in _MEASURED[:4]]
        self._measured = any(place != _MISSING for place in self._places_measured)

    @staticmethod
    def _unit(fields: Sequence[Field], places: Mapping[str, int], part: str) -> float:
        return fields[places[part]].unit if part in places else 1

    def parse(self, line: str) -> Record | None:
        match = self.shape.match(line)
        if match is None:
            raise self.shape.wrong(line)
        cells = (*match.groups(), "")
        op, device, first, length, key, count, extra, ttl = [cells[place] for place in self._main]
        if self._time != _MISSING:
            time = float(cells[self._time]) if cells[self._time] else None
        else:
            time = self._since(cells[self._clock])
        if key:
            if op.lower() in DELETES:
                return None
            size = (int(length) * self._length if length else 1) + int(extra or 0)
            valid = float(ttl or 0)
            record = Record(time, device, self._ops.get(op.lower(), READ), 0, size, ttl=valid if valid > 0 else None)
            return self._objects(record, key.strip(), count)
        record = Record(time, device, self._ops.get(op.lower(), READ), int(first or 0) * self._first,
                        int(length) * self._length)
        return self._with_measured(record, cells) if self._measured else record

    def _since(self, text: str) -> float | None:
        """Seconds since the first time; as they stand, because of a date a float has no microseconds left."""
        if not text:
            return None
        now = int(text) if text.isdecimal() else float(text)
        if self._began is None:
            if self._tick == 1 and now > LATEST:
                raise Wrong(f"{text} is no second of any date; time_ms, time_us or time_ns would say the unit", "clock")
            self._began = now
        return (now - self._began) * self._tick

    @staticmethod
    def _objects(record: Record, key: str, count: str) -> Record:
        """That many references to one object, of its size and the bytes of its key, if given."""
        times = int(count or 1)
        if not 0 < times <= MOST_KEYS:
            raise Wrong(f"one line asks for an object from 1 to {MOST_KEYS} times, not {times}", "count")
        return record._replace(keys=(key,) * times)

    def _with_measured(self, record: Record, cells: tuple[str, ...]) -> Record:
        """With the measured times of a list of requests: response is service and queue."""
        *texts, seq = [cells[place] for place in self._places_measured]
        response, gap, service, queue = [make(text) for make, text in zip(self._seconds, texts, strict=True)]
        if service is not None and queue is not None:
            response = service + queue
        return record._replace(response=response, gap=gap, service=None if queue is None else service,
                               number=int(seq) if seq else None)


def _seconds(unit: float) -> Callable[[str], float | None]:
    return lambda text: float(text) * unit if text else None
