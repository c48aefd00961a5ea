"""Tests Max-IV's studies: the values of a run, and the measures of it against those computed by hand."""

from collections.abc import Callable, Mapping
from math import isnan
from random import Random
from typing import Any

import pandas as pd
import pytest
import simpy

from spindle.models.max_iv.disc_address import track_of
from spindle.models.max_iv.files import StoredFile
from spindle.models.max_iv.machine import SECTORS, MaxIvOptions, Modcomp
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.studies.contents import (
    LAYOUTS,
    address,
    caption,
    kinds_on,
    measure_contents,
    path_sectors,
    sector_of,
    tabulate,
)
from spindle.models.max_iv.studies.drives import arithmetic, readers, sheets
from spindle.models.max_iv.studies.hashing import orders, period_by_chance, searches, strongest_period
from spindle.models.max_iv.studies.lines import LINE_COUNTS, characters, losses
from spindle.models.max_iv.studies.shell import (
    COMMAND_NAMES,
    bulk,
    by_command,
    caption_by_command,
    share_of_five_more,
    spawn,
    starting,
    who,
)
from spindle.models.max_iv.studies.shots import nbs
from spindle.models.max_iv.studies.size import SATURATED, dip, sizes
from spindle.models.max_iv.studies.trials import LRU_SIZES, USERS, tools
from spindle.models.max_iv.studies.two_hours import day, histogram
from spindle.models.max_iv.studies.users import main_load
from spindle.models.max_iv.studies.what_ifs import LOOP_LOADS, looping, more_users
from spindle.models.max_iv.system import SYSTEM
from spindle.sim.error import UserError
from spindle.sim.units import US
from spindle.studies.study import Row, SeedRows
from tests.kept import kept_book

SHORT: dict[str, Any] = {"minutes": 4.0, "warm_up": 4.0}


@pytest.fixture(scope="module")
def usual() -> Row:
    return tools(seed=1, **SHORT)


RUNS: Mapping[Callable[..., Any], Mapping[str, Any]] = {
    tools: SHORT, day: SHORT, starting: SHORT, characters: {**SHORT, "copy": 320 * US}, who: SHORT, spawn: {},
    arithmetic: {}, searches: {"entries": 1},
}  # fmt: skip


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.__name__)
def test_a_run_takes_the_parameters_of_the_machine(run: Callable[..., Any]) -> None:
    with pytest.raises(UserError, match="unknown parameter 'disks'"):
        run(seed=1, **RUNS[run], disks=3)


def test_changed_parameters_reach_what_a_run_works_out_itself(usual: Row) -> None:
    assert searches(200, 1, compare=20 * US) == {"ms": pytest.approx(2 * searches(200, 1)["ms"])}
    assert arithmetic(1, toc_bytes=256, copy=1e-3)["toc_from_cache_ms"] == pytest.approx(1.0)
    assert spawn(1, shell_words=32768)["spawn_ms"] < 0.7 * spawn(1)["spawn_ms"]
    assert tools(1, **SHORT, copy=500 * US)["hit_service"] == pytest.approx(500 * US + usual["search_mean"], abs=US)
    assert sheets(1, discs=2) == sheets(1)


def test_a_run_says_what_lru_of_other_sizes_hits(usual: Row) -> None:
    assert len(usual["lru"]) == len(LRU_SIZES)
    assert usual["lru"] == sorted(usual["lru"])
    assert usual["lru"][LRU_SIZES.index(512)] == pytest.approx(usual["hit_ratio"], abs=0.03)
    assert "lru" not in tools(1, **SHORT, sectors=0)


def test_a_load_that_loops_hits_little_in_a_small_cache(usual: Row) -> None:
    row = looping(next(iter(LOOP_LOADS)), seed=1, **SHORT)
    assert row["lru"][LRU_SIZES.index(256)] < usual["lru"][LRU_SIZES.index(256)] - 0.15


def test_a_day_leaves_the_cache_and_its_ten_seconds_behind() -> None:
    row = day(1, **SHORT)
    assert 0.5 * sum(row["lengths"]) < len(row["tracks"]) < sum(row["lengths"])  # the tracks are those of Disc 2
    assert len(row["rates"]) == 24  # ten seconds each
    assert 10.0 * sum(row["rates"]) == pytest.approx(240.0 * row["op_rate"])


def test_readers_in_turn_lose_the_buffer() -> None:
    def ms(drive: str, in_turn: bool) -> float:
        return readers(2, drive, in_turn, 1)["ms"]

    assert ms("buffer", True) > 3.5 * ms("buffer", False)
    assert ms("none", True) == pytest.approx(ms("buffer", True), rel=0.01)
    assert ms("none", False) > 2 * ms("buffer", False)


