"""Data sheets of 18 disc drives, which the papers' machines had or could have had: every number with its source."""

from dataclasses import replace

from spindle.sim.disc.buffer_sheet import After, BlocksAhead, Buffer, HostLink, ImmediateReporting, Overheads, TrackEnd
from spindle.sim.disc.layout import Layout, Stretch, Zone, uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import LinearSeek, PowerSeek, TwoPartSeek
from spindle.sim.parameter import ParameterSource
from spindle.sim.units import MIB, MS, US

# The source of a number of a data sheet: it was published, assumed for a reason, or fitted to data.

def cited(note: str) -> ParameterSource:
    return ParameterSource("cited", note)


def assumed(note: str) -> ParameterSource:
    return ParameterSource("assumed", note)


def fitted(note: str) -> ParameterSource:
    """A source of a fitted number; *note* names the claim or the data."""
    return ParameterSource("fitted", note)


# The HP C2200A, an HP-IB drive of 1990; two were traced at work, and the angles of their requests gave its layout.

_HEADER = "header of the trace of the host hplajw, May 1992"
_ANGLES = "hplajw, disc 0: writes that end within 60 ms of another do so at angles that fit"
_SETTLE = 2.9 * MS


def c2200a_layout(sectors_per_track: int, track_skew: int, cylinder_skew: int) -> Layout:
    """The drive's 113 blocks a track on tracks of *sectors_per_track* sectors, the rest of them spares at the end."""
    stretches = tuple(Stretch(track * sectors_per_track, 113) for track in range(1449 * 8))
    return Layout(1449, 8, 256, (Zone(0, sectors_per_track, track_skew, cylinder_skew, stretches=stretches),))


HP_C2200A = DiscType(
    name="HP C2200A",
    layout=c2200a_layout(114, 34, 46),
    rpm=4002,
    seek=TwoPartSeek((2.5 * MS + _SETTLE,), 616, (3.45 * MS + _SETTLE, 0.597 * MS), (10.84 * MS + _SETTLE, 0.012 * MS)),
    head_switch=1.0 * MS + _SETTLE,
    overhead=1.1 * MS,
    sources={
        "cylinders": cited(f"{_HEADER}: 1449"),
        "heads": cited(f"{_HEADER}: eight"),
        "sectors_per_track": fitted(f"{_ANGLES} with 114, of which one is a spare, and not with the header's 113"),
        "sector_bytes": cited(f"{_HEADER}: 256"),
        "track_skew": fitted(f"{_ANGLES} with 34 sectors, and not with the header's 12"),
        "cylinder_skew": fitted(f"{_ANGLES} with 46 sectors, and not with the header's 12"),
        "rpm": cited(f"{_HEADER}: 4002"),
        "seek": fitted("Ruemmler & Wilkes 1994 (2.5 ms, 3.45 + 0.597 sqrt d, 10.84 + 0.012 d), and 2.9 ms to settle "
                       "after every move: hplajw, the greatest share of requests on the right revolution"),
        "head_switch": fitted(f"{_HEADER}: 1.0 ms, and the 2.9 ms of the seek"),
        "write_settle": assumed("none: reads and writes settle alike"),
        "overhead": cited(f"{_HEADER}: 1.1 ms"),
    },
    notes="The name is inferred from geometry and seek curve. The header says that its cache was off.",
)


# The drives that speak Hewlett-Packard's Command Set 80 over HP-IB, each with a controller of its own.

_HPDIR = "HPDIR's table of drives (A. Kueckes)"
_NETBSD = "NetBSD's disc tables for the hp300"
_ERS = "HP, 795XB disc drive ERS A-5959-1468-1 (1987)"
_791X_SOURCES = {
    "sector_bytes": cited(f"{_HPDIR}: 256"),
    "track_skew": assumed("none: no source mentions any"),
    "cylinder_skew": assumed("none: no source mentions any"),
    "rpm": assumed("3600 as remembered, not verified; the track then passes at 983 KB/s, just below HP-IB's 1 MB/s"),
    "head_switch": assumed("within the gap between two sectors, as on the older drives with a servo surface"),
    "write_settle": assumed("none: no source mentions any"),
    "overhead": assumed("4 ms, as the 7933 about; SIMH says that figures were published, but none was found, and HP "
                        "calls the 0.8 ms of 1987 reduced"),
}

