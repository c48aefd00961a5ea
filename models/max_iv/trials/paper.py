"""The trial that needs no run: what follows from the paper's own numbers alone."""

from collections.abc import Mapping

from models.max_iv.parameters import Parameters
from sim.disc.sheets import MODCOMP_4138
from sim.parameter import changed
from sim.units import KIB, MS


def arithmetic(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """The same whatever the *seed*."""
    chosen, track = changed(Parameters(), **parameters), MODCOMP_4138.layout.zones[0].sectors_per_track
    sectors = chosen.toc_bytes / 256
    copied = sectors * chosen.copy
    return {
        "track_waste": 1.0 - 4.0 / track,
        "toc_from_cache_ms": copied / MS,
        "slower_than_disc": copied / (chosen.toc_bytes / 800e3),
        "mapped_sectors": 64 * KIB / 128.0,
        "image_alone_ms": 2.0 * 2.0 * chosen.shell_words / 312e3 / MS,
        "break_even": (chosen.copy + 2.0 * chosen.compare) / 36e-3,
    }
