"""Tests the search for a load that hits 30 % with 256 sectors: its points, the facts a load breaks, the picture."""

from typing import Any

import pandas as pd
import pytest

from spindle.models.max_iv.habits import LibraryLoop, PrivateLoops, SeveralHabits
from spindle.models.max_iv.studies.what_ifs import (
    BOX_POINTS,
    BOXES,
    FACTS,
    LOOP_PARAMETERS,
    broken_facts,
    caption_loads,
    design,
    draw_loads,
    facts,
    loads,
    run_box_point,
)

LAWFUL: dict[str, Any] = {
    "box": "near", "number": 0, "seed": 1, "users": 2, "data_sectors_per_open": 4.5, "accesses_per_open": 8.5,
    "hit_ratio": 0.70, "hits_256": 0.65, "hits_512": 0.70, "hits_768": 0.72, "miss_reads": 0.70, "miss_writes": 0.25,
    "miss_weofs": 0.05, "management_share": 0.30,
}  # fmt: skip
SWEEPING: dict[str, Any] = {**LAWFUL, "box": "wide", "hits_256": 0.30, "hits_768": 0.80, "miss_reads": 0.90,
                            "miss_writes": 0.08}  # fmt: skip


@pytest.mark.parametrize("box", BOXES)
def test_points_are_the_same_each_time_and_have_more_than_one_user(box: str) -> None:
    points = design(box)
    assert len(points) == BOX_POINTS
    assert {point["users"] for point in points} == {2, 3}
    for name, (low, high) in BOXES[box].items():
        values = [point[name] for point in points]
        assert low <= min(values) < max(values) <= high
    assert all(name in points[0] for name in LOOP_PARAMETERS)


def test_a_point_says_what_three_sizes_hit() -> None:
    row = run_box_point("near", 3, seed=1, minutes=4.0, warm_up=2.0)
    assert 0.0 < row["hits_256"] < row["hits_512"] <= row["hits_768"] < 1.0
    assert "lru" not in row


def test_facts_are_those_of_the_claims() -> None:
    claims = facts()
    assert sorted(claims) == sorted(FACTS)
    assert broken_facts(LAWFUL, claims) == []
    assert set(broken_facts(SWEEPING, claims)) == {"J36b", "J37", "J37b"}
    assert broken_facts({**LAWFUL, "management_share": 0.6}, claims) == ["J40"]


def test_a_table_of_two_loads_is_drawn_and_captioned() -> None:
    table = loads(pd.DataFrame([LAWFUL, SWEEPING]))
    assert table["broken"].tolist() == [0, 3]
    assert table["which"].tolist()[0] == "none"
    assert "65% with 0 broken, 30% with 3 broken" in caption_loads(table)
    assert "none breaks fewer than 3, and 100% gain visibly" in caption_loads(table)
    assert draw_loads(table).get_title(loc="left")


def test_several_habits_are_as_long_as_the_factor_says() -> None:
    both = SeveralHabits((LibraryLoop(50), PrivateLoops(30, share=0.5)))
    assert both.times(2.0) == SeveralHabits((LibraryLoop(100), PrivateLoops(60, share=0.5)))
