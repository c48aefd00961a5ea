"""Flash times the requests of a solid-state drive: map cache, cleaning (garbage collection), write buffer, dies, buses.

All phases of a request are computed when it arrives. A die works first come, first served. A bus, the controller and
the link serve their work as it becomes ready: a page that a slow die will send later delays no other.
"""

from array import array
from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from math import inf, log

from spindle.sim.disc.flash.sheet import Chooser, FlashType
from spindle.sim.disc.flash.steady import cleaned_level, steady_levels
from spindle.sim.disc.mechanism import ArmPosition
from spindle.sim.disc.virtual import HOME, Armless
from spindle.sim.request import READ, AccessTiming, Op, Span
from spindle.sim.streams import stream

# The part of the map that the controller has in memory: pages of entries, the one used longest ago leaves.
#
# After DFTL (Gupta, Kim & Urgaonkar, ASPLOS 2009), with whole pages of the map instead of single entries.

ENTRY_BYTES = 4


class MapCache:
    """A cache of *pages* pages of the map, each with entries of *per_page* units; None: the whole map is in memory."""

    def __init__(self, pages: int | None, per_page: int) -> None:
        self.hits = self.misses = self.write_backs = 0
        self._pages = pages
        self._per_page = per_page
        self._dirty: dict[int, bool] = {}

    @property
    def is_whole(self) -> bool:
        """Tell if the whole map is in memory."""
        return self._pages is None

    def page(self, unit: int) -> int:
        return unit // self._per_page

    def use(self, unit: int, changes: bool) -> tuple[bool, int | None]:
        """Look up *unit*: tell if its page of the map must be read first, and which must be written to make room."""
        if self._pages is None:
            self.hits += 1
            return False, None
        page = unit // self._per_page
        dirty = self._dirty.pop(page, None)
        out: int | None = None
        if dirty is None:
            self.misses += 1
            if len(self._dirty) >= self._pages:
                oldest = next(iter(self._dirty))
                out = oldest if self._dirty.pop(oldest) else None
                self.write_backs += out is not None
        else:
            self.hits += 1
        self._dirty[page] = changes or bool(dirty)
        return dirty is None, out


# One die: where each of its units lies, how many of each block are valid, and the cleaning of blocks.
#
# Units of the host keep to their die. Counts and places are integers in arrays: of the map in chunks, and of a block,
# once something was written there, so that memory grows with what was written and not with the drive.

MAP_CHUNK = 64
"""Units in a piece of the map."""
NOWHERE, DRAWN = -1, -2
"""Places of a unit that was never written, and of one whose block is drawn at random when it is written again."""
UNKNOWN_UNIT = -1
"""A unit in a block that was filled at random, of which only the number of valid units is known."""


