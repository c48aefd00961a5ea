"""A disc for the 386SX laptop of the Windows NT paper, which gives only its 120 MB."""

from sim.disc.buffer.read_ahead import BlocksAhead
from sim.disc.buffer.sheet import Buffer, HostLink
from sim.disc.layout import uniform
from sim.disc.mechanism import DiscType
from sim.disc.seek import PowerSeek
from sim.disc.sheets.source import assumed, cited
from sim.units import MS

_MUSEUM = "IPSJ Computer Museum, MK2124FC"

TOSHIBA_MK2124FC = DiscType(
    name="Toshiba MK2124FC",
    layout=uniform(cylinders=1155, heads=4, sectors_per_track=55, sector_bytes=512, track_skew=6, cylinder_skew=16),
    rpm=3200,
    seek=PowerSeek.through(5 * MS, 17 * MS, 30 * MS, cylinders=1155),
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