_7911_SOURCES = _791X_SOURCES | {
    "cylinders": cited(f"{_HPDIR}: 572 of 582"),
    "heads": cited(f"{_HPDIR}; the product is its 28 MB"),
    "sectors_per_track": cited(_HPDIR),
    "seek": assumed("5 / 27.1 / 50 ms as remembered, not verified"),
}

HP7911 = DiscType(
    name="HP 7911",
    layout=uniform(cylinders=572, heads=3, sectors_per_track=64, sector_bytes=256),
    rpm=3600,
    seek=PowerSeek.fit(5 * MS, 27.1 * MS, 50 * MS, cylinders=572),
    overhead=4 * MS,
    sources=_7911_SOURCES,
)

HP7912 = DiscType(
    name="HP 7912",
    layout=uniform(cylinders=572, heads=7, sectors_per_track=64, sector_bytes=256),
    rpm=3600,
    seek=PowerSeek.fit(5 * MS, 27.1 * MS, 50 * MS, cylinders=572),
    overhead=4 * MS,
    sources=_7911_SOURCES | {"heads": cited(f"{_HPDIR} and {_NETBSD}; the product is its 66 MB")},
)

HP7914 = DiscType(
    name="HP 7914",
    layout=uniform(cylinders=1152, heads=7, sectors_per_track=64, sector_bytes=256),
    rpm=3600,
    seek=PowerSeek.fit(5 * MS, 28.1 * MS, 50 * MS, cylinders=1152),
    overhead=4 * MS,
    sources=_791X_SOURCES | {
        "cylinders": cited(_NETBSD),
        "heads": cited(_NETBSD),
        "sectors_per_track": cited(f"{_NETBSD}: 32 of 512 bytes, which are 64 of 256"),
        "seek": assumed("5 / 28.1 / 50 ms as remembered, not verified"),
    },
)

HP7933 = DiscType(
    name="HP 7933",
    layout=uniform(cylinders=1321, heads=13, sectors_per_track=92, sector_bytes=256),
    rpm=2700,
    seek=PowerSeek.fit(5 * MS, 24 * MS, 35 * MS, cylinders=1321),
    head_switch=1 * MS,
    overhead=3 * MS,
    sources={
        "cylinders": cited(f"{_NETBSD}; the product is the published 404.46 MB"),
        "heads": cited(f"{_NETBSD}; a fourteenth reads the servo surface"),
        "sectors_per_track": cited(f"{_NETBSD}: 46 of 512 bytes, which are 92 of 256"),
        "sector_bytes": cited("256; the product is the published 404.46 MB"),
        "track_skew": assumed("none: an HP systems engineer found the 7933A better than the 7945A, which loses a "
                              "revolution at each head switch, because it has fewer head switches"),
        "cylinder_skew": assumed("none, as for the tracks"),
        "rpm": assumed("2700 as remembered, not verified; the 7925 has it too"),
        "seek": assumed("5 / 24 / 35 ms as remembered, not verified; Hewlett-Packard Journal 1984 confirms "
                        "a full stroke under 35 ms"),
        "head_switch": assumed("about 1 ms: any value beyond the gap between two sectors costs the same revolution"),
        "write_settle": assumed("none: no source mentions any"),
        "overhead": assumed("several ms of controller and HP-IB as remembered; 3 ms bring a read of 1 KB, with the CPU "
                            "time of a Series 64, within 10 % of the 40 ms that McBride & Boles 1983 give"),
    },
)

HP7935 = replace(
    HP7933, name="HP 7935",
    notes="The 7933 with a pack that the operator can change (Wikipedia, HP 7935: the same basic drive).",
)

