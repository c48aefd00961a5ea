"""Experiments on loads, fetches, memory, CPU and the Series III: each runs and draws, and says what it found."""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pandas as pd
import pytest

from models.hp3000 import experiments
from models.hp3000.experiments import fetch, loads, memory, processor, series_work
from models.hp3000.experiments.hybrid import hybrid
from models.hp3000.experiments.processor import OtherWork, beside_other_work
from models.hp3000.experiments.series_work import MACHINES, TERMINALS, limited, ported, ported_to
from models.hp3000.series import SERIES_64, SERIES_III
from sim.output.tables import read_table, write_table
from sim.plots.pictures import png
from sim.script import Loop
from sim.study.system import Effort, Experiment

TINY = Effort(replications=1, minutes=0.4, warm_up=0.3, workers=1, progress=False)
MINE = [each for theme in (series_work, loads, fetch, memory, processor) for each in theme.EXPERIMENTS]


@pytest.mark.parametrize("experiment", MINE, ids=lambda each: each.name)
def test_every_experiment_runs_and_its_table_is_drawn_and_remarked_on(experiment: Experiment, tmp_path: Path) -> None:
    frame = experiment.run(TINY)
    assert len(frame) > 1
    write_table(frame, tmp_path / "table.csv", {})
    frame = read_table(tmp_path / "table.csv")  # as a quick report may draw it
    assert png(experiment.draw(frame)).startswith(b"\x89PNG")
    assert experiment.shows.endswith(".")
    said = experiment.remark(frame)
    assert said.endswith(".")
    assert "nan" not in said


def test_every_theme_is_collected_and_no_name_is_there_twice() -> None:
    themes = [import_module(f"{experiments.__name__}.{each.name}") for each in iter_modules(experiments.__path__)]
    names = [each.name for theme in themes for each in getattr(theme, "EXPERIMENTS", ())]
    assert sorted(names) == sorted(set(names)) == sorted(each.name for each in experiments.EXPERIMENTS)


def test_the_breakdown_is_of_the_full_load_and_adds_up_to_the_response() -> None:
    parts, curve = experiments.breakdown(TINY), loads.response_vs_terminals(TINY)
    full = curve[curve["terminals"] == 101].sort_values("caching")
    assert parts["run"].tolist() == ["no caching", "disc caching"]
    assert parts.drop(columns="run").sum(axis=1).tolist() == pytest.approx(full["response_mean"].tolist())


def test_other_work_keeps_the_cpu_busy_for_its_share_and_asks_for_no_disc() -> None:
    alone, beside = (
        beside_other_work(1, share, seed=1, minutes=4.0, warm_up=0.2).summary() for share in (0.0, 0.5)
    )  # fmt: skip
    # 6000 bursts of exponential length: a standard error of two percent.
    assert beside["cpu_busy"] - alone["cpu_busy"] == pytest.approx(0.5, abs=0.04)
    assert beside["disc_rate"] == pytest.approx(alone["disc_rate"], abs=0.02)


def test_no_other_work_changes_nothing() -> None:
    short = {"seed": 3, "minutes": 0.3, "warm_up": 0.1}
    assert beside_other_work(5, 0.0, **short).summary() == hybrid(5, **short, watch=OtherWork(0.0, 3)).summary()


def test_caching_that_is_built_in_and_off_changes_no_response() -> None:
    short = {"seed": 2, "minutes": 0.5, "warm_up": 0.2}
    absent, off = hybrid(30, caching=False, **short), hybrid(30, caching=True, cached_ldevs=(), **short)
    assert off.response() == absent.response()
    assert off.counters["cpu.busy"] == absent.counters["cpu.busy"]


def test_a_limited_terminal_logs_off_after_its_answers() -> None:
    scripts = limited(7, 0.5)
    assert sum(script.terminals for script in scripts) == TERMINALS
    assert [step.times for script in scripts for step in script.steps if isinstance(step, Loop)] == [7]


def test_ported_work_is_the_same_work_and_the_faster_cpu_does_it_in_less_time() -> None:
    three, four = (ported(machine, 1e-9, 4, seed=1) for machine in list(MACHINES)[:2])
    assert three["responses"] == four["responses"] == TERMINALS * (1 + 4)  # RUN, and the answers
    assert three["busy"] / four["busy"] == pytest.approx(SERIES_64.mips / SERIES_III.mips, rel=0.05)
    for each in (three, four):
        assert 0.0 <= each["idle"] < each["elapsed"]
    assert four["elapsed"] < three["elapsed"]


def test_ported_to_a_64_the_discs_are_those_of_a_three_and_nothing_else_is() -> None:
    series = ported_to(SERIES_64)
    assert (series.discs, series.drive) == (SERIES_III.discs, SERIES_III.drive)
    assert (series.mips, series.memory, series.path) == (SERIES_64.mips, SERIES_64.memory, SERIES_64.path)


def test_the_map_names_the_best_pair_and_what_the_default_gives() -> None:
    said = fetch.remark_fetch_map(
        pd.DataFrame({
            "fetch_sectors": [4, 16, 16], "sequential_sectors": [96, 4, 96], "response_mean": [0.5, 0.3, 0.4],
            "response_ms": [500.0, 300.0, 400.0],
        })
    )  # fmt: skip
    assert "300 ms with 16 and 4 sectors" in said
    assert "MPE's 16 and 96 give 400 ms, the worst pair 500 ms" in said


@pytest.mark.parametrize(("high", "said"), [((-20.0, -1.0, 30.0), "at 4 MiB and below"), ((1.0, 2.0, 3.0), "nowhere")])
def test_the_memory_below_which_caching_hurts_is_named(high: tuple[float, ...], said: str) -> None:
    frame = pd.DataFrame({"memory_mib": [3, 4, 8], "gain_high": high, "fault_rate": 9.5, "plain_fault_rate": 6.5})
    remark = memory.remark_gain_vs_memory(frame)
    assert f"Caching hurts for certain {said};" in remark
    assert "with 3 MiB there are 9.5 absence faults a second with it and 6.5 without" in remark


def test_a_busy_cpu_on_which_caching_hurts_is_named() -> None:
    frame = pd.DataFrame({"terminals": 42, "plain_cpu_busy": [0.3, 0.8, 0.9], "gain_high": [20.0, -1.0, -5.0]})
    assert "at 42 terminals caching hurts for certain from 80% busy on" in processor.remark_gain_vs_cpu(frame)


def test_the_unit_test_says_with_how_many_drives_the_paper_is_met() -> None:
    rates = [20.0, 35.0, 60.0, 110.0]
    frame = pd.DataFrame({"series": ["Series III"] * 2 + ["Series 64"] * 2, "discs": [2, 4] * 2, "disc_rate": rates})
    said = series_work.remark_unit_test(frame)
    assert "Series III, 30 to 40 a second, is met with 4 drives" in said
    assert "Series 64, 120 to 160 a second, is met with none of these" in said
