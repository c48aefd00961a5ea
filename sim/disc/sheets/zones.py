"""Layouts of drives whose makers publish the rates of the outermost and the innermost tracks and nothing between."""

from sim.disc.layout import Layout
from sim.disc.zone import Stretch, Zone


def falling(
    sectors: int, heads: int, sector_bytes: int, outer: int, inner: int, zones: int, skew: float
) -> Layout:
    """*sectors* sectors in *zones* zones of equally many cylinders, from *outer* sectors a track down to *inner*.

    They fall in a straight line. Each track begins *skew*, a part of a revolution, later than the one before it.
    """
    tracks = [round(outer + (inner - outer) * number / (zones - 1)) for number in range(zones)]
    cylinders = -(-sectors // (heads * sum(tracks)))
    made = [Zone(number * cylinders, per_track, skew * per_track, skew * per_track)
            for number, per_track in enumerate(tracks[:-1])]
    rest = sectors - cylinders * heads * sum(tracks[:-1])  # what the last zone has more than these is spare
    made.append(Zone(len(made) * cylinders, inner, skew * inner, skew * inner, stretches=(Stretch(0, rest),)))
    return Layout(cylinders * zones, heads, sector_bytes, tuple(made))
