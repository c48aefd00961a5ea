"""A SCSI drive of a server of 1997."""

from sim.disc.buffer.read_ahead import BlocksAhead
from sim.disc.buffer.sheet import After, Buffer, HostLink, Overheads
from sim.disc.layout import uniform
from sim.disc.mechanism import DiscType
from sim.disc.seek import PowerSeek
from sim.disc.sheets.source import assumed, cited
from sim.units import MS

_SECTOR = 512 / 40e6
_MISS = After(0.4 * MS, 0.4 * MS)

BARRACUDA_4LP = DiscType(
    name="Barracuda 4LP",
    layout=uniform(cylinders=5176, heads=10, sectors_per_track=164, sector_bytes=512, track_skew=24, cylinder_skew=32),
    rpm=7200,
    seek=PowerSeek.through(0.98 * MS, 8.8 * MS, 18 * MS, cylinders=5176),
    head_switch=0.9 * MS,
    overhead=0.3 * MS,
    buffer=Buffer(4, 256, Overheads(read_miss=_MISS, write=_MISS), HostLink(_SECTOR, _SECTOR), BlocksAhead(256)),
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