HP7945 = DiscType(
    name="HP 7945",
    layout=uniform(cylinders=968, heads=7, sectors_per_track=32, sector_bytes=256),
    rpm=3600,
    seek=PowerSeek.fit(5 * MS, 30 * MS, 55 * MS, cylinders=968),
    head_switch=1 * MS,
    overhead=4 * MS,
    sources={
        "cylinders": cited("HP 7942/7946 service manual, p. 3-4: 968 addressable ones, 17 spare and 2 for tests"),
        "heads": cited("HP 7942/7946 service manual, p. 3-4: the 55 MB version has seven data surfaces"),
        "sectors_per_track": cited(f"{_NETBSD}: 16 of 512 bytes; and 32 read from a drive (Kossow, cctalk 2016)"),
        "sector_bytes": cited("256, read from a drive (Kossow, cctalk 2016)"),
        "track_skew": cited("none: an HP systems engineer found that it loses a revolution at each head switch"),
        "cylinder_skew": assumed("none, as for the tracks"),
        "rpm": assumed("3600, at which a track of 5 Mbit/s MFM holds 32 sectors of 256 bytes with their headers; the "
                       "mechanism is a Vertex V170 (Kossow, cctalk 2016)"),
        "seek": assumed("5 / 30 / 55 ms as remembered of drives of the V170's kind, not verified"),
        "head_switch": assumed("about 1 ms: any value beyond the gap between two sectors costs the same revolution"),
        "write_settle": assumed("none: no source mentions any"),
        "overhead": assumed("4 ms, as the 7933 about; no figure was found, and HP calls the 0.8 ms of 1987 reduced"),
    },
)

HP7958B = DiscType(
    name="HP 7958B",
    layout=uniform(cylinders=1572, heads=6, sectors_per_track=63, sector_bytes=256, track_skew=11, cylinder_skew=12),
    rpm=3348.2,
    seek=PowerSeek.fit(3 * MS, 17 * MS, 32 * MS, cylinders=1572),
    head_switch=3 * MS,
    overhead=0.8 * MS,
    buffer=Buffer(0, 32, link=HostLink(256 / 1e6, 256 / 1e6)),
    sources={
        "cylinders": cited(f"{_ERS}, section 5.1: 9,432 tracks on six heads"),
        "heads": cited(f"{_ERS}, section 5.1"),
        "sectors_per_track": cited(f"{_ERS}, section 5.1"),
        "sector_bytes": cited(f"{_ERS}, section 5.1"),
        "track_skew": cited("HP CE handbook 07959-90905, p. 5-2: the 768 KB/s that Describe reports for a whole volume "
                            "are a revolution and 3.1 ms a track; 11 sectors are the least that hide the head switch"),
        "cylinder_skew": assumed("the least that hides the seek to the next cylinder"),
        "rpm": cited(f"{_ERS}, section 5.3: 3348.2 within 1 %"),
        "seek": cited(f"{_ERS}, section 5.2: typically 3 / 17 / 32 ms, with aggressive seeks turned on"),
        "head_switch": cited(f"{_ERS}, section 5.2: typically 3 ms"),
        "write_settle": assumed("none: no source mentions any"),
        "overhead": cited(f"{_ERS}, section 5.5: 0.8 ms per read or write request"),
        "blocks": assumed("two buffers of 8 KB, with which medium and HP-IB may differ in speed; second hand"),
        "segments": assumed("none: no source says that they keep anything for a later request"),
        "link": assumed("HP-IB at its 1 MB/s"),
        "read_ahead": assumed("none: no source mentions any"),
        "reports": assumed("none: writes are reported when they are on the medium; second hand"),
        "overheads": assumed("none beyond the 0.8 ms of any request"),
    },
    notes="The best documented of its kind; the 7957B is one with 1,269 cylinders and 4 heads, the 7959B has 12 heads.",
)


# The IBM 2314, of which Jacobson 1982 names '2314 discs' on one of the machines.

IBM_2314 = DiscType(
    name="IBM 2314",
    layout=uniform(cylinders=200, heads=20, sectors_per_track=28, sector_bytes=256),
    rpm=2400,
    seek=LinearSeek(25 * MS, 130 * MS, cylinders=200),
    sources={
        "cylinders": cited("200 cylinders of 20 tracks (published descriptions of the drive)"),
        "heads": cited("200 cylinders of 20 tracks (published descriptions of the drive)"),
        "sectors_per_track": assumed("as many sectors of 256 bytes as a track of 7294 bytes holds"),
        "sector_bytes": assumed("256 as on the other drives; the real drive had records of any length"),
        "track_skew": assumed("none: tracks begin at an index mark"),
        "cylinder_skew": assumed("none: tracks begin at an index mark"),
        "rpm": assumed("a rotation of 25 ms as remembered, not verified"),
        "seek": assumed("25 ms at least and 60 ms on average, from a forum; a straight line through them ends "
                        "at 130 ms"),
        "head_switch": assumed("electronic, within the gap between two records"),
        "write_settle": assumed("none: no source mentions any"),
        "overhead": assumed("none: no source mentions any"),
    },
)


