"""Simulates the disc below the page cache: a drive, or a device with R seconds a request and U seconds a byte.

It also has the place of the file on the disc, and the commits of the file's metadata.
"""

from collections.abc import Iterator

import simpy

from spindle.models.unix_stdio.parameters import PAGE, UnixParameters
from spindle.sim.clock import Account, Phase, Wait, pause
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.flash.drive import DriveType, drive_of
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op, Request, access, wait_for

MAX_FILE_BYTES = 1 << 50
"""Bytes of a disc that has no drive file."""


class Fixed:
    """A commit of metadata that takes *seconds*, whatever the disc does meanwhile."""

    def __init__(self, env: simpy.Environment, seconds: float) -> None:
        self._env = env
        self._seconds = seconds

    def wait(self, account: Account) -> Wait:
        if self._seconds:
            start = self._env.now
            yield pause(self._env, self._seconds)
            account.charge(Phase.WRITE_WAIT, start, self._env.now)


class MetadataJournal:
    """A journal: a commit writes metadata, then the block that commits them, each to the medium before the next."""

    MAX_SIZE = 32 << 20
    METADATA = 2 * PAGE

    def __init__(self, drive: Drive, first: int) -> None:
        self._drive = drive
        self._first = first
        self._size = min(self.MAX_SIZE, drive.capacity - first - self.METADATA)
        self._used = 0

    def wait(self, account: Account) -> Wait:
        for length in (self.METADATA, PAGE):
            at = self._first + self._used
            self._used = (self._used + length) % self._size // PAGE * PAGE
            yield from self._drive.write(access(WRITE, at, length, account)._replace(durable=True))


class FileDisc:
    """A disc with one file in one piece, from byte *start* on."""

    def __init__(self, env: simpy.Environment, parameters: UnixParameters, drive: DriveType | None, size: int) -> None:
        self.env = env
        self.most = parameters.request
        self.background = Account("write-back and read-ahead")
        if drive is None:
            write = parameters.write_request, parameters.write_byte
            disc = FixedService(parameters.read_request, parameters.read_byte, MAX_FILE_BYTES, write)
            self.drive = Drive(env, disc, name="disc")
            self.start = 0
            self.commit: Fixed | MetadataJournal = Fixed(env, parameters.flush)
        else:
            self.drive = drive_of(env, drive, name="disc")
            self.start = self._third(1)
            self.commit = MetadataJournal(self.drive, self._third(2))
        if self.start + size > self.drive.capacity - self.start:
            raise UserError(f"size: a file of {size} bytes does not go on this disc, a third of which is for files: "
                          f"{self.drive.capacity // 3} bytes")  # fmt: skip

    def _third(self, number: int) -> int:
        """Return the byte where a third begins: files lie in the second, and their journal a third of the disc away."""
        return self.drive.capacity * number // 3 // PAGE * PAGE

    def fetch(self, first: int, length: int) -> list[Request]:
        """Begin to read bytes of the file, in requests as large as the disc takes."""
        return self._start(READ, first, length)

    def store(self, first: int, length: int) -> list[Request]:
        """Begin to write bytes of the file, in requests as large as the disc takes."""
        return self._start(WRITE, first, length)

    def _start(self, op: Op, first: int, length: int) -> list[Request]:
        return [self.drive.start(access(op, self.start + at, many, self.background))
                for at, many in pieces(first, length, self.most)]

    def read(self, first: int, length: int, account: Account) -> Wait:
        """Read past the page cache."""
        yield from wait_for(self.drive.start(access(READ, self.start + first, length, account)), account)

    def write(self, first: int, length: int, account: Account, durable: bool) -> Wait:
        """Write past the page cache; if *durable*, wait until the bytes are on the medium."""
        request = access(WRITE, self.start + first, length, account)._replace(durable=durable)
        yield from wait_for(self.drive.start(request), account)

    def permanent_at(self) -> float:
        """Return the instant from which all that the drive has reported as written is on its medium."""
        return max(self.env.now, self.drive.mechanism.settled_at())


def pieces(first: int, length: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield the bytes as pieces (first, length) of at most *most* bytes."""
    for done in range(0, length, most):
        yield first + done, min(most, length - done)
