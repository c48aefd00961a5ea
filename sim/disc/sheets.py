"""Data sheets of the drives that the papers' machines had; sectors are 256 bytes on all of them."""

from sim.disc.layout import uniform
from sim.disc.mechanism import DiscType
from sim.disc.seek import LinearSeek, PowerSeek
from sim.parameter import Source
from sim.units import MS, US


def _cited(note: str) -> Source:
    return Source("cited", note)


def _assumed(note: str) -> Source:
    return Source("assumed", note)


_MAC_SEEK = ("5 ms track to track, 45 ms full stroke (SIMH); the average of 25 ms is the catalogue's, "
             "remembered and not verified")
_MAC_SOURCES = {
    "sector_bytes": _cited("SIMH, HP 3000 disc library: 128 words of 16 bits"),
    "track_skew": _assumed("none: no source mentions any"),
    "cylinder_skew": _assumed("none: no source mentions any"),
    "seek": _assumed(_MAC_SEEK),
    "head_switch": _assumed("done within the 27.2 us gap between two sectors, as SIMH has it"),
    "write_settle": _assumed("none: the published seek times include settling"),
    "overhead": _cited("SIMH, HP 3000 disc library: 200 us for the MAC controller, called an estimate there"),
}

HP7906 = DiscType(
    name="HP 7906",
    layout=uniform(cylinders=411, heads=4, sectors_per_track=48, sector_bytes=256),
    rpm=3600,
    seek=PowerSeek.through(5 * MS, 25 * MS, 45 * MS, cylinders=411),
    overhead=200 * US,
    sources=_MAC_SOURCES | {
        "cylinders": _cited("SIMH, HP 3000 disc library"),
        "heads": _cited("SIMH, HP 3000 disc library: two of the removable disc, two of the fixed one"),
        "sectors_per_track": _cited("SIMH, HP 3000 disc library"),
        "rpm": _cited("48 sectors of 347.2 us (SIMH) are one revolution of 16.67 ms"),
    },
)

HP7920 = DiscType(
    name="HP 7920",
    layout=uniform(cylinders=823, heads=5, sectors_per_track=48, sector_bytes=256),
    rpm=3600,
    seek=PowerSeek.through(5 * MS, 25 * MS, 45 * MS, cylinders=823),
    overhead=200 * US,
    sources=_MAC_SOURCES | {
        "cylinders": _cited("SIMH, HP 3000 disc library; HPDIR calls 815 of them usable"),
        "heads": _cited("SIMH, HP 3000 disc library"),
        "sectors_per_track": _cited("SIMH, HP 3000 disc library"),
        "rpm": _cited("48 sectors of 347.2 us (SIMH) are one revolution of 16.67 ms"),
    },
)

HP7925 = DiscType(
    name="HP 7925",
    layout=uniform(cylinders=823, heads=9, sectors_per_track=64, sector_bytes=256),
    rpm=2700,
    seek=PowerSeek.through(5 * MS, 25 * MS, 45 * MS, cylinders=823),
    overhead=200 * US,
    sources=_MAC_SOURCES | {
        "cylinders": _cited("SIMH, HP 3000 disc library"),
        "heads": _cited("SIMH, HP 3000 disc library"),
        "sectors_per_track": _cited("SIMH, HP 3000 disc library"),
        "rpm": _cited("64 sectors of 347.2 us (SIMH) are one revolution of 22.2 ms"),
    },
)

HP7933 = DiscType(
    name="HP 7933",
    layout=uniform(cylinders=1321, heads=13, sectors_per_track=92, sector_bytes=256),
    rpm=2700,
    seek=PowerSeek.through(5 * MS, 24 * MS, 35 * MS, cylinders=1321),
    head_switch=1 * MS,
    overhead=4 * MS,
    sources={
        "cylinders": _cited("NetBSD's disc tables; the product is the published 404.46 MB"),
        "heads": _cited("NetBSD's disc tables; a fourteenth reads the servo surface"),
        "sectors_per_track": _cited("NetBSD's disc tables"),
        "sector_bytes": _cited("NetBSD's disc tables; the product is the published 404.46 MB"),
        "track_skew": _assumed("none: an HP systems engineer found the 7933A better than the 7945A, which loses a "
                               "revolution at each head switch, because it has fewer head switches"),
        "cylinder_skew": _assumed("none, as for the tracks"),
        "rpm": _assumed("2700 as remembered, not verified; the 7925 has it too"),
        "seek": _assumed("5 / 24 / 35 ms as remembered, not verified; Hewlett-Packard Journal 1984 confirms "
                         "a full stroke under 35 ms"),
        "head_switch": _assumed("about 1 ms: any value beyond the gap between two sectors costs the same revolution"),
        "write_settle": _assumed("none: no source mentions any"),
        "overhead": _assumed("several ms of controller and HP-IB as remembered; with 4 ms a read of 1 KB takes the "
                             "40 ms that McBride & Boles 1983 give for a Series 64"),
    },
)