# A disc for the 386SX laptop of the Windows NT paper, which gives only its 120 MB.

_MUSEUM = "IPSJ Computer Museum, MK2124FC"

TOSHIBA_MK2124FC = DiscType(
    name="Toshiba MK2124FC",
    layout=uniform(cylinders=1155, heads=4, sectors_per_track=55, sector_bytes=512, track_skew=6, cylinder_skew=16),
    rpm=3200,
    seek=PowerSeek.fit(5 * MS, 17 * MS, 30 * MS, cylinders=1155),
    head_switch=2 * MS,
    overhead=1 * MS,
    buffer=Buffer(1, 64, link=HostLink(512 / 5e6, 512 / 5e6), read_ahead=BlocksAhead(64), keeps_requested=True),
    sources={
        "cylinders": assumed("1155 as remembered, not verified; the product is the museum's 130 MB, and a surface "
                             "holds the 50 % more than one of the MK1122FC that the museum says"),
        "heads": assumed(f"four, both sides of each of two discs ({_MUSEUM})"),
        "sectors_per_track": assumed("55 as remembered, not verified; as for the cylinders"),
        "sector_bytes": assumed("512, as of every disc for the PC/AT"),
        "track_skew": assumed("the least that hides the head switch"),
        "cylinder_skew": assumed("the least that hides the shortest seek"),
        "rpm": cited(f"{_MUSEUM}: 3,200"),
        "seek": assumed(f"17 ms on average ({_MUSEUM}); 5 ms and 30 ms as remembered of drives of its class"),
        "head_switch": assumed("2 ms, usual in its class"),
        "write_settle": assumed("none: no source mentions any"),
        "overhead": assumed("1 ms, usual in its class"),
        "blocks": cited(f"{_MUSEUM}: 32 KB"),
        "segments": assumed("one: no source says that the buffer is divided"),
        "link": cited(f"{_MUSEUM}: 5 MB/s between buffer and host"),
        "read_ahead": assumed("until the buffer is full; some there must be, for the sequential reads of the Windows "
                              "NT paper (6.58 ms for 4 KB) lose no revolution"),
        "reports": assumed("none: the sequential writes of the Windows NT paper lose a revolution (22.91 ms for 4 KB)"),
        "overheads": assumed("none beyond the 1 ms of any command"),
    },
    notes="Assumed to be like the laptop's disc: 2.5 inches, 1991, 130 million bytes, which are 124 binary megabytes.",
)


# The drives of Hewlett-Packard's MAC controller (13037), one to eight on each.

_LIBRARY = "SIMH, HP 3000 disc library"
_SOURCES = {
    "cylinders": cited(_LIBRARY),
    "heads": cited(_LIBRARY),
    "sectors_per_track": cited(_LIBRARY),
    "sector_bytes": cited(f"{_LIBRARY}: 128 words of 16 bits"),
    "track_skew": assumed("none: no source mentions any"),
    "cylinder_skew": assumed("none: no source mentions any"),
    "rpm": cited("48 sectors of 347.2 us (SIMH) are one revolution of 16.67 ms"),
    "seek": assumed("5 ms track to track, 45 ms full stroke (SIMH); the average of 25 ms is the catalogue's, "
                    "remembered and not verified"),
    "head_switch": assumed("done within the 27.2 us gap between two sectors, as SIMH has it"),
    "write_settle": assumed("none: the published seek times include settling"),
    "overhead": cited(f"{_LIBRARY}: 200 us for the MAC controller, called an estimate there"),
}

HP7906 = DiscType(
    name="HP 7906",
    layout=uniform(cylinders=411, heads=4, sectors_per_track=48, sector_bytes=256),
    rpm=3600,
    seek=PowerSeek.fit(5 * MS, 25 * MS, 45 * MS, cylinders=411),
    overhead=200 * US,
    sources=_SOURCES | {"heads": cited(f"{_LIBRARY}: two of the removable disc, two of the fixed one")},
)

HP7920 = DiscType(
    name="HP 7920",
    layout=uniform(cylinders=823, heads=5, sectors_per_track=48, sector_bytes=256),
    rpm=3600,
    seek=PowerSeek.fit(5 * MS, 25 * MS, 45 * MS, cylinders=823),
    overhead=200 * US,
    sources=_SOURCES | {"cylinders": cited(f"{_LIBRARY}; HPDIR calls 815 of them usable")},
)

