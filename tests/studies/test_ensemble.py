"""Tests an ensemble's description: ranges by hand, and a table with everything that may stand in it."""

from pathlib import Path

import pytest

from spindle.studies.ensemble import Between, Ensemble, Extent, FitStart, Knob, OneOf, read_ensemble


@pytest.mark.parametrize(("share", "value"), [(0.0, "a"), (0.33, "a"), (0.34, "b"), (0.67, "c"), (0.999, "c")])
def test_one_of_some_values_each_as_often(share: float, value: str) -> None:
    assert OneOf(("a", "b", "c"), "why").value_at(share) == value


@pytest.mark.parametrize(("share", "value"), [(0.0, 2.0), (0.5, 20.0), (1.0, 200.0), (0.25, 2.0 * 10.0 ** 0.5)])
def test_between_two_values_evenly_in_the_logarithm(share: float, value: float) -> None:
    assert Between(2.0, 200.0, "why").value_at(share) == pytest.approx(value)


TABLE = """\
shows = "It is so."
met = ["a"]
asked = ["b", "c"]
joint = [[["b"], ["c", "d"]]]
extent = { fitting = { minutes = 2 }, checking = { minutes = 4 }, judging = { minutes = 8 }, steps = 3 }
quick = { fitting = {}, checking = {}, judging = {}, rounds = 1, seeds = 1 }

[knobs]
cpu = ["mips", "calls"]

[aims]
a = 0.5

[ranges]
buffers = { why = "so many", values = [1, 2] }
share = { why = "in percent", values = [5, 10], over = 100 }
seek = { why = "the sheet", between_ms = [5, 20] }
rate = { why = "guess", between = [0.5, 2.0] }
"""


def test_an_ensemble_is_as_its_table_says(tmp_path: Path) -> None:
    path = tmp_path / "ensemble.toml"
    path.write_text(TABLE)

    def start(drawn: object) -> FitStart:
        return FitStart((), ())

    extent = Extent({"minutes": 2}, {"minutes": 4}, {"minutes": 8}, 3, 2, 2)
    assert read_ensemble(path, start) == Ensemble(
        "It is so.", {
            "buffers": OneOf((1, 2), "so many"), "share": OneOf((0.05, 0.1), "in percent"),
            "seek": Between(0.005, 0.02, "the sheet"), "rate": Between(0.5, 2.0, "guess"),
        },
        ("a",), ("b", "c"), extent, Extent({}, {}, {}, 5, 1, 1), {"cpu": Knob(("mips", "calls"))}, {"a": 0.5}, start,
        joint=((("b",), ("c", "d")),),
    )  # fmt: skip
    assert repr(read_ensemble(path, start).ranges["buffers"]) == "OneOf(values=(1, 2), why='so many')"  # whole numbers
