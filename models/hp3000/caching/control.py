"""Settings of MPE disc caching, which an operator changes while the system runs, and what reads them."""

from collections.abc import Mapping
from dataclasses import dataclass

import simpy

from spindle.models.hp3000.caching.alignment import SECTOR, Alignment, FromRequest
from spindle.models.hp3000.caching.posting import Posting
from spindle.sim.request import SEQUENTIAL, Access, Span


@dataclass(frozen=True)
class WriteMode:
    """Write mode: *block* waits for the medium (BLOCKONWRITE), *serial* posts one by one (Serial Write Queue)."""

    block: bool = False
    serial: bool = False


WRITE_BEHIND = WriteMode()
"""MPE's default: writes do not wait, and posts go in any order."""

WRITE_MODES = {"behind": WRITE_BEHIND, "serial": WriteMode(serial=True), "block-on-write": WriteMode(block=True)}

FLUSH_RULES: Mapping[str, bool] = {"read-through": True, "never": False}
"""McBride & Boles (1983) tuned a "cache-flush algorithm", without further detail. Assumed here: a domain fetched for a
sequential reader is discarded once its last byte has been read, because it will not be read again."""


@dataclass(frozen=True)
class CacheSettings:
    """Bytes that a fetch brings, in a file read at random and in one read in order. It also says how writes end, and
    whether domains that were read through are *flushed*.
    """

    random: int = 16 * SECTOR
    sequential: int = 96 * SECTOR
    mode: WriteMode = WRITE_BEHIND
    flushed: bool = True


class Control:
    """What the caches of all LDEVs share: the *settings* of the moment, the alignment of fetches, and posting."""

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