HP7925 = DiscType(
    name="HP 7925",
    layout=uniform(cylinders=823, heads=9, sectors_per_track=64, sector_bytes=256),
    rpm=2700,
    seek=PowerSeek.fit(5 * MS, 25 * MS, 45 * MS, cylinders=823),
    overhead=200 * US,
    sources=_SOURCES | {"cylinders": cited(f"{_LIBRARY}; HPDIR calls 815 of them usable"),
                        "rpm": cited("64 sectors of 347.2 us (SIMH) are one revolution of 22.2 ms")},
)


# The drives of the Max-IV machines in Jacobson 1982, which does not name their makers.

MODCOMP_4138 = DiscType(
    name="Modcomp 4138",
    layout=uniform(cylinders=823, heads=9, sectors_per_track=42, sector_bytes=256),
    rpm=3600,
    seek=LinearSeek(14 * MS, 56 * MS, cylinders=823),
    buffer=Buffer(1, 42, link=HostLink(100 * US, 100 * US), read_ahead=TrackEnd()),
    sources={
        "cylinders": assumed("823, as of the CDC 9762 (80 MB) that is probably its mechanism"),
        "heads": assumed("nine, with which 42 sectors of 256 bytes make the 80 MB of Jacobson 1982, p. 2; "
                         "the five surfaces of a CDC 9762 would make 44 MB of them"),
        "sectors_per_track": cited("Jacobson 1982: implied by the waste of 38 of 42 sectors"),
        "sector_bytes": cited("Jacobson 1982: a sector is 128 words of 16 bits"),
        "track_skew": assumed("none: the paper mentions none"),
        "cylinder_skew": assumed("none: the paper mentions none"),
        "rpm": cited("Jacobson 1982, p. 2: an average rotational wait of 8 ms, which is half a turn at 3600 rpm"),
        "seek": cited("Jacobson 1982, p. 2: average 28 ms, maximum 56 ms; a straight line through them begins "
                      "at 14 ms, within the paper's 10-15 ms for a short seek"),
        "head_switch": assumed("done within the gap between two sectors"),
        "write_settle": assumed("none: the paper mentions none"),
        "overhead": assumed("none: the paper adds up seek and rotation and nothing else"),
        "blocks": cited("Jacobson 1982, 1: the controller's buffer holds a track"),
        "segments": cited("Jacobson 1982, 1: one track"),
        "link": cited("Jacobson 1982, 1: about 100 us for a sector from the buffer; assumed for writes too"),
        "read_ahead": assumed("to the end of the track: 'successive reads from the same track' come from the buffer "
                              "(Jacobson 1982, 1); nothing is said of sectors before the first that was read"),
        "reports": assumed("none: writes go through to the medium, and a track that is written to leaves the buffer"),
        "overheads": assumed("none: the paper adds up seek and rotation and nothing else"),
    },
)

MODCOMP_4134 = DiscType(
    name="Modcomp 4134",
    layout=uniform(cylinders=411, heads=10, sectors_per_track=38, sector_bytes=256),
    rpm=1875,
    seek=LinearSeek(19 * MS, 58 * MS, cylinders=411),
    sources={
        "cylinders": assumed("411, a usual number for a drive of half the 4138's size: 40 MB (Jacobson 1982, p. 2)"),
        "heads": assumed("ten, with which 38 sectors of 256 bytes make the 40 MB of Jacobson 1982, p. 2"),
        "sectors_per_track": cited("Jacobson 1982, p. 2: 300 kbytes a second are 37.5 sectors a revolution, rounded "
                                   "up; the 42 of section 1 are then those of the 4138"),
        "sector_bytes": cited("Jacobson 1982: a sector is 128 words of 16 bits, the same on both drives"),
        "track_skew": assumed("none: the paper mentions none"),
        "cylinder_skew": assumed("none: the paper mentions none"),
        "rpm": cited("Jacobson 1982, p. 2: an average rotational wait of 16 ms is half a turn at 1875 rpm"),
        "seek": cited("Jacobson 1982, p. 2: average 32 ms, maximum 58 ms, and a straight line through them"),
        "head_switch": assumed("done within the gap between two sectors"),
        "write_settle": assumed("none: the paper mentions none"),
        "overhead": assumed("none: the paper adds up seek and rotation and nothing else"),
    },
)


