"""Studies Max-IV's disc drives: readers with and without a track buffer, the main load on each, the paper's sums."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import fsum

import pandas as pd
import simpy

from spindle.models.max_iv.machine import SECTORS, MaxIvOptions
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.run import run
from spindle.models.max_iv.studies.trials import RESPONSE, USERS, bars, minutes, with_paper
from spindle.sim.clock import Account, Wait
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheets import IBM_2314, MODCOMP_4134, MODCOMP_4138
from spindle.sim.parameter import change
from spindle.sim.request import AccessTiming, Op, access
from spindle.sim.streams import pick, stream
from spindle.sim.units import KIB, MS
from spindle.studies.plots.curves import curve
from spindle.studies.statistics import summarise
from spindle.studies.study import UNTIMED, Figure, Runs, SeedRows, Study

# Runs of Max-IV's drives alone, without a cache, a load or a CPU; and arithmetic with the paper's own numbers.

TIMED_READS = 2000
FILES_READ = 400
SECTORS_A_FILE = 4
"""Sectors of the file that each process reads."""
COMPUTING_SECONDS = 1 * MS
"""Seconds of computing between two reads; meanwhile the next sector goes by under the head."""
UNBUFFERED_4138 = replace(MODCOMP_4138, name="Modcomp 4138 without its buffer", buffer=None)
DRIVES_BY_BUFFER = {"buffer": MODCOMP_4138, "none": UNBUFFERED_4138}


def seconds_of(disc: DiscType, reads: Sequence[tuple[int, int]], computing: float = 0.0) -> list[float]:
    """Return the seconds of each of *reads*, an address and bytes; *computing* seconds pass before the next."""
    env = simpy.Environment()
    drive, account, seconds = Drive(env, disc), Account("reader"), []

    def read() -> Wait:
        for place, length in reads:
            request = drive.start(access(Op.READ, place, length, account))
            yield request
            assert isinstance(request.value, AccessTiming)
            seconds.append(request.value.total)
            if computing:
                yield env.timeout(computing)

    env.run(env.process(read()))
    return seconds


def sheets(seed: object, **parameters: object) -> dict[str, float]:
    """Compute the paper's table of discs, its short and long seeks, and accesses to a 4138 from the drive files."""
    row: dict[str, float] = {}
    for name, disc in (("4138", MODCOMP_4138), ("4134", MODCOMP_4134)):
        layout, random = disc.layout, stream(seed, f"seeks of {name}")
        places = [pick(random, layout.cylinders) for _ in range(TIMED_READS)]
        seeks = [disc.seek(abs(one - two)) for one, two in pairwise(places) if one != two]
        track = layout.zones[0].sectors_per_track * 256
        row |= {
            f"mb_{name}": layout.sectors * 256 / 1e6,
            f"seek_ms_{name}": fsum(seeks) / len(seeks) / MS,
            f"most_ms_{name}": disc.seek(layout.cylinders) / MS,
            f"rotation_ms_{name}": disc.revolution / 2 / MS,
            f"kbs_{name}": track / disc.revolution / 1e3,
        }
    disc = MODCOMP_4138
    return {
        **row, "short_seek_ms": disc.seek(1) / MS, "long_seek_ms": disc.seek(800) / MS,
        "first_ms": _mean(disc, seed, 256) / MS, "toc_ms": _mean(disc, seed, 40 * KIB) / MS,
        "sector_us": disc.revolution / disc.layout.zones[0].sectors_per_track * 1e6,
        "buffered_us": seconds_of(disc, [(0, 256), (256, 256)], 2 * disc.revolution)[1] * 1e6,
    }  # fmt: skip


