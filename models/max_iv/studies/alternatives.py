"""Compares alternatives to Jacobson's cache of disc sectors by response time under Max-IV.

They are policies, rules, read-ahead, write-back, disc layouts, smaller or sharable shells, and caches of whole
tracks or cylinders.
"""

from collections.abc import Mapping
from functools import partial

import pandas as pd

from spindle.models.max_iv.eligibility import FpiFilter, MarksCached
from spindle.models.max_iv.machine import SECTORS, MaxIvOptions
from spindle.models.max_iv.run import run
from spindle.models.max_iv.space import InTheMiddle
from spindle.models.max_iv.studies.trials import RESPONSE, USERS, bars, minutes
from spindle.models.max_iv.studies.users import CROWD
from spindle.models.max_iv.variants import WITH_IMAGES, FhlOfUnits, FhlReadingAhead, FhlWritingBack
from spindle.sim.disc.scheduling import Sptf
from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.clock import Clock
from spindle.sim.eviction.fac import Fac
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study

WRITE_BACK, MIDDLE_LAYOUT = FhlWritingBack, InTheMiddle()
BUILT_WAY, MARKS_CACHED = "as built", "end-of-file marks cached"

ALTERNATIVES: Mapping[str, Mapping[str, object]] = {
    "no cache": {"sectors": 0},
    BUILT_WAY: {},
    "CLOCK": {"choices": MaxIvOptions(policy=Clock)},
    "ARC": {"choices": MaxIvOptions(policy=Arc)},
    "FAC": {"choices": MaxIvOptions(policy=Fac)},
    MARKS_CACHED: {"choices": MaxIvOptions(rules=MarksCached())},
    "FPI filter, 8 sectors": {"choices": MaxIvOptions(rules=FpiFilter(8))},
    "read-ahead to the end of the track": {"choices": MaxIvOptions(code=FhlReadingAhead)},
    "write-back, marks cached": {"choices": MaxIvOptions(code=WRITE_BACK, rules=MarksCached())},
    "a better disc layout": {"choices": MaxIvOptions(placing=MIDDLE_LAYOUT)},
    "SPTF": {"choices": MaxIvOptions(scheduler=Sptf)},
    "quick mode, 4 buffers": {"buffers": 4},
    "three TOC chunks beside 512": {"choices": MaxIvOptions(code=WITH_IMAGES)},
    "a shell of 16 K words": {"shell_words": 16384},
    "a sharable shell": {"shell_words": 0},
    "sharable, better layout, write-back": {"shell_words": 0,
                                            "choices": MaxIvOptions(code=WRITE_BACK, rules=MarksCached(),
                                                                    placing=MIDDLE_LAYOUT)},
}  # fmt: skip
"""Arguments of a run by alternative; TOC chunks are room for core images, the large records of TOC files."""
CACHE_UNITS: Mapping[str, Mapping[str, object]] = {
    "sectors": {},
    "tracks": {"choices": MaxIvOptions(code=FhlOfUnits)},
    "cylinders": {"choices": MaxIvOptions(code=partial(FhlOfUnits, tracks=9))},
}
MEMORY_SECTORS = (512, 2016)
"""Sectors that the memory of each cache has room for."""


def _runs(way: str) -> Runs:
    changes = {"sectors": SECTORS, **ALTERNATIVES[way]}
    return Runs(run, minutes(30.0, shorter=25.0), {"way": way}, users=CROWD, **changes)


summarise_ways = partial(summarise, by=["way"], values=["response_mean", "hit_ratio", "disc_busy", "cpu_busy"])
"""Summarise each alternative: the response, the hit ratio, the load of disc and CPU."""

draw_instead = partial(bars, value="response_mean", names="way", x_label=f"{RESPONSE}, {CROWD} users",
                       title="A better layout and a shared shell help most")


def caption_instead(table: pd.DataFrame) -> str:
    at = table.set_index("way")["response_mean"]
    shown = (BUILT_WAY, "ARC", "a better disc layout", str(at.drop(index=["no cache"]).idxmin()))
    ways = [f"{way} {at[way]:.1f} s" for way in shown]
    return f"The same {CROWD} users everywhere: " + ", ".join(ways) + "."


def as_meant(rows: SeedRows) -> Mapping[str, float]:
    """Return the hit ratio with end-of-file marks in the cache, as section 2.2 meant it, less that as built."""
    marks, built = (rows.one(way=way)["hit_ratio"] for way in (MARKS_CACHED, BUILT_WAY))
    return {"more_hits": marks - built}


def units_of_caching(frame: pd.DataFrame) -> pd.DataFrame:
    """Average the runs with caches of sectors, of tracks and of cylinders in the same memory."""
    table = summarise(frame, ["units", "sectors"], ["response_mean", "hit_ratio", "disc_busy"])
    return table.assign(name=[f"{row['units']}, {row['sectors'] // 4} KB" for row in table.to_dict("records")])


draw_units_of_caching = partial(bars, value="response_mean", names="name", x_label=RESPONSE,
                                title="A cache of tracks wastes memory")


def caption_units_of_caching(table: pd.DataFrame) -> str:
    each = [f"{row['name']}: {row['hit_ratio']:.0%} hits" for row in table.to_dict("records")]
    return f"{USERS} users; a miss reads the whole unit. " + "; ".join(each) + "."


STUDIES = (
    Study(
        "instead", [_runs(way) for way in ALTERNATIVES],
        Figure(summarise_ways, draw_instead, caption_instead), as_meant,
    ),
    Study(
        "units_of_caching",
        [Runs(run, minutes(24.0, warm_up=8.0), {"units": name}, users=USERS, sectors=list(MEMORY_SECTORS), **parts)
         for name, parts in CACHE_UNITS.items()],
        Figure(units_of_caching, draw_units_of_caching, caption_units_of_caching),
    ),
)  # fmt: skip
