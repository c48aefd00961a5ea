"""Two exercises on file systems: new data a second in a log of segments, and writes of a journal's recovery."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random
from typing import ClassVar, NamedTuple

import pandas as pd
import simpy

from spindle.course.exercise import Answer
from spindle.sim.clock import Account, Wait
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import PowerSeek
from spindle.sim.request import READ, WRITE, Op, Request, access
from spindle.sim.units import KIB, MB, MS

CYLINDERS, HEADS, SECTOR = 2000, 8, 512
"""Cylinders and heads of the drive, and bytes of its sectors."""
SEGMENTS_READ = 300
"""Segments read in a run, and as many written."""


class SegmentsServed(NamedTuple):
    """Times of *moved* bytes, in seconds: for *positioning* the head, and for the *transfer* under it."""

    moved: int
    positioning: float
    transfer: float


@cache
def serve_segments(disc: DiscType, segment: int) -> SegmentsServed:
    """Simulate reads and writes in turn of segments anywhere on *disc*, as a log's cleaner does them."""
    env = simpy.Environment()
    drive, random = Drive(env, disc), Random("segments")
    places = drive.capacity // segment

    def clean() -> Wait:
        for number in range(2 * SEGMENTS_READ):
            op = WRITE if number % 2 else READ
            yield drive.start(access(op, int(random.random() * places) * segment, segment, Account("log")))

    env.process(clean())
    env.run()
    counts = drive.counts
    return SegmentsServed(2 * SEGMENTS_READ * segment, counts.overhead + counts.seek + counts.rotation, counts.transfer)


@dataclass(frozen=True)
class LogSegments:
    """Asks how fast new data enters a log whose segments are cleaned.

    A log-structured file system writes segments of *segment* bytes on *disc*; the share *live* of a cleaned one stays.
    """

    disc: DiscType
    segment: int
    live: float

    @classmethod
    def draw(cls, random: Random) -> "LogSegments":
        seek = PowerSeek(2 * MS, random.choice([16, 24]) * MS, 0.5, CYLINDERS)
        disc = DiscType("yours", uniform(CYLINDERS, HEADS, random.choice([120, 180]), SECTOR),
                        random.choice([3600, 5400]), seek, head_switch=0.0, overhead=1 * MS)  # fmt: skip
        live = random.choice([0.2, 0.3, 0.6, 0.7, 0.8])
        return cls(disc, random.choice([128, 256, 512]) * KIB, live)

    @property
    def question(self) -> str:
        served = serve_segments(self.disc, self.segment)
        return (
            f"A file system writes a log of segments of {self.segment // KIB} KiB to a disc that takes "
            f"{served.positioning / (2 * SEGMENTS_READ) / MS:.2f} ms on the mean to get to a segment, and then moves "
            f"{served.moved / served.transfer / MB:.3f} MB/s (of 10^6 bytes). Its cleaner makes room: it reads whole "
            f"segments, of which a share of {self.live:g} is live, and writes what is live into the log again. How "
            "many MB of new data a second does the disc take in the long run?"
        )

    def run(self) -> pd.DataFrame:
        """Simulate segments of other sizes, without a cleaner; return MB/s, and milliseconds a segment."""
        rows = []
        for kib in (4, 16, 64, 1024):
            served = serve_segments(self.disc, kib * KIB)
            seconds = served.positioning + served.transfer
            rows.append({"segment, KiB": kib, "MB/s": served.moved / seconds / MB,
                         "ms a segment": seconds / (2 * SEGMENTS_READ) / MS})  # fmt: skip
        return pd.DataFrame(rows)

    def answer(self) -> float:
        return self._rate * (1.0 - self.live) / 2.0

    def slips(self) -> Mapping[str, Answer]:
        served, free = serve_segments(self.disc, self.segment), 1.0 - self.live
        return {
            "That is what the log takes while nothing is cleaned.": self._rate,
            "The cleaner reads segments before it writes.": self._rate * free,
            "It reads whole segments, not only what is live.": self._rate * free / (1.0 + self.live),
            "New data has the room of what is not live.": self._rate * self.live / 2.0,
            "Before each segment the disc must get there.": served.moved / served.transfer / MB * free / 2.0,
        }

    @property
    def _rate(self) -> float:
        """Megabytes a second of segments that are read and written in turn."""
        served = serve_segments(self.disc, self.segment)
        return served.moved / (served.positioning + served.transfer) / MB


# A journal of whole blocks, after a crash.

BLOCK = 4 * KIB
"""Bytes of a block of the file system."""
TRANSACTIONS = 12
"""Transactions until the crash, at most."""
HOME_DELAY = 150 * MS
"""Seconds from the commit of a transaction until its blocks are written to their homes, outside the journal."""
MIN_RECOVERED = 6
"""Least blocks that recovery writes in a case that is drawn."""
JOURNAL_DISC = DiscType("of the journal", uniform(1000, 4, 64, SECTOR), 5400, PowerSeek(2 * MS, 18 * MS, 0.5, 1000))
"""The disc of the journal and of all blocks."""
JOURNAL, COMMIT, HOME = "journal", "commit", "home"
"""Kinds of writes: a transaction's blocks into the journal, its commit, a block to its home."""


class DoneWrite(NamedTuple):
    """A completed write: its time in *ms*, its kind *what*, its *transaction*, and its *block*, -1 for several."""

    ms: float
    what: str
    transaction: int
    block: int


