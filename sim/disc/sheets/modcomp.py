"""The drives of the Max-IV machines in Jacobson 1982, which does not name their makers."""

from sim.disc.buffer.read_ahead import TrackEnd
from sim.disc.buffer.sheet import Buffer, HostLink
from sim.disc.layout import uniform
from sim.disc.mechanism import DiscType
from sim.disc.seek import LinearSeek
from sim.disc.sheets.source import assumed, cited
from sim.units import MS, US

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
