"""The mechanism, link by link, and the four misfits: what they compute is checked by hand."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from models.hp3000.experiments.mechanism import EXPERIMENTS, LOADS, VALUES, held, remark_mechanism, shrunk
from models.hp3000.experiments.misfits import MISFITS, misfit
from models.hp3000.experiments.processor import OtherWork
from models.hp3000.system import SYSTEM
from sim.claims.claims import read_claims
from sim.error import UserError
from sim.output.tables import read_table, write_table
from sim.plots.pictures import png
from sim.study.system import Effort

TINY = Effort(replications=1, minutes=0.3, warm_up=0.3, workers=1, progress=False)


def by_hand() -> pd.DataFrame:
    """Everything is 8 without caching, 4 with BLOCKONWRITE, 2 with caching; a delay adds 4 to the response."""
    rows = []
    for load, (_, _, settings) in LOADS.items():
        for setting in settings:
            value = 8.0 if setting.startswith("plain") else 4.0 if setting == "blocking" else 2.0
            response = value + 4.0 * setting.endswith("delayed")
            cells = dict.fromkeys((*VALUES, "access_ms"), value)
            rows.append({"load": load, "setting": setting, **cells, "response_mean": response})
    return pd.DataFrame(rows)


def test_it_runs_and_its_table_is_drawn_and_remarked_on(tmp_path: Path) -> None:
    (experiment,) = EXPERIMENTS
    frame = experiment.run(TINY)
    write_table(frame, tmp_path / "table.csv", {})
    read = read_table(tmp_path / "table.csv")
    assert png(experiment.draw(read)).startswith(b"\x89PNG")
    assert "nan" not in experiment.remark(read)
    assert set(frame["load"]) == set(LOADS)


def test_each_link_shrinks_by_what_is_without_caching_over_what_is_with_it() -> None:
    assert set(shrunk(by_hand()).values()) == {4.0}


def test_the_remark_says_what_each_reading_of_the_paper_makes_of_it() -> None:
    said = remark_mechanism(by_hand())
    assert "So 4.0x an access becomes 4.0x in response." in said
    assert "All of caching gains 75 %; where writers wait for the medium (BLOCKONWRITE) 50 %" in said
    assert "this machine 75 % and 75 %" in said
    assert "it gains 50 % at 21" in said
    assert "leave 50 % at 21 and 50 % at 63" in said  # (12 - 6) / 12


@pytest.mark.parametrize(("load", "setting"), [("102", "plain"), ("101", "plane")])
def test_an_unknown_load_or_setting_is_refused(load: str, setting: str) -> None:
    with pytest.raises(UserError, match="unknown"):
        held(load, setting)


def test_a_call_holds_the_control_block_for_shorter_with_caching() -> None:
    short = {"seed": 1, "minutes": 1.0, "warm_up": 1.0}
    plain, cached = (held("63", setting, **short) for setting in ("plain", "cached"))
    assert cached["hold_ms"] < 0.8 * plain["hold_ms"]
    assert plain["calls"] * plain["hold_ms"] / 1000 == pytest.approx(plain["lock_busy"], rel=0.02)


# Misfits


def test_a_misfit_is_what_caching_gains_there_and_how_far_its_condition_goes() -> None:
    asked: list[dict[str, Any]] = []

    def run(clerks: int, programmers: int, caching: bool, **changes: Any) -> Mapping[str, float]:
        asked.append({"terminals": clerks + programmers, "caching": caching, **changes})
        return {
            "response_mean": 0.5 if caching else 0.4, "cpu_busy": 0.6, "memory_pressure": 0.03 if caching else 0.12,
            "memory_disc_rate": 10.0, "disc_rate": 40.0, "hit_ratio": 0.3,
        }  # fmt: skip

    found = misfit("pressed", run, seed=7)
    assert found["gain_pressed"] == pytest.approx(-0.25)
    assert (found["pressed_condition"], found["pressed_swapping"]) == (0.12, 0.25)
    assert [(each["terminals"], each["caching"], each["seed"]) for each in asked] == [(101, False, 7), (101, True, 7)]


def test_who_is_in_a_condition() -> None:
    assert MISFITS["busy"].met(0.66)
    assert not MISFITS["busy"].met(0.65)
    assert MISFITS["scattered"].met(0.2)  # few hits
    assert MISFITS["block"].met(0.5)  # always


def test_other_work_is_made_anew_for_each_run() -> None:
    first, second = MISFITS["busy"].watch(1), MISFITS["busy"].watch(1)
    assert isinstance(first, OtherWork)
    assert first is not second


def test_each_misfit_is_a_claim_with_its_measure() -> None:
    claims = {each.id: each for each in read_claims(SYSTEM.claims)}
    for name, case in MISFITS.items():
        assert (claims[case.claim].experiment, claims[case.claim].measure) == ("misfits", f"gain_{name}")
