"""Lists the speed and the skews of a fitted sheet with their intervals, which come from both halves of the requests."""

from collections.abc import Iterator, Sequence

from spindle.lab.drives.timed_requests import TimedRequests
from spindle.lab.fit.fit import FitStage
from spindle.lab.fit.geometry import DriveGeometry, observe
from spindle.lab.fit.rotation import ReadPhases, Rotation, rotation_of
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber


def rotation_numbers(
    geometry: DriveGeometry, last: FitStage, rotation: Rotation, halves: Sequence[float]
) -> Iterator[SheetNumber]:
    """Yield the speed in rpm, with an interval over those of both *halves*, and the skews of each zone."""
    zones = geometry.disc.layout.zones
    if not last.locked:
        yield SheetNumber("rpm", f"{last.disc.rpm:.7g}", ASSUMED)
        yield SheetNumber("skews", "just enough for a switch", ASSUMED)
        return
    speeds = (last.disc.rpm, *halves)
    yield SheetNumber("rpm", f"{last.disc.rpm:.7g}", FITTED, min(speeds), max(speeds))
    for number, zone in enumerate(zones):
        peak, turn = rotation.peaks.get(number), rotation.turns[number]
        for key, skew in (("track_skew_sectors", turn.track), ("cyl_skew_sectors", turn.cylinder)):
            sectors = skew % 1.0 * zone.sectors_per_track
            name = f"{key}, zone {number}"
            if peak is not None and peak.is_significant:
                yield SheetNumber(name, f"{sectors:.0f}", FITTED, sectors - peak.slack, sectors + peak.slack)
            else:
                yield SheetNumber(name, f"{sectors:.1f}", ASSUMED)


def rpm_of_halves(geometry: DriveGeometry, asked: TimedRequests, link: float) -> list[float]:
    """Return the speeds in rpm found from the first and from the second half of the requests, where angles agree."""
    middle, speeds = len(asked) // 2, []
    for half in (slice(middle), slice(middle, None)):
        rotation = read_rotation(geometry, asked.part(half), link)
        if rotation.is_significant:
            speeds.append(60.0 / rotation.period)
    return speeds


def read_rotation(geometry: DriveGeometry, asked: TimedRequests, link: float) -> Rotation:
    """Find the rotation from reads of the medium alone; *link* is the seconds of a block to the host."""
    seen = observe(geometry.disc.layout, asked)
    reads = ReadPhases(seen, seen.reads & seen.unbuffered & seen.on_one_track, link)
    return rotation_of(reads, geometry.disc.revolution, len(geometry.disc.layout.zones))
