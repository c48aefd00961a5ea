"""Two Serial ATA drives of 2008 and 2010 for Kim's paper, which names none: one as in a laptop and one as in a PC."""

from sim.disc.buffer.read_ahead import BlocksAhead
from sim.disc.buffer.sheet import After, Buffer, HostLink, ImmediateReporting, Overheads
from sim.disc.layout import Layout
from sim.disc.mechanism import DiscType
from sim.disc.seek import PowerSeek
from sim.disc.sheets.source import assumed, cited
from sim.disc.zone import Stretch, Zone
from sim.units import MIB, MS


def falling(
    sectors: int, heads: int, sector_bytes: int, outer: int, inner: int, zones: int, skew: float
) -> Layout:
    """*sectors* sectors in *zones* zones of equally many cylinders, from *outer* sectors a track down to *inner*.

    They fall in a straight line. Each track begins *skew*, a part of a revolution, later than the one before it.
    """
    tracks = [round(outer + (inner - outer) * number / (zones - 1)) for number in range(zones)]
    cylinders = -(-sectors // (heads * sum(tracks)))
    made = [Zone(number * cylinders, per_track, skew * per_track, skew * per_track)
            for number, per_track in enumerate(tracks[:-1])]
    rest = sectors - cylinders * heads * sum(tracks[:-1])  # what the last zone has more than these is spare
    made.append(Zone(len(made) * cylinders, inner, skew * inner, skew * inner, stretches=(Stretch(0, rest),)))
    return Layout(cylinders * zones, heads, sector_bytes, tuple(made))


_7K1000C = "Hitachi 7K1000.C specification"
_7K320 = "Hitachi 7K320 SATA OEM specification"
_REPORT = "smartctl of an HDS721010CLA332 (pastebin Z0AkLgJJ and 7VGyxXEi)"
_SECTOR = 512 / 300e6
_SEGMENTS = 16
_MISS = After(0.4 * MS, 0.4 * MS)


def _buffer(size: int) -> Buffer:
    """*size* bytes in segments that are read full; half of them may hold writes, which are reported at once."""
    blocks = size // 512 // _SEGMENTS
    return Buffer(
        _SEGMENTS, blocks, Overheads(read_miss=_MISS, write=_MISS), HostLink(_SECTOR, _SECTOR), BlocksAhead(blocks),
        ImmediateReporting(intermixed=True), write_segments=_SEGMENTS // 2, keeps_requested=True, goes_on=True,
        reads_written=True,
    )


_BUFFER_SOURCES = {
    "segments": assumed("16, half of them for writes: makers say that the firmware divides the buffer, not how"),
    "read_ahead": assumed("until the segment is full, and on after a hit: makers say no more than that there is some"),
    "reports": assumed("at once, in any order and readable from the buffer: drives for PCs come with the write cache "
                       "on, as hdparm and smartctl show them"),
    "overheads": assumed("0.4 ms more than the 0.1 ms of a hit where the arm has to move, 0.5 ms together, which is as "
                         "remembered of the maker's specifications"),
}

_DESKTOP_LAYOUT = falling(1_953_525_168, heads=4, sector_bytes=512, outer=2472, inner=1236, zones=30, skew=0.144)

HITACHI_7K1000C = DiscType(
    name="Hitachi 7K1000.C",
    layout=_DESKTOP_LAYOUT,
    rpm=7200,
    seek=PowerSeek.through(1 * MS, 8.5 * MS, 18 * MS, cylinders=_DESKTOP_LAYOUT.cylinders),
    head_switch=1 * MS,
    write_settle=0.1 * MS,
    overhead=0.1 * MS,
    buffer=_buffer(32 * MIB),
    sources=_BUFFER_SOURCES | {
        "cylinders": cited(f"{_REPORT}: as many as make its 1,000,204,886,016 bytes"),
        "heads": assumed(f"both sides of each disc of the 2 disk model ({_7K1000C}, p. 20)"),
        "sectors_per_track": assumed(f"1854 on average: with them a full read takes the 10,047 s that {_REPORT} has "
                                     "for an off-line scan; twice as many outside as inside, as on other drives of its "
                                     "kind, in a straight line, in zones of equal width"),
        "sector_bytes": cited(_REPORT),
        "track_skew": assumed("1.2 ms: what hides a head switch, with some to spare"),
        "cylinder_skew": assumed("as that of the tracks"),
        "rpm": cited(_REPORT),
        "seek": assumed(f"8.5 ms on average for reads ({_7K1000C}, p. 20); to the next track 1 ms as on the 7K320, and "
                        "a full stroke of 18 ms as remembered of drives of its class"),
        "head_switch": assumed("as long as to the next track"),
        "write_settle": assumed(f"0.1 ms as on the 7K320, within the skew, though {_7K1000C}, p. 20, has 1 ms more for "
                                "writes on average"),
        "overhead": assumed("0.1 ms as remembered of the maker's specifications, for what the buffer has"),
        "blocks": assumed("32 MB as remembered of the 1 TB model; its predecessor 7K1000 (Computerworld 2008) and its "
                          "successor 7K1000.D have as much"),
        "link": cited(f"{_REPORT}: Serial ATA of 3 Gbit/s, which carry 300 MB/s"),
    },
)

_LAPTOP_LAYOUT = falling(625_142_448, heads=4, sector_bytes=512, outer=1740, inner=870, zones=30, skew=0.15)

HITACHI_7K320 = DiscType(
    name="Hitachi 7K320",
    layout=_LAPTOP_LAYOUT,
    rpm=7200,
    seek=PowerSeek.through(1 * MS, 12 * MS, 20 * MS, cylinders=_LAPTOP_LAYOUT.cylinders),
    head_switch=1 * MS,
    write_settle=0.1 * MS,
    overhead=0.1 * MS,
    buffer=_buffer(16 * MIB),
    sources=_BUFFER_SOURCES | {
        "cylinders": assumed("as many as make 625,142,448 sectors, the number that makers agreed on for 320 GB"),
        "heads": assumed("four, on two discs, as remembered and not verified"),
        "sectors_per_track": assumed("1740 outside: 93 MB/s sustained, which at 5400 rpm would be the 70 of a Samsung "
                                     "M6 of 320 GB (Tom's Hardware 2008); half as many inside; in a straight line"),
        "sector_bytes": assumed("512, as on the 7K1000.C"),
        "cylinder_skew": assumed("as that of the tracks"),
        "track_skew": assumed("1.25 ms: what hides a head switch, with some to spare"),
        "rpm": cited(f"{_7K320}, p. 19"),
        "seek": cited(f"{_7K320}, p. 19, reads: 1.0 ms for a track, 12 on average, 20.0 for a full stroke"),
        "head_switch": assumed("as long as to the next track"),
        "write_settle": cited(f"{_7K320}, p. 19: 1.1 ms to the next track for a write (a full stroke takes 2 ms more)"),
        "overhead": assumed("0.1 ms, as on the 7K1000.C"),
        "blocks": assumed("16 MB as remembered, not verified"),
        "link": assumed("300 MB/s as remembered, not verified; the 7K1000.C has it too"),
    },
)