@dataclass(frozen=True)
class JournalRecovery:
    """Asks how many blocks recovery writes after power fails at *crash* ms.

    A journal takes transactions of *blocks* each, which begin *gaps* seconds apart.
    """

    GIVEN_TO_STUDENTS: ClassVar = ("writes", "transactions")

    blocks: tuple[tuple[int, ...], ...]
    gaps: tuple[float, ...]
    crash: int

    @classmethod
    def draw(cls, random: Random) -> "JournalRecovery":
        blocks = tuple(tuple(random.sample(range(2000), random.randrange(2, 7))) for _ in range(TRANSACTIONS))
        gaps = tuple(random.uniform(10.0, 50.0) * MS for _ in range(TRANSACTIONS))
        while True:
            case = cls(blocks, gaps, random.randrange(150, 800))
            if case.answer() >= MIN_RECOVERED:
                return case

    @property
    def question(self) -> str:
        return (
            "A file system writes the blocks of a transaction into its journal, then, when they are on the disc, a "
            f"block that commits it, and from {HOME_DELAY / MS:.0f} ms after that on each block to its home. A "
            "transaction leaves the journal when all of its blocks are at home. task.given['writes'] are the writes in "
            "the order in which the disc did them, and task.given['transactions'] the blocks of each. Power fails "
            f"after {self.crash} ms. Then recovery reads the journal, and writes all blocks of each transaction that "
            "is committed and still in it to their homes. How many blocks does it write?"
        )

    @property
    def transactions(self) -> dict[int, tuple[int, ...]]:
        return dict(enumerate(self.blocks, 1))

    @cached_property
    def writes(self) -> pd.DataFrame:
        """All writes in order of completion, with their times in ms; the block of a write to the journal is -1."""
        return pd.DataFrame(self._rows)

    def run(self) -> pd.DataFrame:
        """Return blocks that recovery writes after crashes at other instants, and journal blocks without a commit."""
        rows = []
        for crash in (100, 300, 500, 900):
            committed, _ = self._state(crash)
            begun = {each.transaction for each in self._rows if each.ms <= crash}
            lost = sum(len(self.transactions[number]) for number in begun - committed)
            rows.append({"crash, ms": crash, "blocks written again": self._rewritten(crash), "blocks in vain": lost})
        return pd.DataFrame(rows)

    def answer(self) -> float:
        return float(self._rewritten(self.crash))

    def slips(self) -> Mapping[str, Answer]:
        committed, home = self._state(self.crash)
        left = [number for number in committed if not self._is_home(number, home)]
        begun = {number for at, what, number, _ in self._rows if what == JOURNAL and at <= self.crash}
        return {
            "Those whose blocks are all at home have left the journal.":
                float(sum(len(self.transactions[each]) for each in committed)),
            "Recovery does not know which blocks are at home: it writes all of a transaction.":
                float(sum(block not in home.get(each, ()) for each in left for block in self.transactions[each])),
            "Without its commit a transaction does not count.":
                float(sum(len(self.transactions[each]) for each in {*left, *(begun - committed)})),
            "These are transactions; how many blocks have they?": float(len(left)),
        }  # fmt: skip

    def _rewritten(self, crash: float) -> int:
        committed, home = self._state(crash)
        return sum(len(self.transactions[each]) for each in committed if not self._is_home(each, home))

    def _is_home(self, number: int, home: Mapping[int, set[int]]) -> bool:
        return home.get(number, set()) == set(self.transactions[number])

    def _state(self, crash: float) -> tuple[set[int], dict[int, set[int]]]:
        """Return the transactions that are committed at *crash*, in ms, and the blocks of each that are at home."""
        committed, home = set[int](), dict[int, set[int]]()
        for at, what, number, block in self._rows:
            if at <= crash and what == COMMIT:
                committed.add(number)
            elif at <= crash and what == HOME:
                home.setdefault(number, set()).add(block)
        return committed, home

    @cached_property
    def _rows(self) -> list[DoneWrite]:
        """Simulate the disc, which serves writes in order of arrival, and list them in order of completion."""
        env, done = simpy.Environment(), list[DoneWrite]()
        drive = Drive(env, JOURNAL_DISC)
        journal = drive.capacity - 4 * 1024 * KIB

        def write(first: int, blocks: int, what: str, number: int, block: int = -1) -> Request:
            request = drive.start(access(Op.WRITE, first, blocks * BLOCK, Account("file system")))
            assert request.callbacks is not None
            request.callbacks.append(lambda _: done.append(DoneWrite(round(env.now / MS, 3), what, number, block)))
            return request

        def commit_all() -> Wait:
            at = journal
            for number, blocks in self.transactions.items():
                yield env.timeout(self.gaps[number - 1])
                yield write(at, 1 + len(blocks), JOURNAL, number)
                yield write(at + (1 + len(blocks)) * BLOCK, 1, COMMIT, number)
                at += (2 + len(blocks)) * BLOCK
                env.process(take_home(number, blocks))

        def take_home(number: int, blocks: tuple[int, ...]) -> Wait:
            yield env.timeout(HOME_DELAY)
            for block in blocks:
                write(block * BLOCK, 1, HOME, number, block)

        env.process(commit_all())
        env.run()
        return done
