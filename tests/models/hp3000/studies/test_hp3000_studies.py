"""Tests by hand what the studies compute from rows of runs."""

from collections.abc import Mapping
from math import exp, log, nan
from typing import Any

import pandas as pd
import pytest

from spindle.models.hp3000.studies import (
    batch,
    fetch,
    fit_map,
    improvement_rates,
    load_kinds,
    loads,
    memory,
    ported_work,
    processor,
    unit_test,
)
from spindle.models.hp3000.studies.batch import beside_jobs
from spindle.models.hp3000.studies.explanations import (
    CAUSE_NAMES,
    EXPLAINED_COLUMNS,
    caption_mechanism,
    mechanism,
    settings,
    shrunk,
)
from spindle.models.hp3000.studies.misfits import MISFITS
from spindle.models.hp3000.system import SYSTEM
from spindle.sim.error import UserError
from spindle.studies.claims.claims import read_claims
from spindle.studies.run_book import RunBook
from spindle.studies.statistics import gains, percent
from spindle.studies.study import Point, SeedRows, Study
from tests.kept import kept_book

TINY = {"minutes": 0.1, "warm_up": 0.05, "seconds": 2.0}


def shortened(point: Point) -> Point:
    """*point* as short as it can be and still be drawn."""
    window = {name: TINY[name] for name in point.window}
    if point.arguments.get("terminals") == 101:
        window |= {"minutes": 0.12} if "minutes" in window else {}
    return Point(point.run, point.arguments, window, point.marks)


@pytest.mark.parametrize("study", [study for study in SYSTEM.studies if study.measures], ids=lambda study: study.name)
def test_changed_parameters_reach_the_runs_that_claims_hang_on(study: Study) -> None:
    for point in map(shortened, study.points(quick=True)):
        changed = point.change({"disks": 3})
        with pytest.raises(UserError, match="unknown parameter 'disks'"):
            changed.run(**changed.keywords(), seed=1)


def rows(**columns: list[Any]) -> pd.DataFrame:
    return pd.DataFrame(columns)


# What a change gains


def test_halved_responses_are_a_gain_of_half_whatever_the_seeds_differ() -> None:
    frame = rows(
        caching=[False, False, True, True], seed=[1, 2, 1, 2], response_mean=[2.0, 4.0, 1.0, 2.0], busy=[1, 3, 5, 7]
    )
    (row,) = gains(frame, "caching", False, values=["busy"]).to_dict("records")
    assert (row["gain"], row["gain_low"], row["gain_high"]) == pytest.approx((50.0, 50.0, 50.0))
    assert (row["plain_response_mean"], row["response_mean"], row["plain_busy"], row["busy"]) == (3.0, 1.5, 2.0, 6.0)


def test_longer_responses_are_a_loss_within_its_interval() -> None:
    frame = rows(mode=["none"] * 2 + ["slow"] * 2, seed=[1, 2] * 2, load=["a"] * 4, response_mean=[1.0, 1.0, 1.5, 3.0])
    (row,) = gains(frame, "mode", "none", ["load"]).to_dict("records")
    assert row["gain"] == pytest.approx(100.0 * (1.0 - exp((log(1.5) + log(3.0)) / 2)))
    assert row["gain_low"] < row["gain"] < 0.0 < row["gain_high"]


def test_a_gain_without_an_interval_is_said_without_one() -> None:
    assert percent({"gain": 12.4, "gain_low": nan, "gain_high": nan}) == "12 %"
    assert percent({"gain": 12.4, "gain_low": 10.4, "gain_high": 14.4}) == "12 % (± 2)"


# Measures of one seed, by hand


