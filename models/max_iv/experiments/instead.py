"""What Jacobson could have done instead: other rules, other units, other layouts and other shells, in response time."""

from collections.abc import Mapping
from functools import partial

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.cache.eligibility import FpiFilter, MarksCached
from models.max_iv.cache.instead.chunks import FhlWithChunks
from models.max_iv.cache.instead.reading_ahead import FhlReadingAhead
from models.max_iv.cache.instead.units import FhlOfUnits
from models.max_iv.cache.instead.writing_back import FhlWritingBack
from models.max_iv.experiments.common import RESPONSE, bars, stretched
from models.max_iv.files.placing import InTheMiddle
from models.max_iv.machine import SECTORS, Choices
from sim.disc.scheduling import Sptf
from sim.eviction.arc import Arc
from sim.eviction.clock import Clock
from sim.eviction.fac import Fac
from sim.eviction.two_q import TwoQ
from sim.statistics.summarise import summarise
from sim.study.system import Effort, Experiment

CHUNKS, TOC_WORDS = 3, 20480
ROOM = SECTORS - CHUNKS * 160
"""What three chunks of 40 KB leave of the memory of 512 sectors."""
BACK, MIDDLE = FhlWritingBack, InTheMiddle()

WAYS: Mapping[str, Mapping[str, object]] = {
    "no cache": {"sectors": 0},
    "as built": {},
    "CLOCK": {"choices": Choices(policy=Clock)},
    "2Q": {"choices": Choices(policy=TwoQ)},
    "ARC": {"choices": Choices(policy=Arc)},
    "FAC": {"choices": Choices(policy=Fac)},
    "end-of-file marks cached": {"choices": Choices(rules=MarksCached())},
    "FPI filter, 8 sectors": {"choices": Choices(rules=FpiFilter(8))},
    "read-ahead to the end of the track": {"choices": Choices(code=FhlReadingAhead)},
    "read-ahead of 4 sectors": {"choices": Choices(code=partial(FhlReadingAhead, sectors=4))},
    "write-back, marks cached": {"choices": Choices(code=BACK, rules=MarksCached())},
    "a better disc layout": {"choices": Choices(placing=MIDDLE)},
    "better layout, no cache": {"choices": Choices(placing=MIDDLE), "sectors": 0},
    "SPTF": {"choices": Choices(scheduler=Sptf)},
    "SPTF, no cache": {"choices": Choices(scheduler=Sptf), "sectors": 0},
    "quick mode, 4 buffers": {"buffers": 4},
    "three TOC chunks, 32 sectors": {"sectors": ROOM,
                                     "choices": Choices(code=partial(FhlWithChunks, chunks=CHUNKS, words=TOC_WORDS))},
    "three TOC chunks beside 512": {"choices": Choices(code=partial(FhlWithChunks, chunks=CHUNKS, words=TOC_WORDS))},
    "a shell of 16 K words": {"shell_words": 16384},
    "a sharable shell": {"shell_words": 0},
    "sharable, better layout, write-back": {"shell_words": 0,
                                            "choices": Choices(code=BACK, rules=MarksCached(), placing=MIDDLE)},
}  # fmt: skip
UNITS: Mapping[str, Mapping[str, object]] = {
    "sectors": {},
    "tracks": {"choices": Choices(code=FhlOfUnits)},
    "cylinders": {"choices": Choices(code=partial(FhlOfUnits, tracks=9))},
}
MEMORY = (512, 1024, 2016)


def way(name: str, users: int, **others: object) -> object:
    return stretched(users=users, **{"sectors": SECTORS, **WAYS[name], **others})  # type: ignore[arg-type]


def instead(effort: Effort) -> pd.DataFrame:
    """A row for each way: the response of 3 and of 6 users, the hit ratio, and how busy the disc is."""
    frame = effort.sweep(way, name=list(WAYS), users=[3, 6])
    table = summarise(frame, ["name", "users"], ["response_mean", "hit_ratio", "disc_busy", "cpu_busy"])
    three, six = (table[table["users"] == users].set_index("name") for users in (3, 6))
    columns = ["response_mean", "response_mean_low", "response_mean_high"]
    return three.drop(columns="users").join(six[columns].add_prefix("six_")).reset_index()


def draw_instead(frame: pd.DataFrame) -> Axes:
    return bars(
        frame, "six_response_mean", frame["name"].tolist(), x_label=RESPONSE, beside="response_mean",
        called=("6 users", "3 users"), title="A shared shell helps most",
    )


def remark_instead(frame: pd.DataFrame) -> str:
    at = frame.set_index("name")
    best = at.drop(index=["no cache"])["six_response_mean"].idxmin()
    shown = ("as built", "ARC", "a better disc layout", str(best))
    said = [f"{name} {at['six_response_mean'][name]:.1f} s" for name in shown]
    return "The same users everywhere. 6 users: " + ", ".join(said) + "."


def unit(units: str, sectors: int, **others: object) -> object:
    return stretched(users=3, sectors=sectors, **{**UNITS[units], **others})  # type: ignore[arg-type]


def units_of_caching(effort: Effort) -> pd.DataFrame:
    """Sectors, tracks and cylinders in the same memory."""
    frame = effort.sweep(unit, units=list(UNITS), sectors=list(MEMORY))
    table = summarise(frame, ["units", "sectors"], ["response_mean", "hit_ratio", "disc_busy"])
    return table.assign(name=[f"{row['units']}, {row['sectors'] // 4} KB" for row in table.to_dict("records")])


def draw_units_of_caching(frame: pd.DataFrame) -> Axes:
    return bars(frame, "response_mean", frame["name"].tolist(), x_label=RESPONSE,
                title="A cache of tracks wastes memory")  # fmt: skip


def remark_units_of_caching(frame: pd.DataFrame) -> str:
    said = [f"{row['name']}: {row['hit_ratio']:.0%} hits" for row in frame.to_dict("records")]
    return "3 users; a miss reads the whole unit. " + "; ".join(said) + "."


EXPERIMENTS = (
    Experiment(
        "instead", "What Jacobson could have done instead, in response time.", instead, draw_instead, remark_instead,
        slow=True,
    ),
    Experiment(
        "units_of_caching", "A cache of sectors, of tracks and of cylinders in the same memory.",
        units_of_caching, draw_units_of_caching, remark_units_of_caching, slow=True,
    ),
)  # fmt: skip
