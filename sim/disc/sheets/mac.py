"""The drives of Hewlett-Packard's MAC controller (13037), one to eight on each."""

from sim.disc.layout import uniform
from sim.disc.mechanism import DiscType
from sim.disc.seek import PowerSeek
from sim.disc.sheets.source import assumed, cited
from sim.units import MS, US

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
    seek=PowerSeek.through(5 * MS, 25 * MS, 45 * MS, cylinders=411),
    overhead=200 * US,
    sources=_SOURCES | {"heads": cited(f"{_LIBRARY}: two of the removable disc, two of the fixed one")},
)

HP7920 = DiscType(
    name="HP 7920",
    layout=uniform(cylinders=823, heads=5, sectors_per_track=48, sector_bytes=256),
    rpm=3600,
    seek=PowerSeek.through(5 * MS, 25 * MS, 45 * MS, cylinders=823),
    overhead=200 * US,
    sources=_SOURCES | {"cylinders": cited(f"{_LIBRARY}; HPDIR calls 815 of them usable")},
)

HP7925 = DiscType(
    name="HP 7925",
    layout=uniform(cylinders=823, heads=9, sectors_per_track=64, sector_bytes=256),
    rpm=2700,
    seek=PowerSeek.through(5 * MS, 25 * MS, 45 * MS, cylinders=823),
    overhead=200 * US,
    sources=_SOURCES | {"cylinders": cited(f"{_LIBRARY}; HPDIR calls 815 of them usable"),
                        "rpm": cited("64 sectors of 347.2 us (SIMH) are one revolution of 22.2 ms")},
)
