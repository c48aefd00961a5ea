"""What the report says of a system in three sentences, of versions, and how its pictures stand on a page, by hand."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from spindle.studies.claims.verdicts import VERDICT_COLUMNS
from spindle.studies.report.report import Panel, SystemSection, _with_name, insight, write_report

ROW = {"id": "A", "system": "toy", "role": "predicted", "verdict": "holds", "unit": "s", "says": "it waits", "low": 0.9,
       "high": 1.1, "published": 1.0, "simulated": 1.05}


def claims(*changes: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame([{**ROW, **change} for change in changes])


NEAR, FAR = {"says": "near", "simulated": 0.98}, {"says": "far", "simulated": 1.1}
MISSED, WORST = ({"verdict": "fails", "says": says, "simulated": value}
                 for says, value in (("twice", 2.0), ("a third", 0.33)))
SHAPE = {"role": "shape", "unit": "1", "low": 1.0, "high": 1.0, "simulated": 1.0, "says": "it grows"}


@pytest.mark.parametrize(("rows", "said"), [
    ([FAR, NEAR, MISSED, WORST],
     ["2 of 4", "Nearest to print: near (simulated 0.98 s, printed 1 s).",
      "Farthest from it: a third (simulated 0.33 s, printed 1 s)."]),
    ([SHAPE, {**SHAPE, "verdict": "fails", "says": "it shrinks"}],
     ["1 of 2", "It holds that it grows.", "It does not hold that it shrinks."]),
    ([{**SHAPE, "low": 0.9, "unit": "1", "simulated": 0.95}],
     ["1 of 1", "Nearest to print: it grows (simulated 0.95, printed 1).", "None fails."]),
    ([MISSED], ["0 of 1", "None holds.", "Farthest from it: twice (simulated 2 s, printed 1 s)."]),
    ([{"published": 0.0, "simulated": 0.0}], ["1 of 1", "It holds that it waits.", "None fails."]),
    ([{"published": -1.0}, {"simulated": 0.0}], ["2 of 2", "It holds that it waits.", "None fails."]),
    ([{"role": "calibrated"}, {"role": "seen", "verdict": "fails", "simulated": 3.0}],
     ["1 of 2 claims hold, of which none is an independent prediction.",
      "Nearest to print: it waits (simulated 1.05 s, printed 1 s).",
      "Farthest from it: it waits (simulated 3 s, printed 1 s)."]),
    ([NEAR, {"role": "calibrated", "simulated": 1.0}], ["1 of 1", "Nearest to print: near (simulated 0.98 s", "None"]),
    ([{"verdict": "undecided"}], ["None of 1 independent predictions is decided."]),
    ([], []),
])  # fmt: skip
def test_three_sentences_on_a_system(rows: list[dict[str, Any]], said: list[str]) -> None:
    """Of a number twice as large and one of a third, the third is farther; only predictions count if there are any."""
    frame = claims(*rows) if rows else pd.DataFrame(columns=list(VERDICT_COLUMNS))
    found = insight(frame)
    assert len(found) == len(said)
    assert all(one.startswith(other) for one, other in zip(found, said, strict=True)), found


def written(folder: Path, unit: str = "1/s", **provenance: str) -> tuple[str, str]:
    """The two pages of a report of one system."""
    frame = pd.DataFrame([{**dict.fromkeys(VERDICT_COLUMNS, ""), **ROW, "ci_low": 1.04, "ci_high": 1.06, "unit": unit,
                           "simulated": 1.23456, "part": "paper", "replications": 5}])
    svg = '<svg xmlns="x" viewBox="0 0 {} 100" style="a: b">drawn</svg>'
    wide, slim = (Panel(svg.format(width), f"{width} points wide.", name=f"toy/p{width}") for width in (400, 380))
    sections = [
        SystemSection("late", "Late", "Kim 2014, on 1983", "?"), SystemSection("none", "None", "of no year", "?"),
        SystemSection("toy", "Toy", "McBride 1983", "?", [wide, slim]),
    ]  # fmt: skip
    write_report(folder / "report.html", sections, frame, {}, provenance)
    return (folder / "report.html").read_text("utf-8"), (folder / "report_toy.html").read_text("utf-8")


def test_a_wide_picture_scrolls_on_a_phone_and_letters_are_alike(tmp_path: Path) -> None:
    _, page = written(tmp_path)
    assert page.count('aria-label="Picture, wider than a phone"') == 1
    assert 'aria-label="400 points wide." width="36.0rem"' in page
    assert 'style="min-width: 372px; a: b"' in page
    assert 'aria-label="380 points wide." width="34.2rem"' in page


def test_the_oldest_paper_comes_first_and_one_without_a_year_last(tmp_path: Path) -> None:
    page, _ = written(tmp_path)
    places = [page.index(f"report_{name}.html") for name in ("toy", "late", "none")]
    assert places == sorted(places)


def test_a_version_is_cited_with_its_commit(tmp_path: Path) -> None:
    page, _ = written(tmp_path, Spindle="1.2.3, commit abc123, changed", seeds="1 to 5")
    assert "note = {Version 1.2.3, commit abc123}" in page
    assert "1 to 5" in page
    page, _ = written(tmp_path)
    assert "note = {Version unknown}" in page


def test_a_share_has_no_unit_and_a_time_its_own(tmp_path: Path) -> None:
    for unit, shown in (("1", "1.235<"), ("ms", "1.235 ms")):
        assert shown in " ".join("".join(written(tmp_path, unit=unit)).split()).replace(" <", "<")


def test_numbers_have_four_digits_and_their_unit(tmp_path: Path) -> None:
    pages = " ".join("".join(written(tmp_path)).split())
    assert "1.235/s" in pages
    assert "1.2351/s" not in pages


def test_the_name_of_a_picture_stays_words() -> None:
    named = _with_name(Panel('<svg viewBox="0 0 9 9" style="">', "as drawn", 'of "<b>"'))
    assert 'aria-label="of &quot;&lt;b&gt;&quot;" width="0.8rem"' in named
