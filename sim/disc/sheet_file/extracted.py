"""Rules that correct drive files made from DiskSim's, whose numbers were measured with commands back to back.

Such extraction (Worthington, Ganger, Patt and Wilkes, On-Line Extraction of SCSI Disk Drive Parameters, SIGMETRICS
1995) takes overheads from the least time between completions, so that they are of a drive that was never at rest.
"""

from collections.abc import Callable
from dataclasses import replace

from spindle.sim.disc.buffer_sheet import After
from spindle.sim.disc.mechanism import DiscType

DiscChange = Callable[[DiscType], DiscType]


def settles_no_sooner(disc: DiscType) -> DiscType:
    """Return *disc* with writes that settle as long as reads at least (Ruemmler and Wilkes 1994)."""
    return replace(disc, write_settle=max(0.0, disc.write_settle))


def misses_at_rest(disc: DiscType) -> DiscType:
    """Return *disc* with misses as after a write, when no read-ahead must stop.

    A drive that does not read on after a hit is not ready for a read as in a row of hits: the miss takes longer by as
    much as a hit does after a write.
    """
    buffer = disc.buffer
    if buffer is None:
        return disc
    hit, miss = buffer.overheads.read_hit, buffer.overheads.read_miss
    seconds = miss.write + (0.0 if buffer.goes_on else max(0.0, hit.write - hit.read))
    return replace(disc, buffer=replace(buffer, overheads=replace(buffer.overheads, read_miss=After(seconds, seconds))))


def writes_at_once(disc: DiscType) -> DiscType:
    """Return *disc* with writes that begin as soon as a block is in the buffer, if they need not be there as a whole.

    A wait for part of the data was found on one drive; assumed of another, held-out drive, it made errors larger.
    """
    buffer = disc.buffer
    return disc if buffer is None or buffer.holds == buffer.blocks else replace(disc, buffer=replace(buffer, holds=1))


AT_THEIR_WORD: tuple[DiscChange, ...] = (writes_at_once,)
"""Rules to read such a drive file as DiskSim does."""
RULES_OF_EXTRACTED: tuple[DiscChange, ...] = (*AT_THEIR_WORD, settles_no_sooner, misses_at_rest)
"""Rules to read such a drive file as the drive behaves at rest."""