def test_the_papers_numbers_are_those_of_the_two_runs() -> None:
    values = {"cpu_busy": 0.4, "disc_rate": 50.0, "impede_rate": 40.0, "paused_disc": 0.3, "paused_swap": 0.1,
              "memory_used": 5 * 2.0**20, "hit_ratio": 0.7, "reads_a_write": 3.5,
              "domain_bytes": 3 * 2.0**19}  # fmt: skip
    plain, cached = ({**values, "caching": on, "response_mean": mean} for on, mean in ((False, 0.9), (True, 0.3)))
    before, after = loads.measure_uncached(SeedRows([plain])), loads.measure_cached(SeedRows([plain, cached]))
    assert before["paused"] == pytest.approx(0.4)
    assert (before["memory_in_use_mb"], before["memory_idle_mb"]) == (5.0, 3.0)  # of 8
    assert (after["ratio"], after["cached_response_mean"]) == (pytest.approx(3.0), 0.3)
    assert (after["reads_a_write"], after["domains_mb"]) == (3.5, 1.5)


def test_the_gain_grows_only_if_it_does_from_each_load_to_the_next() -> None:
    def measures(*means: float, waits: tuple[float, ...] = (0.09, 0.1, 0.11)) -> Mapping[str, float]:
        table = [{"terminals": terminals, "caching": on, "response_mean": mean if on else 1.0, "hit_ratio": mean,
                  "part_queue": share}
                 for terminals, mean, share in zip((21, 42, 63), means, waits, strict=True)
                 for on in (False, True)]  # fmt: skip
        return loads.transactions(SeedRows(table))

    assert measures(0.8, 0.7, 0.5) == {
        "gain_21": pytest.approx(0.2), "gain_63": 0.5, "grows": 1.0, "hits_21": 0.8, "hits_63": 0.5,
        "ldev_share_21": 0.09, "ldev_share_63": 0.11, "queues_argue": 1.0,
    }  # fmt: skip
    for waits in ((0.1, 0.11, 0.12), (0.07, 0.08, 0.09), (0.09, 0.09, 0.11)):
        assert measures(0.8, 0.7, 0.5, waits=waits)["queues_argue"] == 0.0
    assert measures(0.8, 0.9, 0.5)["grows"] == 0.0


@pytest.mark.parametrize(("slow", "rises"), [(3.0, 1.0), (1.9, 0.0)])
def test_the_ratio_rises_if_the_hybrid_load_gains_more(slow: float, rises: float) -> None:
    plain = {(63, False): 2.0, (63, True): 1.0, (101, False): slow, (101, True): 1.0}
    table = [{"terminals": terminals, "caching": on, "response_mean": mean} for (terminals, on), mean in plain.items()]
    assert loads.ratios(SeedRows(table)) == {"ratio_63": 2.0, "ratio_101": slow, "rises": rises}


@pytest.mark.parametrize(("small", "most", "grow", "sooner"), [(0.9, 0.7, 1.0, 1.0), (1.0, 0.6, 0.0, 0.0)])
def test_a_smaller_fetch_pays_and_a_larger_one_hits_more(small: float, most: float, grow: float, sooner: float) -> None:
    found = {"none, small fetch": (small, 0.5), "none": (1.0, 0.6), "none, large fetch": (2.0, most)}
    rows = [{"kind": kind, "mips": 1.0, "caching": True, "response_mean": mean, "hit_ratio": hits}
            for kind, (mean, hits) in found.items()]  # fmt: skip
    measures = load_kinds.fetch_without_locality(SeedRows(rows))
    assert measures == {"hits_grow": grow, "smaller_is_sooner": sooner}


def test_work_is_shorter_by_what_the_second_machine_answers_more() -> None:
    rates = {("Series III", 1e-9): 3.0, ("64, its discs", 1e-9): 4.0, ("Series III", 1.0): 1.9,
             ("64, its discs", 1.0): 2.0}  # fmt: skip
    measures = ported_work.promises(SeedRows([
        {"machine": machine, "pace": pace, "throughput": rate} for (machine, pace), rate in rates.items()
    ]))  # fmt: skip
    assert measures == {
        "shorter": 0.25, "shorter_with_thought": pytest.approx(0.05),
        "far_less": 1.0,  # than 1 - 0.3
    }  # fmt: skip


