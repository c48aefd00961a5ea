"""Theory beside a run: its columns by hand, and that what lies beyond it is made of its parts."""

from math import isnan, nan

import pandas as pd
import pytest

from spindle.sim.clock import Phase
from spindle.sim.error import UserError
from spindle.studies.plots.theory_curves import hit_curve, hit_remark, load_curve, load_remark, summarise_hits
from spindle.studies.theory import BEYOND, add_theory, demands_in, mva, summarise_beside, with_means


def run(users: int, throughput: float, think: float = 10.0, **others: float) -> dict[str, float]:
    """A run whose responses are 1 s of CPU, 2 s of two drives, and what *others* say."""
    parts = {f"part_{part.name.lower()}": 0.0 for part in Phase}
    row = parts | {"part_cpu": 0.6, "part_cache": 0.4, "part_seek": 1.5, "part_transfer": 0.5} | others
    response = sum(seconds for name, seconds in row.items() if name.startswith("part_"))
    demands = {"demand_cpu": 1.0, "demand_drive1": 1.5, "demand_drive2": 0.5} | others
    return {"users": users, "throughput": throughput, "think": think, "response_mean": response} | row | demands


def test_one_user_waits_for_nobody() -> None:
    one = add_theory(pd.DataFrame([run(1, 0.05, demand_cpu=2.0, part_line=0.25)]), "users").iloc[0]
    assert (one["bound"], one["mva"], one["unwaited"]) == pytest.approx((3.25, 3.25, 1.0))
    assert one["beyond_mva"] == pytest.approx(0.0)


def test_work_that_nobody_waits_for_slows_its_station_down() -> None:
    """Of 1.5 s of CPU half a second goes unwaited for; at 0.1 a second the other nine tenths of it are met."""
    row = add_theory(pd.DataFrame([run(10, 0.1, demand_cpu=1.5)]), "users").iloc[0]
    assert row["mva"] == pytest.approx(mva(10, 10.0, [1.0 / (1 - 0.09 * 0.5), 1.5, 0.5]).response)
    assert row["unwaited"] == pytest.approx(0.5)
    assert row["bound"] == pytest.approx(10 * 1.5 - 10.0)
    assert add_theory(pd.DataFrame([run(2, 0.1, demand_cpu=0.5)]), "users").iloc[0]["unwaited"] == 0.0
    assert add_theory(pd.DataFrame([run(2, 0.1)]), "users").iloc[0]["bound"] == pytest.approx(3.0)


def test_a_channel_bounds_and_is_no_station() -> None:
    runs = run(9, 0.1), run(9, 0.1, demand_channel1=2.0)
    plain, tied = (add_theory(pd.DataFrame([each]), "users").iloc[0] for each in runs)
    assert (tied["mva"], tied["unwaited"]) == (plain["mva"], plain["unwaited"])
    assert (plain["bound"], tied["bound"]) == pytest.approx((3.5, 8.0))


def test_what_lies_beyond_is_made_of_waits() -> None:
    waits = {"part_lock": 2.0, "part_memory": 0.3, "part_write_wait": 0.1, "part_cpu_wait": 0.2, "part_queue": 0.7}
    row = add_theory(pd.DataFrame([run(5, 0.3, demand_drive1=1.9, **waits)]), "users").iloc[0]
    assert row["beyond_mva"] == pytest.approx(row["response_mean"] - row["mva"])
    assert row["beyond_mva"] == pytest.approx(sum(row[name] for name in BEYOND[1:]))
    assert (row["beyond_lock"], row["beyond_memory"], row["beyond_write_wait"]) == (2.0, 0.3, 0.1)


def test_a_run_without_a_response_says_nothing_and_one_without_demands_is_refused() -> None:
    nothing = add_theory(pd.DataFrame([run(3, 0.0, think=nan)]), "users").iloc[0]
    assert isnan(nothing["mva"])
    with pytest.raises(UserError, match="unknown column 'think'"):
        add_theory(pd.DataFrame([run(1, 0.1)]).drop(columns="think"), "users")


def test_demands_are_the_cpus_first_and_then_in_their_order() -> None:
    names = ["demand_drive2", "think", "demand_channel1", "demand_cpu", "demand_drive1"]
    assert demands_in(pd.DataFrame(columns=names)) == [names[3], names[0], names[2], names[4]]


def test_means_are_added_by_what_distinguishes_the_points() -> None:
    """Also where that is nothing, as the size of no cache; the order is that of the table."""
    frame = pd.DataFrame({"size": [4.0, nan, 4.0, nan], "more": [1.0, 2.0, 3.0, 6.0], "other": [7.0] * 4})
    table = with_means(pd.DataFrame({"size": [4.0, nan], "other": [1.0, 2.0]}), frame, ["size"], ["more"])
    assert table["more"].tolist() == [2.0, 4.0]
    assert table["other"].tolist() == [1.0, 2.0]


def test_a_load_curve_with_its_network_and_its_bound() -> None:
    rows = [run(users, 0.1, part_lock=lock + noise, cached=cached)
            for users in (2, 8) for cached, lock in ((0.0, 3.0), (1.0, 0.0)) for noise in (0.0, 0.02)]  # fmt: skip
    frame = summarise_beside(pd.DataFrame(rows), "users", ["users", "cached"], ["response_mean"])
    names = {0.0: "plain", 1.0: "quick"}
    axes = load_curve(frame, "users", "cached", names, x_label="users", y_label="s", title="t")
    assert [(line.get_linestyle(), line.get_label()) for line in axes.lines] == [
        ("-", "plain"), ("-", "quick"), ("-", "plain, bound"), ("-", "quick, bound"),
        ("--", "plain, MVA"), ("--", "quick, MVA"),
    ]  # fmt: skip
    assert [line.get_color() for line in axes.lines[:2]] == [line.get_color() for line in axes.lines[4:]]
    said = load_remark(frame, "users", "users", "cached", names)
    assert "With plain, the mean response at 2 users is 2." in said
    assert "s more waiting for the lock" in said


def test_a_hit_curve_with_ches() -> None:
    rows = [{"size": size, "hit_ratio": 0.5 + noise, "che": 0.4, "beyond_che": 0.1 + noise, "beyond_order": 0.15,
             "beyond_rules": noise - 0.05} for size in (1, 2) for noise in (0.0, 0.001)]  # fmt: skip
    frame = summarise_hits(pd.DataFrame(rows), ["size"], ["hit_ratio"])
    axes = hit_curve(frame, "size", x_label="size", y_label="ratio", title="t")
    assert [(line.get_linestyle(), line.get_label()) for line in axes.lines] == [
        ("-", "simulated"), ("--", "plain LRU (Che)"),
    ]  # fmt: skip
    said = hit_remark(frame, "size", "sectors", "it forgets")
    assert "the hit ratio at 1 sectors is 10.1 points higher than by Che's approximation".lower() in said.lower()
    assert "15.0 points more by the order of the references; 5.0 points less by the rules of the cache (it" in said
