"""RaidType describes a RAID array by level, drives and chunk; layouts find the drives that have a span of it.

A row is a chunk of each drive at one offset. The rules are those of Linux's md, drivers/md: ``raid0.c``, ``raid1.c``
and ``raid10.c`` (near, far and offset copies), ``raid5.c`` (ALGORITHM_LEFT_SYMMETRIC, md's default; of RAID 6 with Q
after P; of RAID 4 ALGORITHM_PARITY_N).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from spindle.sim.error import UserError, quote
from spindle.sim.span import Span
from spindle.sim.units import KIB, MIB

CHUNK = 512 * KIB
"""Bytes of a chunk, mdadm's default since 3.1."""
PAGE = 4096
"""Bytes of a page: md computes parity of rows of pages (STRIPE_SIZE), and reads or writes a page as a whole."""
BITMAP_REGION = 64 * MIB
"""Bytes of a bit of mdadm's bitmap (super1.c, add_internal_bitmap1), which drives beyond 100 GB get (Create.c)."""
BITMAP_HEADER = 256
"""Bytes of bitmap_super_t (md-bitmap.h)."""
MAX_MEMBERS = 384
"""Drives of an array at most, more than any md array of version 1 superblocks may have."""


class Fragment(NamedTuple):
    """A part of a span that lies in one chunk: *length* bytes of chunk number *chunk*, from its byte *offset* on."""

    chunk: int
    offset: int
    length: int


def fragments(span: Span, chunk: int) -> Iterator[Fragment]:
    """Divide *span* at the ends of chunks."""
    first, end = span.first, span.end
    while first < end:
        number, offset = divmod(first, chunk)
        length = min(end - first, chunk - offset)
        yield Fragment(number, offset, length)
        first += length


