"""The IBM 2314, of which Jacobson 1982 names '2314 discs' on one of the machines."""

from sim.disc.layout import uniform
from sim.disc.mechanism import DiscType
from sim.disc.seek import LinearSeek
from sim.disc.sheets.source import assumed, cited
from sim.units import MS

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