def test_each_misfit_is_a_claim_with_its_measure() -> None:
    claims = {each.id: each for each in read_claims(SYSTEM.claims)}
    for name, case in MISFITS.items():
        assert (claims[case.claim].study, claims[case.claim].measure) == ("misfits", f"marginal_{name}")


# Tables and captions, by hand


def test_the_breakdown_adds_up_to_the_response() -> None:
    study = next(study for study in SYSTEM.studies if study.name == "hybrid_101")
    book, points = RunBook(workers=1, progress=False), [shortened(point) for point in study.points(quick=True)]
    book.make((point, 1) for point in points)
    frame = book.frame(points, [1])
    table = loads.where_it_goes(frame)
    assert table["run"].tolist() == ["no caching", "disc caching"]
    assert table.drop(columns="run").sum(axis=1).tolist() == pytest.approx(frame["response_mean"].tolist())


def test_the_map_names_the_best_pair_and_what_the_default_gives() -> None:
    caption = fetch.caption_fetch_map(
        pd.DataFrame({
            "fetch_sectors": [4, 16, 16], "sequential_sectors": [96, 4, 96], "response_mean": [0.5, 0.3, 0.4],
            "response_ms": [500.0, 300.0, 400.0],
        })
    )  # fmt: skip
    assert "300 ms with 16 and 4 sectors" in caption
    assert "MPE's 16 and 96 give 400 ms, the worst pair 500 ms" in caption


@pytest.mark.parametrize(("high", "text"), [((-20.0, -1.0, 30.0), "at 4 MiB and below"), ((1.0, 2.0, 3.0), "nowhere")])
def test_the_memory_below_which_caching_hurts_is_named(high: tuple[float, ...], text: str) -> None:
    table = pd.DataFrame({"memory_mib": [3, 4, 8], "gain_high": high, "fault_rate": 9.5, "plain_fault_rate": 6.5})
    caption = memory.caption_gain_vs_memory(table)
    assert f"Caching hurts for certain {text};" in caption
    assert "with 3 MiB there are 9.5 absence faults a second with it and 6.5 without" in caption


def test_a_busy_cpu_on_which_caching_hurts_is_named() -> None:
    table = pd.DataFrame({"terminals": 42, "plain_cpu_busy": [0.3, 0.8, 0.9], "gain_high": [20.0, -1.0, -5.0]})
    assert "at 42 terminals caching hurts for certain from 80% busy on" in processor.caption_gain_vs_cpu(table)


def test_the_unit_test_says_with_how_many_drives_the_paper_is_met() -> None:
    rates = [20.0, 35.0, 60.0, 110.0]
    table = pd.DataFrame({"series": ["Series III"] * 2 + ["Series 64"] * 2, "drives": [2, 4] * 2, "disc_rate": rates})
    caption = unit_test.caption_unit_test(table)
    assert "Series III, 30 to 40 a second, is met with 4 drives" in caption
    assert "Series 64, 120 to 160 a second, is met with none of these" in caption


def by_hand() -> pd.DataFrame:
    """Everything is 8 without caching, 4 with BLOCKONWRITE, 2 with caching; without a delay a response is 4 longer."""
    places = [runs.marks for runs in settings() if "setting" in runs.marks]
    table = []
    for place in places:
        setting = str(place["setting"])
        value = 8.0 if setting.startswith("plain") else 4.0 if setting == "blocking" else 2.0
        response = value + 4.0 * setting.endswith("no delay")
        table.append({**place, **dict.fromkeys((*EXPLAINED_COLUMNS, "access_ms"), value), "response_mean": response})
    return pd.DataFrame(table)


def test_each_link_shrinks_by_what_is_without_caching_over_what_is_with_it() -> None:
    assert shrunk(by_hand()) == dict.fromkeys(CAUSE_NAMES, 4.0)