def test_a_histogram_counts_what_lies_between_its_edges() -> None:
    frame = histogram([1.0, 1.5, 2.5, 3.5], [0.0, 2.0, 4.0, 6.0])
    assert frame.to_dict("list") == {"at": [1.0, 3.0, 5.0], "count": [2, 2, 0], "percent": [50.0, 50.0, 0.0]}


def test_the_least_size_pays_for_itself_and_the_largest_is_still_seen() -> None:
    # A point at every 128 sectors up to 512: half more adds three points up to 272, where 272 to 408 crosses 384.
    lru = [0.004 if size < 4 else 0.3 + 0.04 * min(size // 128, 4) for size in LRU_SIZES]
    rows = [{"sectors": sectors, "hit_ratio": ratio, "lru": lru, "hit_service": 350e-6}
            for sectors, ratio in ((256, 0.6), (512, 0.7), (768, 0.71))]  # fmt: skip
    found = sizes(SeedRows(rows))
    assert found["least"] == 4.0  # 0.004 * 36 ms are less than 0.35 ms
    assert found["largest"] == 496.0  # 496 * 3/2 = 744, beyond the last step at 512
    assert found["hit_ratio_256"] == 0.6
    assert found["gain_768"] == pytest.approx(0.01)


def test_measures_by_hand() -> None:
    added = [{"sectors": sectors, "more_directories": more, "response_mean": base + more * each}
             for sectors, base, each in ((0, 2.0, 0.1), (512, 1.0, 0.01)) for more in (0, 5)]  # fmt: skip
    assert share_of_five_more(SeedRows(added)) == pytest.approx({"more_plain": 0.25, "more_cached": 0.05})
    shots = [{"load": SATURATED, "copy": 900 * US, "sectors": sectors, "seconds": seconds}
             for sectors, seconds in ((0, 22.0), (4, 22.1))]  # fmt: skip
    assert dip(SeedRows(shots)) == {"dips": 1.0}
    lists = [{"order": order, "search_mean": 20e-6, "probes_mean": 2.0, "lengths": lengths}
             for order, lengths in (("sector low", [1.0, 2.0, 3.0, 2.0] * 8), ("track low", [2.0] * 32))]  # fmt: skip
    assert orders(SeedRows(lists))["periodic"] == 1.0
    users = [{"load": "main load", "users": count, "lru": [hits] * len(LRU_SIZES)}
             for count, hits in ((1, 0.72), (USERS, 0.7))]  # fmt: skip
    assert more_users(SeedRows(users)) == {"fewer_with_more_users": 0.0}  # two points are not seen


def test_the_strongest_period_has_all_of_one_wave_and_little_of_chance() -> None:
    assert strongest_period([1.0, 2.0, 3.0, 2.0] * 8) == pytest.approx(1.0)
    assert strongest_period([2.0, 1.0, 0.0, 0.0, 0.0, 1.0] * 4) == pytest.approx(0.9)  # six lists, and three: 3 and 1
    assert period_by_chance(5, 0.05) == pytest.approx(0.975)  # of two periods
    random = Random(1)
    chance = [strongest_period([random.random() for _ in range(251)]) for _ in range(200)]
    assert sum(share > period_by_chance(251) for share in chance) <= 8  # two of 200 are expected


def test_who_is_answered_later_beside_others_and_sooner_with_the_cache() -> None:
    lines = {(users, sectors): who(1, 4.0, 2.0, users, sectors)["line"]
             for users, sectors in ((1, 0), (4, 0), (4, 512))}  # fmt: skip
    assert lines[4, 512] < lines[1, 0] < lines[4, 0]


def test_a_prompt_that_needs_the_shell_moved_for_most_of_its_time_says_so() -> None:
    """Asked of each command: two of three given are ls, of whose 2 s the shell takes 1.2, and one is cat, 1 s of 5."""
    others = {f"{what} {name}": 0.0 for what in ("to_prompt of", "given") for name in COMMAND_NAMES}
    counted = others | {"given ls": 2.0, "given cat": 1.0}
    left: list[Row] = [
        {"sectors": sectors, "shell_words": words, "to_prompt": mean, **counted, "to_prompt of ls": ls,
         "to_prompt of cat": cat}
        for sectors, words, mean, ls, cat in
        ((512, 65536, 3.0, 2.0, 5.0), (512, 0, 1.9, 0.8, 4.0), (0, 65536, 4.0, 0.0, 0.0))
    ]  # fmt: skip
    assert bulk(SeedRows(left)) == pytest.approx({"shell_of_commands": 2 / 3, "mostly_shell": 1.0, "overwhelms": 1.0})
    left[1] = {**left[1], "to_prompt": 2.1, "to_prompt of ls": 1.0}
    assert bulk(SeedRows(left)) == {"shell_of_commands": 0.0, "mostly_shell": 0.0, "overwhelms": 0.0}


def test_the_shell_has_a_share_of_each_commands_time_to_the_prompt() -> None:
    """Of 2 s in four transfers 1 is the shell's, of 1.25 s in one 0.25."""
    kinds = (({"shell_words": 65536}, 2.0), ({"shell_words": 0}, 1.0), ({"spawn_transfers": 1}, 1.25),
             ({"sectors": 0, "shell_words": 65536}, 9.0))  # fmt: skip
    frame = pd.DataFrame([{
        "sectors": 512, "seed": seed, **arguments, **{f"given {name}": 4.0 for name in COMMAND_NAMES},
        **{f"to_prompt of {name}": seed * seconds for name in COMMAND_NAMES},
    } for seed in (1, 2) for arguments, seconds in kinds])  # fmt: skip
    table = by_command(frame).set_index("command")
    assert table.loc["ls", ["shell", "at_once", "given"]].tolist() == pytest.approx([0.5, 0.2, 4.0])
    assert "ls 50%, who 50%" in caption_by_command(table.reset_index())


def test_losses_are_those_of_four_lines() -> None:
    def row(loop: int, copies: float) -> Row:
        lists = {name: [9.0] * len(LINE_COUNTS) for name in ("copies", "data_level")}
        lists["copies"][LINE_COUNTS.index(4)] = copies
        return {"copy": loop * US, **lists}

    assert losses(SeedRows([row(400, 0.0), row(900, 3.0)])) == {"fear": 1.0, "first_cut": 1.0, "lost_data_900": 9.0}
    assert losses(SeedRows([row(400, 0.1), row(900, 0.0)]))["fear"] == 0.0


def test_the_shots_of_nbs_are_told_from_others() -> None:
    (points,) = (study.points() for study in SYSTEM.studies if study.name == "shot_vs_hits")
    book = kept_book("max_iv")
    numbers, rows = nbs(book.rows(points, 1)), pd.DataFrame(list(book.rows(points, 1)))
    at_nbs = rows[rows["load"] == "NBS"].set_index("sectors")
    assert (numbers["plain_s"], numbers["cached_s"]) == (at_nbs["seconds"][0], at_nbs["seconds"][512])
    assert abs(numbers["covered_gain"]) < 0.2


def test_programs_are_judged_by_their_share_of_the_reads_that_miss() -> None:
    row = {"sectors": 512, "hit_service": 350e-6, "accesses_per_open": 8.0, "data_sectors_per_open": 4.0,
           "oversize_share": 0.2, "hit_ratio": 0.7, "miss_reads": 0.7}  # fmt: skip
    numbers = main_load(SeedRows([row, {"sectors": 0}]))
    assert (numbers["open_overhead"], numbers["mostly_programs"], numbers["programs_pass"]) == (2.0, 0.0, 1.0)
    assert numbers["hit_service_us"] == pytest.approx(350.0)


def test_of_more_lines_than_the_cpu_follows_there_is_no_number() -> None:
    # At 0.2 ms a character four lines of 9600 baud take 77 % of the CPU and six 115 %.
    row = characters(seed=1, copy=320 * US, character=0.2e-3, **SHORT)
    assert [isnan(each) for each in row["all"]] == [count > 4 for count in LINE_COUNTS]


def test_sectors_in_the_cache_are_told_by_whose_they_are() -> None:
    env, values = simpy.Environment(), MaxIvParameters()
    modcomp = Modcomp(env, values, MaxIvOptions(), SECTORS, 1)
    home = modcomp.volumes[0].home()
    unit, files = home.unit, home.files
    own, _ = files.walk((*home.directory, ":AR"))
    work, _ = files.walk(home.working[0])
    assert isinstance(own, StoredFile)
    assert isinstance(work, StoredFile)
    data = {address(unit, files, sector) for sector in (own.first, work.first, own.descriptor, work.first + 41)}
    assert sorted(kinds_on(unit, files, data)) == ["management", "other", "own", "temporary"]
    assert address(unit, files, own.first) not in path_sectors(modcomp)
    assert {address(unit, files, sector) for sector in files.root.sectors()}.isdisjoint(path_sectors(modcomp))
    assert len({sector_of(dpi) for dpi in data if not files.region.is_management(track_of(dpi))}) == 2
    row: Row = {"low": 0.5, "path": 0.75, "own": 0.1, "lpr": 0.2, "temporary": 0.3}
    rows = [{**row, "layout": layout, "seed": 1, "management": 0.3, "other": 0.1} for layout in LAYOUTS]
    assert measure_contents(SeedRows(rows)) == {"low": 0.5, "path_cached": 0.0, "mostly_short": 1.0}
    rows[0] |= {"path": 0.9}  # as assumed
    rows[2] |= {"temporary": 0.1}  # with temporaries on any track
    assert measure_contents(SeedRows(rows)) == {"low": 0.5, "path_cached": 1.0, "mostly_short": 0.0}
    table = tabulate(pd.DataFrame(rows))
    assert table["short"].tolist() == pytest.approx([0.6, 0.6, 0.4])
    assert "any track: 75% and 40%" in caption(table)