def _mean(disc: DiscType, seed: object, length: int) -> float:
    """Return the mean seconds of a read of *length* bytes at a random place."""
    random = stream(seed, "random reads")
    reads = [(pick(random, disc.layout.sectors - length // 256) * 256, length) for _ in range(TIMED_READS)]
    return fsum(seconds_of(disc, reads)) / TIMED_READS


def arithmetic(seed: object, **parameters: object) -> dict[str, float]:
    """Compute with the numbers that the paper prints, whatever the *seed*."""
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


def readers(processes: int, drive: str, in_turn: bool, seed: object, **parameters: object) -> dict[str, float]:
    """Return ``ms`` in which *processes* read a file of four sectors each, one after the other or in turn.

    They compute for a moment after each sector, which is not counted in ``ms``.
    """
    disc, random = DRIVES_BY_BUFFER[drive], stream(seed, f"{processes} readers")
    track = disc.layout.zones[0].sectors_per_track
    order: list[int] = []
    for _ in range(FILES_READ):
        firsts = [track * pick(random, disc.layout.sectors // track) for _ in range(processes)]
        turns = [[first + number for first in firsts] for number in range(SECTORS_A_FILE)]
        sequence = [[first + number for number in range(SECTORS_A_FILE)] for first in firsts]
        order += [sector for group in (turns if in_turn else sequence) for sector in group]
    spent = seconds_of(disc, [(sector * 256, 256) for sector in order], COMPUTING_SECONDS)
    return {"ms": fsum(spent) / FILES_READ / MS}


DISCS: Mapping[str, DiscType] = {
    "4138": MODCOMP_4138, "4138 without its buffer": UNBUFFERED_4138, "4134": MODCOMP_4134, "2314": IBM_2314,
}  # fmt: skip


def interleaved_readers(frame: pd.DataFrame) -> pd.DataFrame:
    table = summarise(frame, ["processes", "drive", "in_turn"], ["ms"])
    return table.assign(which=[_series_name(row["drive"], row["in_turn"]) for row in table.to_dict("records")])


def _series_name(drive: str, in_turn: bool) -> str:
    return f"{'in turn' if in_turn else 'in sequence'}, {'buffer' if drive == 'buffer' else 'no buffer'}"


draw_interleaved_readers = with_paper(lambda paper: [(2, paper["J07"]), (2, paper["J07b"])])(
    partial(curve, x="processes", y="ms", by="which", x_label="processes, each with a file of four sectors",
            y_label="ms of accesses until all are done",
            title="A buffer of one track helps one reader at a time"))


def caption_interleaved_readers(table: pd.DataFrame) -> str:
    two = table[(table["processes"] == 2) & (table["drive"] == "buffer")].set_index("in_turn")["ms"]
    return (
        f"Two processes take {two[False]:.0f} ms one after the other and {two[True]:.0f} in turn; the paper has 72 "
        "and 288."
    )


def two_readers(rows: SeedRows) -> Mapping[str, float]:
    sequence, in_turn = (rows.one(processes=2, drive="buffer", in_turn=in_turn)["ms"] for in_turn in (False, True))
    return {"sequence_ms": sequence, "interleaved_ms": in_turn, "factor": in_turn / sequence}


def drives(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each drive, with the cache; values without it have names with ``plain_``."""
    table = summarise(frame, ["disc", "sectors"], ["response_mean", "disc_busy", "hit_ratio"])
    cached, plain = (table[table["sectors"] == sectors].reset_index(drop=True) for sectors in (SECTORS, 0))
    columns = ["response_mean", "response_mean_low", "response_mean_high", "disc_busy"]
    return cached.drop(columns="sectors").join(plain[columns].add_prefix("plain_"))


draw_drives = partial(bars, value="plain_response_mean", names="disc", x_label=RESPONSE, beside="response_mean",
                      called=("no cache", f"{SECTORS} sectors"), title="Worse drives gain more")


def caption_drives(table: pd.DataFrame) -> str:
    each = [
        f"{row['disc']}: {row['plain_response_mean']:.1f} s without the cache, {row['response_mean']:.1f} s with it"
        for row in table.to_dict("records")
    ]
    return f"{USERS} users. " + "; ".join(each) + "."


def numbers(rows: SeedRows) -> Mapping[str, float]:
    return {name: value for name, value in rows.one().items() if isinstance(value, float)}


STUDIES = (
    Study(
        "interleaved_readers",
        [Runs(readers, UNTIMED, processes=[1, 2, 3, 4], drive=list(DRIVES_BY_BUFFER), in_turn=[False, True])],
        Figure(interleaved_readers, draw_interleaved_readers, caption_interleaved_readers), two_readers,
    ),
    Study(
        "drives",
        [Runs(run, minutes(30.0), {"disc": name}, users=USERS, sectors=[0, SECTORS], choices=MaxIvOptions(drive=disc))
         for name, disc in DISCS.items()],
        Figure(drives, draw_drives, caption_drives),
    ),
    Study("disc_table", [Runs(sheets, UNTIMED)], measures=numbers),
    Study("arithmetic", [Runs(arithmetic, UNTIMED)], measures=numbers),
)  # fmt: skip
