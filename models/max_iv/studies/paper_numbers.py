"""Consequences of the paper's numbers, and of the sheets of its drives, without a load."""

from collections.abc import Mapping

from spindle.models.max_iv.cache import SectorCache
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.studies.drives import sheets
from spindle.sim.disc.sheets import MODCOMP_4138
from spindle.sim.parameter import change
from spindle.sim.streams import pick, stream
from spindle.sim.units import KIB, MS
from spindle.studies.study import UNTIMED, Runs, SeedRows, Study

# What needs no machine: the paper's own numbers put together, and searches of a table without other load.

def arithmetic(seed: object, **parameters: object) -> dict[str, float]:
    """The same whatever the *seed*."""
    values, track = change(MaxIvParameters(), **parameters), MODCOMP_4138.layout.zones[0].sectors_per_track
    copied = values.toc_bytes / 256 * values.copy
    return {
        "track_waste": 1.0 - 4.0 / track,
        "toc_from_cache_ms": copied / MS,
        "slower_than_disc": copied / (values.toc_bytes / 800e3),
        "mapped_sectors": 64 * KIB / 128.0,
        "image_alone_ms": 2.0 * 2.0 * values.shell_words / 312e3 / MS,
        "break_even": (values.copy + 2.0 * values.compare) / 36e-3,
    }


def searches(entries: int, seed: object, **parameters: object) -> dict[str, float]:
    """Return the mean milliseconds to find one of 400 sectors in *entries* lists."""
    random, compare = stream(seed, "searches"), change(MaxIvParameters(), **parameters).compare
    addresses = sorted({pick(random, 1 << 24) for _ in range(400)})
    cache = SectorCache(len(addresses), entries)
    for address in addresses:
        cache.install(address)
    return {"ms": sum(cache.search(address) for address in addresses) / len(addresses) * compare / MS}


def numbers(rows: SeedRows) -> Mapping[str, float]:
    return {name: value for name, value in rows.one().items() if isinstance(value, float)}


STUDIES = (
    Study("disc_table", "The drives by their sheets, and single accesses to a 4138.", [Runs(sheets, UNTIMED)],
          measures=numbers),
    Study("arithmetic", "The paper's own numbers put together.", [Runs(arithmetic, UNTIMED)], measures=numbers),
)  # fmt: skip
