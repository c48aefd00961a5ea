"""The drives that speak Hewlett-Packard's Command Set 80 over HP-IB, each with a controller of its own."""

from dataclasses import replace

from sim.disc.buffer.sheet import Buffer, HostLink
from sim.disc.layout import uniform
from sim.disc.mechanism import DiscType
from sim.disc.seek import PowerSeek
from sim.disc.sheets.source import assumed, cited
from sim.units import MS

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
    seek=PowerSeek.through(5 * MS, 27.1 * MS, 50 * MS, cylinders=572),
    overhead=4 * MS,
    sources=_7911_SOURCES,
)

HP7912 = DiscType(
    name="HP 7912",
    layout=uniform(cylinders=572, heads=7, sectors_per_track=64, sector_bytes=256),
    rpm=3600,
    seek=PowerSeek.through(5 * MS, 27.1 * MS, 50 * MS, cylinders=572),
    overhead=4 * MS,
    sources=_7911_SOURCES | {"heads": cited(f"{_HPDIR} and {_NETBSD}; the product is its 66 MB")},
)

HP7914 = DiscType(
    name="HP 7914",
    layout=uniform(cylinders=1152, heads=7, sectors_per_track=64, sector_bytes=256),
    rpm=3600,
    seek=PowerSeek.through(5 * MS, 28.1 * MS, 50 * MS, cylinders=1152),
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
    seek=PowerSeek.through(5 * MS, 24 * MS, 35 * MS, cylinders=1321),
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
    seek=PowerSeek.through(5 * MS, 30 * MS, 55 * MS, cylinders=968),
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
    seek=PowerSeek.through(3 * MS, 17 * MS, 32 * MS, cylinders=1572),
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
