"""What a mechanism is worth: its options are read as the command line reads them, its share is that of a seed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from spindle.sim.error import UserError
from spindle.sim.parameter import assumed
from spindle.studies.ablation import AblatedSystem, Ablation, ablation, caption, draw, read_mechanisms, texts, worth
from spindle.studies.study import StudyWindow
from spindle.system import System


@dataclass(frozen=True)
class Toy:
    cost: float = assumed(0.01, "a guess", "s")


def toy(length: int = 1, **others: Any) -> Any:
    return {"length": length, **others}


MACHINE = AblatedSystem(System("toy", "A toy", toy, Toy(), parts={"policy": {"lru": 1, "fifo": 2}}, choose=dict))
CACHE, HASH = Ablation("cache", "--sectors 0", "--users 6", "seconds"), Ablation("hash", "--no-hash", "", "seconds")


def frame(**seconds: list[float]) -> pd.DataFrame:
    options = {"on": "--users 6", "off": "--users 6 --sectors 0", "plain": "", "no_hash": "--no-hash"}
    return pd.DataFrame([{"options": options[name], "seed": seed, "seconds": value}
                         for name, values in seconds.items() for seed, value in enumerate(values, 1)])  # fmt: skip


def test_options_are_names_with_texts() -> None:
    assert texts("--users 6 --no-caching --hit-cpu 8ms --report") == {
        "users": "6", "caching": "false", "hit_cpu": "8ms", "report": "true"}  # fmt: skip
    assert texts("") == {}
    with pytest.raises(UserError, match="begin with --"):
        texts("users 6")


def test_what_switches_off_stands_in_the_place_of_what_was_on() -> None:
    mechanism = Ablation("lines", "--line-level 13 --no-caching", "--lines 4 --line-level 12")
    assert mechanism.options_without == "--lines 4 --line-level 13 --no-caching"


def test_arguments_are_those_of_a_run() -> None:
    assert MACHINE.arguments("--length 3 --cost 20ms --policy fifo") == {
        "length": 3, "cost": 0.02, "choices": {"policy": 2}}  # fmt: skip
    with pytest.raises(UserError, match="unknown option 'lenght'"):
        MACHINE.arguments("--lenght 3")


def test_a_share_is_that_of_the_same_seed() -> None:
    row = worth("toy", frame(on=[1.0, 4.0], off=[2.0, 8.0]), [CACHE]).iloc[0]
    assert (row["worth"], row["worth_low"], row["worth_high"]) == pytest.approx((0.5, 0.5, 0.5))
    assert (row["off"], row["on"], row["verdict"]) == (5.0, 2.5, "saves")
    assert row["command"] == "spindle run toy --users 6 --sectors 0"


@pytest.mark.parametrize(("on", "verdict"), [
    ([1.0, 1.001, 0.999], "nothing"), ([2.0, 2.0, 2.01], "costs"), ([0.4, 1.5, 0.9], "unclear"),
    ([1.004, 1.004, 1.004], "nothing"),
])  # fmt: skip
def test_what_is_worth_nothing_is_said(on: list[float], verdict: str) -> None:
    row = worth("toy", frame(plain=on, no_hash=[1.0] * 3), [HASH]).iloc[0]
    assert row["verdict"] == verdict


def test_equal_options_are_run_once_and_drawn() -> None:
    def run(options: str, seed: object, **window: Any) -> dict[str, float]:
        return {"seconds": 2.0 if "--" in options else 1.0}

    study = ablation("toy", run, StudyWindow({}, {}), [HASH, HASH._replace(name="again", off="--no-more")])
    points = study.points()
    assert [point.arguments["options"] for point in points] == ["", "--no-hash", "--no-more"]
    rows = pd.DataFrame([{**point.columns(), **run(**point.keywords(), seed=1), "seed": 1} for point in points])
    table = study.figure.table(rows) if study.figure else rows
    assert table["worth"].tolist() == [0.5, 0.5]
    assert len(draw(table).containers[0]) == 2
    assert "Worth nothing" not in caption(table)
    assert "Worth nothing here (grey): hash." in caption(table.assign(verdict=["nothing", "saves"]))


def test_a_bar_beyond_the_picture_has_its_number_and_no_interval() -> None:
    table = worth("toy", frame(plain=[3.5, 3.6], no_hash=[1.0, 1.0]), [HASH])
    axes = draw(table)
    assert [text.get_text() for text in axes.texts] == ["-255 %"]
    assert not len(axes.collections[0].get_segments())  # type: ignore[attr-defined]


@pytest.mark.parametrize(("on", "certain", "verdict"), [
    (0.95, False, "unclear"), (0.95, True, "saves"), (0.8, False, "saves"),
])  # fmt: skip
def test_one_seed_tells_small_effects_from_nothing_only_if_nothing_depends_on_chance(
    on: float, certain: bool, verdict: str
) -> None:
    table = worth("toy", frame(plain=[on], no_hash=[1.0]), [HASH], certain)
    assert table["verdict"].tolist() == [verdict]


def test_a_table_says_once_what_its_mechanisms_share(tmp_path: Path) -> None:
    table = tmp_path / "mechanisms.toml"
    table.write_text('on = "--users 6"\nunit = "us"\n\n[mechanisms]\ncache = { off = "--sectors 0" }\n'
                     '"a hash" = { off = "--no-hash", on = "", measure = "seconds" }\n', "utf-8")  # fmt: skip
    assert read_mechanisms(table) == (Ablation("cache", "--sectors 0", "--users 6", "response_mean", "us"),
                                      Ablation("a hash", "--no-hash", "", "seconds", "us"))  # fmt: skip