# Two Serial ATA drives of 2008 and 2010 for Kim's paper, which names none: one as in a laptop and one as in a PC.

def zoned_layout(
    sectors: int, heads: int, sector_bytes: int, outer: int, inner: int, zones: int, skew: float
) -> Layout:
    """*sectors* sectors in *zones* zones of equally many cylinders, from *outer* sectors a track down to *inner*.

    Sectors a track fall in a straight line. Each track begins *skew*, a part of a revolution, after the one before it.
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

_DESKTOP_LAYOUT = zoned_layout(1_953_525_168, heads=4, sector_bytes=512, outer=2472, inner=1236, zones=30, skew=0.144)

HITACHI_7K1000C = DiscType(
    name="Hitachi 7K1000.C",
    layout=_DESKTOP_LAYOUT,
    rpm=7200,
    seek=PowerSeek.fit(1 * MS, 8.5 * MS, 18 * MS, cylinders=_DESKTOP_LAYOUT.cylinders),
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

_LAPTOP_LAYOUT = zoned_layout(625_142_448, heads=4, sector_bytes=512, outer=1740, inner=870, zones=30, skew=0.15)

HITACHI_7K320 = DiscType(
    name="Hitachi 7K320",
    layout=_LAPTOP_LAYOUT,
    rpm=7200,
    seek=PowerSeek.fit(1 * MS, 12 * MS, 20 * MS, cylinders=_LAPTOP_LAYOUT.cylinders),
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


# A SCSI drive of a server of 1997.

_SCSI_SECTOR = 512 / 40e6
_SCSI_MISS = After(0.4 * MS, 0.4 * MS)

BARRACUDA_4LP = DiscType(
    name="Barracuda 4LP",
    layout=uniform(cylinders=5176, heads=10, sectors_per_track=164, sector_bytes=512, track_skew=24, cylinder_skew=32),
    rpm=7200,
    seek=PowerSeek.fit(0.98 * MS, 8.8 * MS, 18 * MS, cylinders=5176),
    head_switch=0.9 * MS,
    overhead=0.3 * MS,
    buffer=Buffer(
        4, 256, Overheads(read_miss=_SCSI_MISS, write=_SCSI_MISS), HostLink(_SCSI_SECTOR, _SCSI_SECTOR),
        BlocksAhead(256),
    ),
    sources={
        "cylinders": assumed("5176 as remembered, not verified"),
        "heads": assumed("ten as remembered, not verified"),
        "sectors_per_track": assumed("the mean of its zones: 164 make the 4.35 GB of the ST34371"),
        "sector_bytes": cited("512, SCSI's usual"),
        "track_skew": assumed("the least that hides the head switch"),
        "cylinder_skew": assumed("the least that hides the seek to the next cylinder"),
        "rpm": assumed("7200, as all Barracudas of the nineties, as remembered"),
        "seek": assumed("0.98 / 8.8 / 18 ms as remembered, not verified"),
        "head_switch": assumed("0.9 ms, as the seek to the next cylinder about"),
        "write_settle": assumed("none: within the seek"),
        "overhead": assumed("0.3 ms of controller and SCSI, as remembered of such drives"),
        "segments": assumed("four; makers say that the firmware divides the buffer, not how"),
        "blocks": assumed("512 KB in all as remembered, not verified"),
        "link": assumed("40 MB/s, Ultra SCSI on the wide bus, as remembered"),
        "read_ahead": assumed("until the segment is full"),
        "reports": assumed("none: servers turn the write cache of SCSI drives off"),
        "overheads": assumed("0.4 ms more where the arm has to move, as of the SATA drives"),
    },
    notes="Seagate's Barracuda 4LP manual, 77767491, is of 29 July 1997 in Rev. C; its tables were not to be had.",
)


SHEETS = (HP7906, HP7920, HP7925, HP7911, HP7912, HP7914, HP7933, HP7935, HP7945, HP7958B, HP_C2200A, IBM_2314,
          MODCOMP_4134, MODCOMP_4138, TOSHIBA_MK2124FC, BARRACUDA_4LP, HITACHI_7K1000C, HITACHI_7K320)
