"""The HP C2200A, an HP-IB drive of 1990, of which two were traced at work: its layout was found by their rotation."""

from sim.disc.layout import Layout
from sim.disc.mechanism import DiscType
from sim.disc.seek import TwoPartSeek
from sim.disc.sheets.source import assumed, cited, fitted
from sim.disc.zone import Stretch, Zone
from sim.units import MS

_HEADER = "header of the trace of the host hplajw, May 1992"
_ANGLES = "hplajw, disc 0: the angles at which writes end follow from one to the next within 60 ms"
_SETTLE = 2.9 * MS


def traced(sectors_per_track: int, track_skew: int, cylinder_skew: int) -> Layout:
    """The drive's 113 blocks a track on tracks of *sectors_per_track* sectors, the rest of them spares at the end."""
    stretches = tuple(Stretch(track * sectors_per_track, 113) for track in range(1449 * 8))
    return Layout(1449, 8, 256, (Zone(0, sectors_per_track, track_skew, cylinder_skew, stretches=stretches),))


HP_C2200A = DiscType(
    name="HP C2200A",
    layout=traced(114, 34, 46),
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