def test_a_read_takes_what_its_hits_and_misses_take_on_an_idle_machine() -> None:
    idle = {"load": "idle", "hit_ms": 4.0, "miss_ms": 44.0, "access_ms": 40.0}
    load = [{"load": "101", "setting": setting, "hit_ratio": hits, **dict.fromkeys(EXPLAINED_COLUMNS[:-1], 1.0)}
            for setting, hits in (("plain", nan), ("cached", 0.75))]  # fmt: skip
    assert mechanism(pd.DataFrame([*load, idle]))["access_ms"].tolist() == [40.0, 14.0]


def test_the_caption_says_what_each_reading_of_the_paper_makes_of_it() -> None:
    caption = caption_mechanism(by_hand())
    assert "So 4.0x an access becomes 4.0x in response." in caption
    assert "All of caching gains 75 %; where writers wait for the medium (BLOCKONWRITE) 50 %" in caption
    assert "this machine 75 % and 75 %" in caption
    assert "wait for the medium it gains 50 % at 21" in caption
    assert "without these it gains 50 % and 50 %" in caption  # (12 - 6) / 12


def test_fetches_that_are_about_as_good_as_the_best_are_named_together() -> None:
    assert memory.as_good(rows(fetch_kb=[2, 4, 6, 8], response_mean=[1.2, 1.0, 1.04, 1.06])) == "4 to 6 KB"
    assert memory.as_good(rows(fetch_kb=[2, 4], response_mean=[1.2, 1.0])) == "4 KB"


def test_what_a_job_has_read_stays_in_memory_unless_it_is_flushed() -> None:
    kept, flushed = (beside_jobs(1, flush, 1, 0.3, 0.1, clerks=5) for flush in ("never", "read-through"))
    assert kept["domain_bytes"] > 1.5 * flushed["domain_bytes"]
    assert kept["job_rate"] > 0.0
    assert beside_jobs(0, "never", 1, 0.3, 0.1, clerks=5)["job_rate"] == 0.0


@pytest.mark.parametrize(("sectors", "hits"), [(4, 0.0), (16, 3 / 4), (96, 23 / 24)])
def test_arithmetic_of_a_job(sectors: int, hits: float) -> None:
    assert batch.arithmetic(sectors) == pytest.approx(hits)


@pytest.mark.parametrize(
    ("hits", "gain", "start"),
    [
        ([0.2, 0.6, 0.4], [-10.0, 30.0, 10.0], 0.3),
        ([0.1, 0.2, 0.3, 0.4], [5.0, -5.0, -5.0, 5.0], 0.35),
        ([0.1, 0.2], [5.0, 10.0], nan),
        ([0.1, 0.2], [-5.0, -1.0], nan),
    ],
)
def test_caching_pays_from_where_the_last_loss_turns_into_gain(
    hits: list[float], gain: list[float], start: float
) -> None:
    assert load_kinds.pays_from(hits, gain) == pytest.approx(start, nan_ok=True)


def test_a_misfit_of_the_map_is_beyond_one_of_the_papers_limits() -> None:
    table = rows(plain_cpu_busy=[0.5, 0.66, 0.5, 0.9], memory_pressure=[0.05, 0.05, 0.11, 0.2])
    assert fit_map.misfit(table).tolist() == [False, True, True, True]


def test_the_chart_has_a_dozen_cases_in_two_groups_each_sorted() -> None:
    (study,) = improvement_rates.STUDIES
    table = improvement_rates.improvement_rates(kept_book("hp3000").frame(study.points(), [1]))
    assert len(table) >= 12
    assert table["case"].is_unique
    for group, each in table.groupby("group"):
        assert each["gain"].is_monotonic_decreasing
        assert (each["rule"] == "").all() == (group == improvement_rates.GROUP_A)
    assert set(table["rule"]) == {"", "CPU busy", "memory pressure", "hit ratio", "block size", "reads a write"}