MODCOMP_4138 = DiscType(
    name="Modcomp 4138",
    layout=uniform(cylinders=823, heads=9, sectors_per_track=42, sector_bytes=256),
    rpm=3600,
    seek=LinearSeek(14 * MS, 56 * MS, cylinders=823),
    sources={
        "cylinders": _assumed("823, as of the CDC 9762 (80 MB) that is probably its mechanism"),
        "heads": _assumed("nine, with which 42 sectors of 256 bytes make the 80 MB of Jacobson 1982, p. 2; "
                          "the five surfaces of a CDC 9762 would make 44 MB of them"),
        "sectors_per_track": _cited("Jacobson 1982: implied by the waste of 38 of 42 sectors"),
        "sector_bytes": _cited("Jacobson 1982: a sector is 128 words of 16 bits"),
        "track_skew": _assumed("none: the paper mentions none"),
        "cylinder_skew": _assumed("none: the paper mentions none"),
        "rpm": _cited("Jacobson 1982, p. 2: an average rotational wait of 8 ms, which is half a turn at 3600 rpm"),
        "seek": _cited("Jacobson 1982, p. 2: average 28 ms, maximum 56 ms; a straight line through them begins "
                       "at 14 ms, within the paper's 10-15 ms for a short seek"),
        "head_switch": _assumed("done within the gap between two sectors"),
        "write_settle": _assumed("none: the paper mentions none"),
        "overhead": _assumed("none: the paper adds up seek and rotation and nothing else"),
    },
    notes="Its controller's buffer of one track is not part of the mechanism.",
)

MODCOMP_4134 = DiscType(
    name="Modcomp 4134",
    layout=uniform(cylinders=411, heads=9, sectors_per_track=42, sector_bytes=256),
    rpm=1875,
    seek=LinearSeek(19 * MS, 58 * MS, cylinders=411),
    sources={
        "cylinders": _assumed("411, a usual number for a drive of half the 4138's size: 40 MB (Jacobson 1982, p. 2)"),
        "heads": _assumed("nine, as on the 4138; the product is 39.8 MB"),
        "sectors_per_track": _assumed("as on the 4138: Jacobson 1982, p. 2, says that the sectors are alike"),
        "sector_bytes": _cited("Jacobson 1982: a sector is 128 words of 16 bits, the same on both drives"),
        "track_skew": _assumed("none: the paper mentions none"),
        "cylinder_skew": _assumed("none: the paper mentions none"),
        "rpm": _cited("Jacobson 1982, p. 2: an average rotational wait of 16 ms is half a turn at 1875 rpm"),
        "seek": _cited("Jacobson 1982, p. 2: average 32 ms, maximum 58 ms, and a straight line through them"),
        "head_switch": _assumed("done within the gap between two sectors"),
        "write_settle": _assumed("none: the paper mentions none"),
        "overhead": _assumed("none: the paper adds up seek and rotation and nothing else"),
    },
)

IBM_2314 = DiscType(
    name="IBM 2314",
    layout=uniform(cylinders=200, heads=20, sectors_per_track=28, sector_bytes=256),
    rpm=2400,
    seek=LinearSeek(25 * MS, 130 * MS, cylinders=200),
    sources={
        "cylinders": _cited("200 cylinders of 20 tracks (published descriptions of the drive)"),
        "heads": _cited("200 cylinders of 20 tracks (published descriptions of the drive)"),
        "sectors_per_track": _assumed("as many sectors of 256 bytes as a track of 7294 bytes holds"),
        "sector_bytes": _assumed("256 as on the other drives; the real drive had records of any length"),
        "track_skew": _assumed("none: tracks begin at an index mark"),
        "cylinder_skew": _assumed("none: tracks begin at an index mark"),
        "rpm": _assumed("a rotation of 25 ms as remembered, not verified"),
        "seek": _assumed("25 ms at least and 60 ms on average, from a forum; a straight line through them ends "
                         "at 130 ms"),
        "head_switch": _assumed("electronic, within the gap between two records"),
        "write_settle": _assumed("none: no source mentions any"),
        "overhead": _assumed("none: no source mentions any"),
    },
)

SHEETS = (HP7906, HP7920, HP7925, HP7933, IBM_2314, MODCOMP_4134, MODCOMP_4138)
