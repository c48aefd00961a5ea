"""What a mechanism is worth: its options are read as the command line reads them, its share is that of a seed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.colors import to_hex

from spindle.sim.error import UserError
from spindle.sim.parameter import assumed
from spindle.studies.ablation import (
    AblatedSystem,
    Ablation,
    _verdict,
    ablation,
    caption,
    draw,
    read_mechanisms,
    texts,
    worth,
)
from spindle.studies.plots.style import INK
from spindle.studies.study import StudyWindow
from spindle.system import System


@dataclass(frozen=True)
class Toy:
    cost: float = assumed(0.01, "a guess", "s")


class Run:
    """A run that measured how it was asked."""

    def __init__(self, **given: Any) -> None:
        self._given = given

    def summary(self) -> dict[str, Any]:
        return {"seconds": 2, "length": self._given["length"], "seed": self._given.get("seed", 0)}


def toy(length: int = 1, **others: Any) -> Any:
    return Run(length=length, **others)


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


def test_the_measures_of_a_run_are_those_that_were_asked_for_and_that_it_has() -> None:
    found = MACHINE.summary("--length 3", ["length", "seed", "missing"], seed=5)
    assert found == {"length": 3.0, "seed": 5.0}
    assert all(isinstance(value, float) for value in found.values())
    with pytest.raises(UserError, match=r"^length must be"):
        MACHINE.arguments("--length x")
    assert MACHINE.arguments("--length 3").keys() == {"length"}  # without a part that is chosen there are no choices
    with pytest.raises(UserError, match="there are"):
        MACHINE.arguments("--xyzzy 3")


@pytest.mark.parametrize(("options", "found"), [
    ("--a", {"a": "true"}), ("--a --b c", {"a": "true", "b": "c"}), ("--hit-cpu -1", {"hit_cpu": "-1"}),
    ("--no-hit-cpu", {"hit_cpu": "false"}), ("--no-hit 3", {"no_hit": "3"}), ("--a x y", {"a": "x"}),
])  # fmt: skip
def test_an_option_without_a_value_is_a_switch(options: str, found: dict[str, str]) -> None:
    assert texts(options) == found


def test_a_mechanism_is_measured_by_its_response_in_seconds_unless_told() -> None:
    assert Ablation("x", "--a") == Ablation("x", "--a", "", "response_mean", "s")
    without = Ablation("x", "--hit-cpu 3 --no-all", "--hit-cpu 4 --lines").options_without
    assert without == "--hit-cpu 3 --lines --no-all"


def test_a_table_has_a_row_for_each_mechanism_with_its_measure() -> None:
    table = worth("toy", frame(on=[1.0, 4.0], off=[2.0, 8.0], plain=[0.0, 3.0], no_hash=[0.0, 2.0]),
                  [CACHE, HASH._replace(unit="ms")])
    assert (table["mechanism"].tolist(), table.index.tolist()) == (["cache", "hash"], [0, 1])
    assert table["measure"].tolist() == ["seconds"] * 2
    assert table["unit"].tolist() == ["s", "ms"]
    assert table["replications"].tolist() == [2, 2]
    assert table["command"].tolist() == ["spindle run toy --users 6 --sectors 0", "spindle run toy --no-hash"]
    assert table["worth"].tolist() == pytest.approx([0.5, -0.25])  # without it no time passed: nothing is saved
    assert table["off"].tolist() == [5.0, 1.0]


@pytest.mark.parametrize(("on", "verdict"), [
    ([0.99, 0.99], "saves"), ([0.9901, 0.9901], "nothing"), ([1.01, 1.01], "costs"), ([1.0, 1.0], "nothing"),
    ([0.7, 1.2], "unclear"), ([0.999, 1.001], "nothing"),
])  # fmt: skip
def test_an_effect_counts_from_a_hundredth_on(on: list[float], verdict: str) -> None:
    assert worth("toy", frame(plain=on, no_hash=[1.0, 1.0]), [HASH])["verdict"].tolist() == [verdict]


@pytest.mark.parametrize(("worths", "verdict"), [
    ((0.011, 0.0, 0.022), "nothing"), ((-0.011, -0.022, 0.0), "nothing"), ((0.05, -0.06, 0.16), "unclear"),
    ((0.05, -0.04, 0.14), "nothing"), ((0.3, -0.05, 0.4), "unclear"), ((0.3, -0.15, 0.4), "unclear"),
])  # fmt: skip
def test_an_interval_with_nought_at_its_end_shows_no_effect(
    worths: tuple[float, float, float], verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = pd.DataFrame([dict(zip(("worth", "worth_low", "worth_high"), worths, strict=True))])
    monkeypatch.setattr("spindle.studies.ablation.summarise", lambda *_: row)
    assert worth("toy", frame(plain=[1.0, 1.0], no_hash=[1.0, 1.0]), [HASH])["verdict"].tolist() == [verdict]


def test_an_effect_of_one_seed_counts_from_a_tenth_on() -> None:
    for on, verdict in ((0.8999, "saves"), (0.901, "unclear"), (1.1001, "costs"), (1.0999, "unclear")):
        assert worth("toy", frame(plain=[on], no_hash=[1.0]), [HASH])["verdict"].tolist() == [verdict]


def test_bars_have_names_colours_and_intervals() -> None:
    """In percent, the first at the top; what saves or costs is blue, anything else grey."""
    table = pd.DataFrame({
        "mechanism": ["a", "b", "c"], "worth": [0.5, -0.2, -3.0], "worth_low": [0.4, -0.3, -3.5],
        "worth_high": [0.6, -0.1, -2.5], "verdict": ["saves", "nothing", "costs"],
    })  # fmt: skip
    axes = draw(table)
    bars = [(bar.get_y() + bar.get_height() / 2, bar.get_width(), to_hex(bar.get_facecolor())) for bar in axes.patches]
    assert [place for place, _, _ in bars] == pytest.approx([0, 1, 2])
    assert [width for _, width, _ in bars] == pytest.approx([50.0, -20.0, -100.0])
    assert [colour for _, _, colour in bars] == ["#0072b2", "#8a8a8a", "#0072b2"]
    assert [bar.get_height() for bar in axes.patches] == pytest.approx([0.62] * 3)
    assert axes.figure.get_size_inches().tolist() == pytest.approx([1.25 * 5.2, 1.0 + 3 * 0.27])
    lines = [segment.tolist() for segment in axes.collections[0].get_segments()]  # type: ignore[attr-defined]
    assert lines == [[pytest.approx([40.0, 0.0]), pytest.approx([60.0, 0.0])],
                     [pytest.approx([-30.0, 1.0]), pytest.approx([-10.0, 1.0])]]  # fmt: skip
    (text,) = axes.texts
    assert (text.get_text(), text.get_position()) == ("-300 %", (-97.0, 2))
    assert (text.get_color(), text.get_va()) == ("white", "center")
    intervals, (nought,) = axes.collections[0], axes.lines
    assert (to_hex(intervals.get_edgecolor()[0]), intervals.get_linewidth()) == (INK.lower(), [1.0])  # type: ignore[index]
    assert (nought.get_xdata(), nought.get_color(), nought.get_linewidth()) == ([0.0, 0.0], INK, 0.8)
    assert any(line.get_visible() for line in axes.xaxis.get_gridlines())
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b", "c"]
    assert (axes.get_ylim(), axes.get_xlabel()) == ((2.5, -0.5), "saved, % of the time without it")
    assert axes.get_title(loc="left") == "What each mechanism saves or costs"
    assert not any(line.get_visible() for line in axes.yaxis.get_gridlines())


def test_a_cost_of_all_the_time_is_a_bar_and_ends_of_intervals_stay_within() -> None:
    table = pd.DataFrame({"mechanism": ["a"], "worth": [-1.0], "worth_low": [-1.5], "worth_high": [-0.5],
                          "verdict": ["costs"]})  # fmt: skip
    axes = draw(table)
    assert len(axes.texts) == 0
    (line,) = axes.collections[0].get_segments()  # type: ignore[attr-defined]
    assert line.tolist() == [[-100.0, 0.0], [-50.0, 0.0]]


@pytest.mark.parametrize(("share", "low", "high", "verdict"), [
    (0.01, 0.005, 0.015, "saves"), (-0.01, -0.02, -0.005, "costs"), (0.0, -0.125, 0.075, "nothing"),
    (0.0, -0.1, 0.1001, "unclear"),
])  # fmt: skip
def test_an_effect_of_just_a_hundredth_counts_and_an_interval_of_just_a_fifth_is_clear(
    share: float, low: float, high: float, verdict: str
) -> None:
    assert _verdict(share, low, high) == verdict


def test_a_caption_names_what_is_grey() -> None:
    table = pd.DataFrame({"mechanism": list("abcd"), "verdict": ["saves", "nothing", "unclear", "nothing"]})
    assert caption(table) == ("To the left: what costs more than it saves. Worth nothing here (grey): b, d. Not "
                              "distinguishable from nothing (grey): c. Commands are in the table.")  # fmt: skip
    assert caption(table[:1]) == "To the left: what costs more than it saves. Commands are in the table."


def test_a_study_of_mechanisms_takes_five_seeds_or_one_that_tells_all() -> None:
    one = ablation("toy", toy, StudyWindow({}, {}), [CACHE], 1)
    assert (one.name, one.replications, ablation("toy", toy, StudyWindow({}, {}), [CACHE]).replications) == (
        "mechanisms", 1, 5)
    assert [point.arguments["options"] for point in one.points()] == ["--users 6", "--users 6 --sectors 0"]
    assert one.figure is not None
    table = one.figure.table(frame(on=[0.95], off=[1.0]))
    assert table[["verdict", "command"]].values.tolist() == [["saves", "spindle run toy --users 6 --sectors 0"]]
    assert (one.figure.picture, one.figure.caption, one.points()[0].run) == (draw, caption, toy)


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
