"""CACHECONTROL: the settings of disc caching that hold for the whole system, and may be changed while it runs."""

from collections.abc import Mapping
from dataclasses import dataclass

import simpy

from models.hp3000.caching.alignment import Alignment, FromRequest
from models.hp3000.caching.domains import SECTOR
from models.hp3000.caching.posting import Posting
from sim.cache.read_ahead import clip
from sim.request import SEQUENTIAL, Access, Span


@dataclass(frozen=True)
class WriteMode:
    """Whether a writer waits for the medium (BLOCKONWRITE), and whether posts go one by one (Serial Write Queue)."""

    block: bool = False
    serial: bool = False


BEHIND = WriteMode()
"""MPE's default: writes do not wait, and posts go in any order."""

WRITES = {"behind": BEHIND, "serial": WriteMode(serial=True), "block-on-write": WriteMode(block=True)}


FLUSHES: Mapping[str, bool] = {"read-through": True, "never": False}
"""McBride & Boles (1983) tuned a "cache-flush algorithm", without further detail. Assumed here: a domain fetched for a
sequential reader is discarded once its last byte has been read, because it will not be read again."""


@dataclass(frozen=True)
class CacheSettings:
    """Bytes that a fetch brings, in a file read at random and in one read in order; how writes end; whether domains
    that were read through are *flushed*."""

    random: int = 16 * SECTOR
    sequential: int = 96 * SECTOR
    mode: WriteMode = BEHIND
    flushed: bool = True


class Control:
    """What the caches of all LDEVs go by: the *settings* of the moment, how fetches lie, and the way of all posts."""

    def __init__(
        self, env: simpy.Environment, settings: CacheSettings | None = None, alignment: Alignment | None = None
    ) -> None:
        self.settings = settings or CacheSettings()
        self.posting = Posting(env, self.settings.mode.serial)
        self._alignment = alignment or FromRequest()

    def change(self, settings: CacheSettings) -> None:
        """From now on; writes that wait for the medium go on waiting."""
        self.settings = settings
        self.posting.switch(settings.mode.serial)

    def fetch(self, access: Access, absent: Span) -> Span:
        """What to fetch when *absent* must be, within the extent."""
        settings = self.settings
        size = settings.sequential if access.hint is SEQUENTIAL else settings.random
        return clip(self._alignment.place(absent, size, access.within), access.within)
