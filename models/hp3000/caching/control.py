"""Defines the settings of MPE's disc caching, which an operator may change while the system runs."""

from collections.abc import Mapping
from dataclasses import dataclass

import simpy

from spindle.models.hp3000.caching.alignment import SECTOR, Alignment, FromRequest
from spindle.models.hp3000.caching.posting import Posting
from spindle.sim.request import SEQUENTIAL, Access, Span


@dataclass(frozen=True)
class WriteMode:
    """A write mode: with *block* a writer waits for the medium (BLOCKONWRITE), with *serial* posts go one by one.

    A post is a write-back; *serial* is MPE's Serial Write Queue.
    """

    block: bool = False
    serial: bool = False


WRITE_BEHIND = WriteMode()
"""MPE's default: writes do not wait, and posts go in any order."""

WRITE_MODES = {"behind": WRITE_BEHIND, "serial": WriteMode(serial=True), "block-on-write": WriteMode(block=True)}
"""Write modes by their names on the command line."""

FLUSH_RULES: Mapping[str, bool] = {"read-through": True, "never": False}
"""Flush rules by name: whether a domain (cached bytes of a disc) is discarded once a sequential reader has read it.

McBride & Boles (1983) tuned a "cache-flush algorithm", without further detail. It is assumed here that the domain is
discarded after its last byte is read, because it will not be read again."""


@dataclass(frozen=True)
class CacheSettings:
    """Settings: bytes of a fetch in a file read at *random* and in a *sequential* one, and the *mode* of writes.

    *flushed* is whether domains are discarded once a sequential reader has read them.
    """

    random: int = 16 * SECTOR
    sequential: int = 96 * SECTOR
    mode: WriteMode = WRITE_BEHIND
    flushed: bool = True


class Control:
    """Shared by the caches of all LDEVs (discs): the present *settings*, the *alignment* of fetches, and *posting*."""

    def __init__(
        self, env: simpy.Environment, settings: CacheSettings | None = None, alignment: Alignment | None = None
    ) -> None:
        self.settings = settings or CacheSettings()
        self.posting = Posting(env, self.settings.mode.serial)
        self._alignment = alignment or FromRequest()

    def change(self, settings: CacheSettings) -> None:
        """Set *settings* from now on; writes that wait for the medium go on waiting."""
        self.settings = settings
        self.posting.switch(settings.mode.serial)

    def fetch(self, access: Access, absent: Span) -> Span:
        """Return the span to fetch for *absent*; it may extend beyond the extent."""
        settings = self.settings
        size = settings.sequential if access.hint is SEQUENTIAL else settings.random
        return self._alignment.place(absent, size, access.within)