class Die:
    """A die of *blocks* blocks of *size* units; cleaning begins when fewer than *reserve* blocks are empty.

    A write, or a copy when a block is cleaned, takes the next unit of an open block; the host and cleaning fill
    blocks of their own.
    """

    _random: Callable[[], float]
    """Draws the places of the units with which a die is filled; an empty one draws none."""

    def __init__(self, blocks: int, size: int, reserve: int, choose: Chooser) -> None:
        self.blocks, self.size = blocks, size
        self.valid = array("q", bytes(8 * blocks))
        self.filled = array("q", bytes(8 * blocks))
        self.wear = array("q", bytes(8 * blocks))
        self._anonymous = array("q", bytes(8 * blocks))
        """By block, the valid units of which only the number is known; they count among the valid ones."""
        self.written = self.copied = self.erased = self.trimmed = self.mapped = 0
        self._drawn = self._drawn_places = 0
        self._blank = array("q", [NOWHERE]) * MAP_CHUNK
        self._map: dict[int, array[int]] = {}
        self._units: dict[int, array[int]] = {}
        self._empty = deque(range(blocks))
        self._full: dict[int, None] = {}
        self._reserve = reserve
        self._choose = choose
        self._host = self._open()
        self._copies = self._open()

    def _open(self) -> int:
        """Open the block that was emptied longest ago, so that blocks wear in turn."""
        block = self._empty.popleft()
        self._units[block] = array("q")
        return block

    def fill(self, units: int, opened: tuple[int, int], random: Callable[[], float]) -> None:
        """Begin with the first *units* units as random writes leave them. So many of them are *opened*: in the block
        that the host fills, and in that of cleaning.

        The place of a unit is drawn when it is written again: each valid place is as likely.
        """
        self._drawn, self._random = units, random
        self._blank = array("q", [DRAWN]) * MAP_CHUNK
        self.mapped = units
        for block, count in zip((self._host, self._copies), opened, strict=True):
            self._units[block].extend([UNKNOWN_UNIT] * count)
            self.valid[block] = self._anonymous[block] = count
        levels = steady_levels(units - sum(opened), len(self._empty) - self._reserve, self.size)
        for level in levels:
            block = self._empty.popleft()
            self._full[block] = None
            self.valid[block] = self._anonymous[block] = level
            # A unit stays valid for as many writes as there are units, on average.
            self.filled[block] = -round(units * log(self.size / max(level, 0.5)))
        self._drawn_places = len(levels) * self.size + sum(opened)

    def place_of(self, unit: int) -> int:
        """The place of *unit* on the die; NOWHERE before it was written, once it was trimmed, or where it was drawn."""
        chunk = self._map.get(unit // MAP_CHUNK)
        return NOWHERE if chunk is None else max(NOWHERE, chunk[unit % MAP_CHUNK])

    def _chunk(self, unit: int) -> "array[int]":
        number = unit // MAP_CHUNK
        chunk = self._map.get(number)
        if chunk is None:
            chunk = self._map[number] = self._blank[:]
        return chunk

    def write(self, unit: int) -> tuple[int, int]:
        """Put *unit* behind the last one written; return how many units were copied and blocks erased for it."""
        self._drop(unit)
        block = self._host
        units, valid = self._units[block], self.valid
        self._chunk(unit)[unit % MAP_CHUNK] = block * self.size + len(units)
        units.append(unit)
        valid[block] += 1
        self.mapped += 1
        if len(units) < self.size:
            self.written += 1
            return 0, 0
        self._host = self._close(block)
        self.written += 1
        copied, erased = self.copied, self.erased
        while len(self._empty) < self._reserve:
            self._clean()
        return self.copied - copied, self.erased - erased

    def trim(self, unit: int) -> None:
        """Forget *unit*."""
        if self._drop(unit):
            self._chunk(unit)[unit % MAP_CHUNK] = NOWHERE
            self.trimmed += 1

    def _drop(self, unit: int) -> bool:
        chunk = self._map.get(unit // MAP_CHUNK)
        place = self._blank[0] if chunk is None else chunk[unit % MAP_CHUNK]
        if place >= 0:
            block = place // self.size
        elif place == DRAWN and unit < self._drawn:
            block = self._any_block()
            self._anonymous[block] -= 1
        else:
            return False
        self.valid[block] -= 1
        self.mapped -= 1
        return True

    def _any_block(self) -> int:
        """Draw the block of a unit: each has a chance in proportion to its units that may be this one."""
        random, anonymous = self._random, self._anonymous
        while True:
            block = int(random() * self.blocks)
            if random() * self.size < anonymous[block]:
                return block

    def _close(self, block: int) -> int:
        """List *block* as full, and open the next one."""
        self._full[block] = None
        self.filled[block] = self.written
        return self._open()

    def _clean(self) -> None:
        victim = self._choose(list(self._full), self.valid, self.filled, self.written)
        del self._full[victim]
        chunks, first = self._map, victim * self.size
        valid = [unit for place, unit in enumerate(self._units.pop(victim, ()), first)
                 if unit != UNKNOWN_UNIT and chunks[unit // MAP_CHUNK][unit % MAP_CHUNK] == place]  # fmt: skip
        valid += [UNKNOWN_UNIT] * self._anonymous[victim]
        self._anonymous[victim] = 0
        while valid:
            valid = self._copy(valid)
        self.valid[victim] = 0
        self.wear[victim] += 1
        self.erased += 1
        self._empty.append(victim)

    def _copy(self, moved: list[int]) -> list[int]:
        """Put *moved* behind the copies in the open block; return those that do not fit."""
        block, chunks = self._copies, self._map
        units = self._units[block]
        begin, room = len(units), self.size - len(units)
        for place, unit in enumerate(moved[:room], block * self.size + begin):
            if unit == UNKNOWN_UNIT:
                self._anonymous[block] += 1
            else:
                chunks[unit // MAP_CHUNK][unit % MAP_CHUNK] = place
        units.extend(moved[:room])
        self.valid[block] += len(units) - begin
        self.copied += len(units) - begin
        if len(units) == self.size:
            self._copies = self._close(block)
        return moved[room:]

    def faults(self) -> list[str]:
        """List contradictions: every unit must lie in the one place that names it, counts add up, nothing is lost."""
        count = list(self._anonymous)
        for number, chunk in self._map.items():
            for offset, place in enumerate(chunk):
                if place >= 0:
                    block, within = divmod(place, self.size)
                    count[block] += 1
                    if block not in self._units or self._units[block][within] != number * MAP_CHUNK + offset:
                        return [f"unit {number * MAP_CHUNK + offset} is not where the map has it"]
        opened = len(self._full) + 2
        unlisted = sum(block not in self._units for block in self._full)
        programmed = sum(map(len, self._units.values())) + unlisted * self.size - self._drawn_places
        laws = {
            "valid units by block against the map": count == list(self.valid),
            "valid units against the map": sum(count) == self.mapped,
            "empty, open and full blocks against all": len(self._empty) + opened == self.blocks,
            "units programmed against writes, copies and erased blocks":
                programmed == self.written + self.copied - self.erased * self.size,
            "wear against erased blocks": sum(self.wear) == self.erased,
            "empty blocks hold no unit": not any(block in self._units for block in self._empty),
        }  # fmt: skip
        return [law for law, kept in laws.items() if not kept]


ROUNDING_FACTOR = 1.0 + 1e-9
"""Factor by which rounding may make the parts of a step of cleaning add up to more than the step."""


class Flash(Armless):
    """The mechanism of a solid-state drive. Stripes of the host's units are on the dies in turn, and stay on their die.

    A write is done when it is in the buffer; a unit leaves the buffer when it is programmed, and takes its share of the
    program of a stripe. One whose program has not begun is overwritten in the buffer. A unit that was never written is
    read from where it would lie. Of the phases overhead is the command, transfer the time of flash, bus and link
    alone, channel the waits for them.

    A cleaning is done in steps, each the copy of a stripe or an erasure, which nothing interrupts (the semi-preemptible
    collection of Lee, Kim, Shipman, Oral & Kim, IEEE TCAD 32(2), 2013): with the writes that fill the room it made, and
    while the die is idle. A request waits for the step under way. Where the sheet says that cleaning is not preempted,
    a block is copied and erased in one step, before the next write (Agrawal et al., USENIX 2008).
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
        self._to_register, self._to_bus = nand.read, sheet.unit / nand.bus
        self._program = nand.program / sheet.stripe
        self._read_front = front.command, front.command / front.queues, front.rate
        handling = front.write_command / front.queues if front.write_handling is None else front.write_handling
        self._write_front = front.write_command, handling, front.write_rate
        self._copy = nand.read / sheet.stripe + self._program
        self._step = nand.read + nand.program if sheet.preempted else inf
        self._owed = [0.0] * nand.dies
        """By die, seconds of copies that cleaning still has to do; its erasures follow them."""
        self._erasures = [0] * nand.dies
        self._due = [0.0] * nand.dies
        self._instalment = [0.0] * nand.dies
        self._buffer = sheet.buffer // sheet.unit
        self._flush = sheet.flush
        self._opened = 0.0
        self._leaving: list[tuple[float, int]] = []
        self._buffered: dict[int, float] = {}
        self._settled = 0.0
        if sheet.filled:
            self._fill()

    def _fill(self) -> None:
        """Begin in the state of a drive whose first units were written at random for long. Each die is somewhere within
        the writes of a block, and still has to do a part of the cleaning of the block that was cleaned before it.
        """
        sheet, size = self.sheet, self.sheet.block_units
        rows, more = divmod(sheet.capacity // (sheet.unit * sheet.stripe), len(self.dies))
        for number, die in enumerate(self.dies):
            random = stream(1, f"state of die {number}").random
            units = int(sheet.filled * (rows + (number < more)) * sheet.stripe)
            host = min(int(random() * size), units)
            die.fill(units, (host, min(int(random() * size), units - host)), random)
            valid = cleaned_level(units / (sheet.nand.blocks - sheet.reserve - 1), size)
            if sheet.preempted:
                self._instalment[number] = (valid * self._copy + sheet.nand.erase) / (size - valid)
                self._owed[number] = max(0.0, (size - host) * self._instalment[number] - sheet.nand.erase)
                self._erasures[number] = 1

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[AccessTiming, ArmPosition]:
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
        transfer = alone + over_link
        return AccessTiming(queue, command, 0.0, 0.0, transfer, max(0.0, end - now - command - transfer)), HOME

    def _over_link(self, now: float, seconds: float) -> float:
        self._link = max(self._link, now) + seconds
        return self._link

    def _over_bus(self, die: int, now: float) -> float:
        """Reserve the bus of *die* for a unit from *now* on; return the instant at which the unit is across."""
        channel = die % len(self._bus)
        free = self._bus[channel]
        self._bus[channel] = across = (now if now > free else free) + self._to_bus
        return across

    def _place(self, unit: int) -> tuple[int, int]:
        """Return the die of *unit*, and the unit's number on it."""
        stripe, offset = divmod(unit, self._stripe)
        row, die = divmod(stripe, len(self.dies))
        return die, row * self._stripe + offset

    def _read(self, units: range, now: float) -> tuple[float, float]:
        """Read *units*: return the seconds on idle flash, and the instant at which all have been read."""
        buffered, dies, stripe, ready = self._buffered, self.dies, self._stripe, now
        wide, whole = len(dies), self.map.is_whole
        sensed: tuple[int, int] | None = None
        self.read_units += len(units)
        for unit in units:
            if buffered and buffered.get(unit, 0.0) > now:
                self.buffered_units += 1
                continue
            row, die = divmod(unit // stripe, wide)  # as _place says, without the call
            inner = row * stripe + unit % stripe
            place = dies[die].place_of(inner)
            page = die, (inner if place == NOWHERE else place) // stripe
            begin = now
            if whole:
                self.map.hits += 1
            else:
                begin = self._load_map(unit, now, False)
            arrived = self._sense(die, begin, sensed != page)
            if arrived > ready:
                ready = arrived
            sensed = page
        return self._to_register + self._to_bus if sensed else 0.0, ready

    def _sense(self, die: int, now: float, new: bool) -> float:
        """Read a unit of *die* and return the instant at which it is across the bus.

        *new*: its page is not in the register, and is sensed first.
        """
        if self._erasures[die]:
            self._clean_while_idle(die, now)
        free = self._free[die]
        if new:
            self.senses += 1
            free = (now if now > free else free) + self._to_register
        ready, across = free + self._to_bus, self._over_bus(die, now)
        if across > ready:
            ready = across
        self._free[die] = ready
        return ready

    def _load_map(self, unit: int, now: float, changes: bool) -> float:
        """Bring the map's entry of *unit* into memory and return the instant at which it is there."""
        missing, out = self.map.use(unit, changes)
        if out is not None:
            self._work(out % len(self.dies), now, self._program)
        return self._sense(self.map.page(unit) % len(self.dies), now, True) if missing else now

    def _work(self, die: int, now: float, seconds: float) -> float:
        self._free[die] = max(self._free[die], now) + seconds
        return self._free[die]

    def _write(self, units: range, span: Span, now: float) -> float:
        """Write *units* and return the instant at which all are in the buffer."""
        size, buffered, program = self.sheet.unit, self._buffered, self._program
        stripe, wide, whole = self._stripe, len(self.dies), self.map.is_whole
        for unit in units:
            if buffered.get(unit, 0.0) - program > now:
                self.absorbed_units += 1  # it is in the buffer still, and is written over there
                continue
            now = ready = self._room(now)
            if whole:
                self.map.hits += 1
            else:
                ready = self._load_map(unit, now, True)
            row, die = divmod(unit // stripe, wide)  # as _place says, without the call
            if unit * size < span.first or (unit + 1) * size > span.end:
                ready = self._sense(die, ready, True)  # the rest of a unit written in part
            copied, erased = self.dies[die].write(row * stripe + unit % stripe)
            if erased or self._erasures[die]:
                self._clean(die, ready, copied, erased)
            across, free = self._over_bus(die, ready), self._free[die]
            if across > ready:
                ready = across
            self._free[die] = end = (ready if ready > free else free) + program
            heappush(self._leaving, (end, unit))
            buffered[unit] = end
            if end > self._settled:
                self._settled = end
        return now

    def _clean(self, die: int, now: float, copied: int, erased: int) -> None:
        """Add the units *copied* and the blocks *erased* to the work due at *die*, and do the steps due until now.

        A write starts cleaning only when it fills a block; the work is then spread over the writes of the next block.
        """
        if erased:
            self._work(die, now, 0.0)
            self._owed[die] += copied * self._copy
            self._erasures[die] += erased
            owed = self._owed[die] + self._erasures[die] * self.sheet.nand.erase
            self._instalment[die] = owed / self.sheet.block_units if self.sheet.preempted else owed
        self._clean_while_idle(die, now)
        self._due[die] += self._instalment[die]
        while self._erasures[die] and self._due[die] * ROUNDING_FACTOR >= self._next_step(die):
            self._work(die, now, self._take_step(die))

    def _clean_while_idle(self, die: int, now: float) -> None:
        """Do steps of cleaning from when *die* became free until *now*; the last one may end later."""
        while self._erasures[die] and self._free[die] < now:
            self._free[die] += self._take_step(die)

    def _next_step(self, die: int) -> float:
        """Return the seconds of the next step: of copies, or of an erasure behind them."""
        return min(self._step, self._owed[die]) or self.sheet.nand.erase

    def _take_step(self, die: int) -> float:
        """Take the next step from the work due at *die*, and return its seconds."""
        seconds = self._next_step(die)
        if self._owed[die]:
            self._owed[die] -= seconds
        else:
            self._erasures[die] -= 1
        self._due[die] = max(0.0, self._due[die] - seconds)
        return seconds

    def _room(self, now: float) -> float:
        """Return the instant at which the buffer has room for one more unit; all writes wait for a flush."""
        leaving = self._leaving
        now = max(now, self._opened)
        full = len(leaving) >= self._buffer
        kept = self._buffer - (self._flush if full else 1)
        while leaving and (leaving[0][0] <= now or len(leaving) > kept):
            end, unit = heappop(leaving)
            now = max(now, end)
            if self._buffered.get(unit, 0.0) <= now:
                self._buffered.pop(unit, None)
        if full and self._flush > 1:
            self._opened = now
        return now

    def discard(self, span: Span) -> None:
        """Trim the whole units of *span*."""
        size = self.sheet.unit
        for unit in range(-(-span.first // size), (span.first + span.length) // size):
            die, inner = self._place(unit)
            self.dies[die].trim(inner)
            self._buffered.pop(unit, None)

    def settled_at(self) -> float:
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
