"""What flash does with a request: every die, bus and link has a queue of its own, so that all phases are known at once.

A die works in the order in which it was asked. A bus, the controller and the link are busy for as long as what was
asked of them takes, in whatever order it comes: a page that a slow die will send later holds up no other.
"""

from heapq import heappop, heappush

from sim.disc.armless import HOME, Armless
from sim.disc.flash.die import NOWHERE, Die
from sim.disc.flash.map_cache import ENTRY_BYTES, MapCache
from sim.disc.flash.sheet import FlashType
from sim.disc.mechanism import ArmPosition
from sim.request import READ, Op, Service, Span


class Flash(Armless):
    """The mechanism of a FlashType. Stripes of the host's units lie on the dies in turn, and stay on their die.

    A write is done when it is in the buffer; a unit leaves that when it is programmed, and takes its share of the
    program of a stripe. One whose program has not begun is written over in the buffer. What was never written is read
    from where it would lie. What a cleaning takes is spread over the writes that fill the room it made, or done before
    them where the die is idle. The phases of a Service: overhead is the command, transfer what flash, bus and link
    take by themselves, channel what is waited for them.
    """

    def __init__(self, sheet: FlashType) -> None:
        self.sheet = sheet
        self.capacity, self.sector_bytes = sheet.capacity, sheet.sector_bytes
        nand, front = sheet.nand, sheet.front
        self.dies = [Die(nand.blocks, sheet.block_units, sheet.reserve, sheet.cleaning.chooser(each, sheet.block_units))
                     for each in range(nand.dies)]  # fmt: skip
        self.map = MapCache(sheet.map_pages, sheet.unit // ENTRY_BYTES)
        self.read_units = self.buffered_units = self.absorbed_units = 0
        self.senses = 0
        self._free = [0.0] * nand.dies
        self._stripe = sheet.stripe
        self._bus = [0.0] * nand.channels
        self._link = self._controller = 0.0
        self._to_bus = sheet.unit / nand.bus
        self._program = nand.program / sheet.stripe
        self._read_front = front.command, front.command / front.queues, front.rate
        self._write_front = front.write_command, front.write_command / front.queues, front.write_rate
        self._copy = nand.read / sheet.stripe + self._program
        self._owed = [0.0] * nand.dies
        self._instalment = [0.0] * nand.dies
        self._buffer = sheet.buffer // sheet.unit
        self._leaving: list[tuple[float, int]] = []
        self._buffered: dict[int, float] = {}
        self._settled = 0.0

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[Service, ArmPosition]:
        unit, (first, length) = self.sheet.unit, span
        command, handling, rate = self._read_front if op is READ else self._write_front
        self._controller = max(self._controller, now) + handling
        begin = max(now + command, self._controller)
        over_link = length / rate
        units = range(first // unit, -(-(first + length) // unit))
        if op is READ:
            alone, ready = self._read(units, begin)
            end = max(ready + over_link, self._over_link(begin, over_link))
        else:
            alone, arrived = 0.0, self._over_link(begin, over_link)
            end = self._write(units, span, arrived)
        least = alone + over_link
        return Service(queue, command, 0.0, 0.0, least, max(0.0, end - now - command - least)), HOME

    def _over_link(self, now: float, seconds: float) -> float:
        self._link = max(self._link, now) + seconds
        return self._link

    def _over_bus(self, die: int, now: float) -> float:
        """When the bus of *die* has taken a unit, asked for at *now*."""
        channel = die % len(self._bus)
        self._bus[channel] = max(self._bus[channel], now) + self._to_bus
        return self._bus[channel]

    def _place(self, unit: int) -> tuple[int, int]:
        """The die of *unit*, and its number there."""
        stripe, offset = divmod(unit, self._stripe)
        row, die = divmod(stripe, len(self.dies))
        return die, row * self._stripe + offset

    def _read(self, units: range, now: float) -> tuple[float, float]:
        """Seconds that it takes on idle flash, and when all *units* have been read."""
        alone, ready = 0.0, now
        sensed: tuple[int, int] | None = None
        for unit in units:
            self.read_units += 1
            if self._buffered.get(unit, 0.0) > now:
                self.buffered_units += 1
                continue
            die, inner = self._place(unit)
            begin = self._mapped(unit, now, False)
            place = self.dies[die].where(inner)
            page = die, (inner if place == NOWHERE else place) // self._stripe
            ready = max(ready, self._sense(die, begin, sensed != page))
            alone = max(alone, self.sheet.nand.read + self._to_bus)
            sensed = page
        return alone, ready

    def _sense(self, die: int, now: float, new: bool) -> float:
        """When a unit of *die* has been read; of a page that is in its register already, unless it is *new*."""
        if new:
            self.senses += 1
            self._free[die] = max(self._free[die], now) + self.sheet.nand.read
        ready = max(self._free[die] + self._to_bus, self._over_bus(die, now))
        self._free[die] = max(self._free[die], ready)
        return ready

    def _mapped(self, unit: int, now: float, changes: bool) -> float:
        """When the map's entry of *unit* is in memory."""
        missing, out = self.map.use(unit, changes)
        if out is not None:
            self._work(out % len(self.dies), now, self._program)
        return self._sense(self.map.page(unit) % len(self.dies), now, True) if missing else now

    def _work(self, die: int, now: float, seconds: float) -> float:
        self._free[die] = max(self._free[die], now) + seconds
        return self._free[die]

    def _write(self, units: range, span: Span, now: float) -> float:
        """When *units* are all in the buffer."""
        size = self.sheet.unit
        for unit in units:
            if self._buffered.get(unit, 0.0) - self._program > now:
                self.absorbed_units += 1  # it is in the buffer still, and is written over there
                continue
            now = self._room(now)
            ready = self._mapped(unit, now, True)
            die, inner = self._place(unit)
            if unit * size < span.first or (unit + 1) * size > span.end:
                ready = self._sense(die, ready, True)  # the rest of a unit written in part
            self._clean(die, ready, *self.dies[die].write(inner))
            end = self._work(die, max(ready, self._over_bus(die, ready)), self._program)
            heappush(self._leaving, (end, unit))
            self._buffered[unit] = end
            if end > self._settled:
                self._settled = end
        return now

    def _clean(self, die: int, now: float, copied: int, erased: int) -> None:
        """The *die* owes what it *copied* and *erased*: it pays while it is idle, and an instalment with each write.

        A write cleans only when it fills a block, so that the writes of a block pay for it.
        """
        if erased:
            self._work(die, now, 0.0)
            self._owed[die] += copied * self._copy + erased * self.sheet.nand.erase
            self._instalment[die] = self._owed[die] / self.sheet.block_units
        if owed := self._owed[die]:
            idle = max(0.0, now - self._free[die])
            pays = min(self._instalment[die], max(0.0, owed - idle))
            self._work(die, now, pays)
            self._owed[die] = max(0.0, owed - idle - pays)

    def _room(self, now: float) -> float:
        """When the buffer has room for one unit more."""
        leaving = self._leaving
        while leaving and (leaving[0][0] <= now or len(leaving) >= self._buffer):
            end, unit = heappop(leaving)
            now = max(now, end)
            if self._buffered.get(unit, 0.0) <= now:
                self._buffered.pop(unit, None)
        return now

    def discard(self, span: Span) -> None:
        """Trim the whole units of *span*."""
        size = self.sheet.unit
        for unit in range(-(-span.first // size), (span.first + span.length) // size):
            die, inner = self._place(unit)
            self.dies[die].trim(inner)
            self._buffered.pop(unit, None)

    def settled(self) -> float:
        return 0.0 if self.sheet.buffer_survives else self._settled

    def faults(self) -> list[str]:
        """The laws that are broken, by die."""
        return [f"die {number}: {fault}" for number, die in enumerate(self.dies) for fault in die.faults()]

    def reading(self) -> dict[str, float]:
        names = ("written", "copied", "erased", "trimmed")
        total = {f"units_{name}": float(sum(getattr(die, name) for die in self.dies)) for name in names}
        total["blocks_erased"] = total.pop("units_erased")
        return {**total, "units_read": float(self.read_units), "units_buffered": float(self.buffered_units),
                "units_absorbed": float(self.absorbed_units), "senses": float(self.senses),
                "map_hits": float(self.map.hits), "map_misses": float(self.map.misses),
                "map_write_backs": float(self.map.write_backs)}  # fmt: skip