@dataclass(frozen=True)
class CopiesLayout:
    """A layout of *copies* of each chunk side by side on *drives*: 1 is RAID 0, one a drive RAID 1, else RAID 10."""

    drives: int
    copies: int

    @property
    def redundancy(self) -> int:
        """Drives that may fail, whichever they are."""
        return self.copies - 1

    def chunks(self, rows: int) -> int:
        """Return the chunks of an array whose drives have *rows* rows each."""
        return rows * self.drives // self.copies

    def places(self, chunk: int) -> list[tuple[int, int]]:
        """The drive and the row of each copy of *chunk*."""
        first = chunk * self.copies
        return [(position % self.drives, position // self.drives) for position in range(first, first + self.copies)]

    def chunk_at(self, drive: int, row: int) -> int:
        """The chunk of which *drive* has a copy in *row*."""
        return (row * self.drives + drive) // self.copies


@dataclass(frozen=True)
class ShiftedLayout:
    """A layout of two copies, the second on the next drive and *group* rows further down: RAID 10 far or offset.

    Groups of rows with first copies and with second ones take turns; *group* is 1 (offset), or half of a drive (far).
    """

    drives: int
    group: int
    copies = 2
    redundancy = 1

    def chunks(self, rows: int) -> int:
        return rows // (2 * self.group) * self.group * self.drives

    def places(self, chunk: int) -> list[tuple[int, int]]:
        """The drive and the row of each copy of *chunk*; the first has the lowest address."""
        row, drive = divmod(chunk, self.drives)
        group, within = divmod(row, self.group)
        return [((drive + copy) % self.drives, (2 * group + copy) * self.group + within) for copy in range(self.copies)]

    def chunk_at(self, drive: int, row: int) -> int:
        half, within = divmod(row, self.group)
        group, copy = divmod(half, 2)
        return (group * self.group + within) * self.drives + (drive - copy) % self.drives


@dataclass(frozen=True)
class ParityLayout:
    """A layout of chunks in left-symmetric order with *parities* of each row, *step* drives further in each row.

    One parity is RAID 5, or with a step of 0 RAID 4, whose last drive has all of it; two are RAID 6.
    """

    drives: int
    parities: int
    step: int = 1

    @property
    def redundancy(self) -> int:
        return self.parities

    @property
    def data(self) -> int:
        """Chunks of data in a row."""
        return self.drives - self.parities

    def chunks(self, rows: int) -> int:
        return rows * self.data

    def parity(self, row: int) -> list[int]:
        """The drives with the parity of *row*: P, and Q where there is one."""
        first = self.drives - 1 - row * self.step % self.drives
        return [(first + each) % self.drives for each in range(self.parities)]

    def drive(self, row: int, index: int) -> int:
        """The drive with chunk *index* of *row*."""
        return (self.drives - 1 - row * self.step % self.drives + self.parities + index) % self.drives


AnyCopies = CopiesLayout | ShiftedLayout
RaidLayout = AnyCopies | ParityLayout
FAR_COPIES, OFFSET_COPIES = "10f2", "10o2"
"""RAID 10 with mdadm's layouts f2 and o2; 10 alone is n2, whose copies lie near each other."""
NEAREST_LEVELS = {"3": ("4", "whose rows are of chunks, and not of bytes"), "2": ("4", "whose parity finds no error"),
           "01": ("10", "which loses less with a drive"), "0+1": ("10", "which loses less with a drive"),
           "1e": ("10", "whose copies lie near each other"),
           "50": ("5", "of which RAID 50 has several side by side"),
           "60": ("6", "of which RAID 60 has several side by side"), "jbod": ("0", "striped"),
           "z": ("5", "which writes a row in part, as raidz never does"),
           "z1": ("5", "which writes a row in part, as raidz never does"),
           "z2": ("6", "which writes a row in part, as raidz never does")}  # fmt: skip
"""By level that is not modelled, the nearest one that is, and how it differs."""


def _nearest(level: str) -> str:
    """Describe the nearest modelled level to a *level* that is not modelled."""
    short = level.lower().removeprefix("raid").strip(" -_")
    short = {"f2": FAR_COPIES, "far": FAR_COPIES, "10far": FAR_COPIES, "o2": OFFSET_COPIES, "offset": OFFSET_COPIES,
             "10offset": OFFSET_COPIES, "n2": "10", "near": "10", "10n2": "10"}.get(short, short)  # fmt: skip
    if short in MIN_DRIVES:
        return f"did you mean {short}?"
    if short in NEAREST_LEVELS:
        nearest, differs = NEAREST_LEVELS[short]
        return f"{nearest} comes nearest, {differs}"
    return f"there are {', '.join(MIN_DRIVES)}"


MIN_DRIVES = {"0": 2, "1": 2, "4": 3, "5": 3, "6": 4, "10": 2, FAR_COPIES: 2, OFFSET_COPIES: 2}
STRIPED_COPIES = ("10", FAR_COPIES, OFFSET_COPIES)
PARITIES = {"4": 1, "5": 1, "6": 2}


@dataclass(frozen=True)
class RaidType:
    """An array of *drives* drives of RAID *level*, striped in chunks of *chunk* bytes.

    Parity is brought up to date in a cache of *stripes* rows of pages. A member's read fails for good once in 1 /
    *unrecoverable* bits on average; 0 is never. With a *bitmap*, the bytes of a region, a write waits for its bit. With
    *delayed*, writes without REQ_SYNC, as a page cache's are, wait as md delays them. *failed* drives have failed
    before the first request; with *rebuild* spares are in their places, rebuilt at that many bytes a second at least.

    >>> RaidType("1", 2).drives
    2
    """

    level: str
    drives: int
    chunk: int = CHUNK
    stripes: int = 256
    """Rows of pages in the stripe cache, md's stripe_cache_size."""
    unrecoverable: float = 0.0
    seed: object = 1
    bitmap: int = 0
    delayed: bool = False
    failed: int = 0
    rebuild: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.level, int):
            object.__setattr__(self, "level", str(self.level))  # 5 for "5"
        if self.level not in MIN_DRIVES:
            raise UserError(f"raid: there is no level {quote(self.level)}; {_nearest(self.level)}")
        if not MIN_DRIVES[self.level] <= self.drives <= MAX_MEMBERS:
            raise UserError(f"raid {self.level}: it takes {MIN_DRIVES[self.level]} to {MAX_MEMBERS} drives, not "
                            f"{self.drives}")  # fmt: skip
        if self.chunk < 1 or self.chunk % self.page:
            raise UserError(f"raid {self.level}: a chunk of {self.chunk} bytes must be whole pages of {PAGE}")
        if self.stripes < 1:
            raise UserError(f"raid {self.level}: a stripe cache has 1 row of pages at least, not {self.stripes}")
        if not 0.0 <= self.unrecoverable <= 1e-6:
            raise UserError(f"raid {self.level}: unrecoverable errors a bit read must be from 0 to 1e-6, not "
                            f"{self.unrecoverable:g}")  # fmt: skip
        self._check_writes()
        self._check_failed()

    def _check_writes(self) -> None:
        if self.bitmap and self.level == "0":
            raise UserError("raid 0: a bitmap is of copies or parity, and there are none")
        if self.bitmap < 0 or self.bitmap & (self.bitmap - 1) or 0 < self.bitmap < self.page:
            raise UserError(f"raid {self.level}: a region of the bitmap is a power of two of {PAGE} bytes at least, "
                            f"not {self.bitmap}")  # fmt: skip
        if self.delayed and self.level not in PARITIES:
            raise UserError(f"raid {self.level}: writes are delayed where there is parity, in levels "
                            f"{', '.join(PARITIES)}")  # fmt: skip

    def _check_failed(self) -> None:
        most = self.drives // 2 if self.level in STRIPED_COPIES else self.layout.redundancy
        if not 0 <= self.failed <= most:
            raise UserError(f"raid {self.level} of {self.drives} drives: failed must be from 0 to {most}, not "
                            f"{self.failed}; with more, data is lost")  # fmt: skip
        if self.rebuild < 0:
            raise UserError(f"raid {self.level}: a rebuild has a positive speed, not {self.rebuild}")
        if self.rebuild and not self.failed:
            raise UserError(f"raid {self.level}: a rebuild is of drives that have failed; failed says how many")

    @property
    def failed_drives(self) -> range:
        """Numbers of the failed drives: the first ones, of RAID 10 every other, which hold no copies of each other."""
        step = 2 if self.level in STRIPED_COPIES else 1
        return range(0, self.failed * step, step)

    def reserved_bytes(self, drive: int) -> int:
        """Bytes before the data of a drive of *drive* bytes, in whole chunks: a superblock and the bitmap, if any."""
        if not self.bitmap:
            return 0
        regions = -(-self._array_bytes(drive // self.chunk * self.chunk) // self.bitmap)
        return -(-(2 + self.bitmap_page(regions) + 1) * self.page // self.chunk) * self.chunk

    def bitmap_page(self, region: int) -> int:
        """The page of the bitmap with the bit of *region*."""
        return (BITMAP_HEADER + region // 8) // self.page

    def capacity(self, drive: int) -> int:
        """Bytes of an array of drives of *drive* bytes."""
        return self._array_bytes(self.data_bytes(drive))

    def data_bytes(self, drive: int) -> int:
        """Bytes of a drive of *drive* bytes that its data may take, in whole chunks; two of a row and its copies."""
        whole = self.chunk * (2 if self.level in (FAR_COPIES, OFFSET_COPIES) else 1)
        return max(0, (drive - self.reserved_bytes(drive)) // whole * whole)

    def _array_bytes(self, data: int) -> int:
        """Bytes of an array whose drives have *data* bytes each for data."""
        rows = data // self.chunk
        return self.layout_of(rows).chunks(rows) * self.chunk

    @property
    def page(self) -> int:
        """Bytes; a chunk that is smaller than a page, as of a small drive, is one."""
        return min(PAGE, self.chunk)

    @property
    def layout(self) -> RaidLayout:
        """The layout on drives of a few rows; on others it is the same, but for the distance of far copies."""
        return self.layout_of(2 * self.drives)

    def layout_of(self, rows: int) -> RaidLayout:
        if self.level in PARITIES:
            return ParityLayout(self.drives, PARITIES[self.level], 0 if self.level == "4" else 1)
        if self.level in (FAR_COPIES, OFFSET_COPIES):
            return ShiftedLayout(self.drives, 1 if self.level == OFFSET_COPIES else max(1, rows // 2))
        return CopiesLayout(self.drives, {"0": 1, "1": self.drives, "10": 2}[self.level])
