"""Tests the result of one run: rates, breakdown, percentiles, one flat row."""

from dataclasses import replace
from math import isnan

import pytest
from matplotlib.text import Text

from spindle.sim.clock import PHASE_COUNT, Phase
from spindle.sim.error import UserError
from spindle.sim.measure.result import PERCENTILE_ERROR, Recorder, Result, difference, ratio
from spindle.sim.terminal import Transaction


def result(*responses: float, keep: bool = True) -> Result:
    recorder = Recorder(keep=keep)
    for number, seconds in enumerate(responses):
        parts = [0.0] * PHASE_COUNT
        parts[Phase.CPU], parts[Phase.SEEK] = seconds / 4, seconds * 3 / 4
        recorder.record(Transaction("t", "n", number, number + seconds, number + seconds + 0.5, tuple(parts)), 2)
    return Result("test", {"a": 1}, 7, 100.0, 120.0, {"drive.completed": 50.0}, recorder, events=12, extras={"x": 3.0})


def test_difference_of_readings() -> None:
    assert difference({"a": 5.0, "new": 2.0}, {"a": 3.0, "old": 9.0}) == {"a": 2.0, "new": 2.0}


def test_a_ratio_of_nothing_is_unknown() -> None:
    assert ratio(3.0, 2.0) == 1.5
    assert isnan(ratio(3.0, 0.0))


def test_responses() -> None:
    said = result(1.0, 4.0, 2.0, 1.0).response()
    assert said == pytest.approx({
        "responses": 4, "response_mean": 2.0, "response_sd": 2**0.5, "response_min": 1.0, "response_median": 1.0,
        "response_p95": 4.0, "response_p99": 4.0, "response_p999": 4.0, "response_max": 4.0, "throughput": 0.2,
    })


def test_of_two_the_deviation_is_known_and_may_be_less_than_one() -> None:
    assert result(1.0, 2.0).response()["response_sd"] == pytest.approx(0.5**0.5)
    assert isnan(replace(result(1.0), end=100.0).response()["throughput"])
    equal = result(1.0, 1.0)
    equal.recorder.squares -= 1e-15  # as rounding may have it
    assert equal.response()["response_sd"] == 0.0


def test_percentiles_of_a_thousand() -> None:
    """Of 1 to 1000 s, 950, 990 and 999 are the least that 95, 99 and 99.9 % do not exceed."""
    said = result(*map(float, range(1000, 0, -1))).response()
    assert [said[f"response_{name}"] for name in ("median", "p95", "p99", "p999")] == [500.0, 950.0, 990.0, 999.0]


def test_a_frame_has_a_row_a_response() -> None:
    frame = result(1.0, 4.0).frame()
    assert frame[["terminal", "began", "responded", "response", "part_cpu", "part_seek"]].to_dict("records") == [
        {"terminal": "t", "began": 0, "responded": 1, "response": 1, "part_cpu": 0.25, "part_seek": 0.75},
        {"terminal": "t", "began": 1, "responded": 5, "response": 4, "part_cpu": 1.0, "part_seek": 3.0},
    ]
    assert result().frame().columns.equals(frame.columns)
    assert list(frame.columns[:6]) == ["terminal", "name", "began", "responded", "ended", "response"]
    assert (list(frame["name"]), list(frame["ended"])) == (["n", "n"], [1.5, 5.5])
    assert frame.attrs["units"] == dict.fromkeys(frame.columns[2:], "s")


def test_a_counter_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(UserError, match=r"^unknown counter 'drive\.complete': did you mean drive\.completed\?"):
        result().rate("drive.complete")


def test_without_rows_there_is_no_frame() -> None:
    with pytest.raises(UserError, match="keep_rows=True"):
        result(1.0, keep=False).frame()


def test_it_says_that_not_all_terminals_are_used() -> None:
    """Three terminals for 20 s: all are used, or one of them for 10 s less."""
    there = "users are logged on at 2.5 of 3 terminals, on average"
    for present, says in ((60.0, ""), (60.0 * (1 - 1e-12), ""), (50.0, there)):
        counters = {"desk.terminal_seconds": 60.0, "desk.logged_on_seconds": present}
        assert replace(result(), counters=counters).presence() == says
    nobody = replace(result(), counters={"desk.terminal_seconds": 60.0})
    assert nobody.presence() == "users are logged on at 0 of 3 terminals, on average"
    assert result().presence() == ""


def test_it_is_shown_in_a_few_lines() -> None:
    text = repr(result(1.0, 3.0))
    assert text.splitlines() == [
        "test: a 1, seed 7",
        "20 s measured after 100 of warm-up",
        "2 responses, 0.1 a second",
        "response, s: mean 2, median 1, p95 3, p99 3, p999 3",
        "of it: cpu 25 %, seek 75 %",
        "x 3",
    ]
    many = replace(result(1.0), extras={f"extra{number}": 1.0 for number in range(30)})
    assert repr(many).splitlines()[-2:] == [", ".join(f"extra{number} 1" for number in numbers)
                                            for numbers in (range(4), range(4, 8))]  # fmt: skip
    assert repr(result()).splitlines() == ["test: a 1, seed 7", "20 s measured after 100 of warm-up", "x 3"]


def test_a_notebook_shows_the_phases_as_bars() -> None:
    """The names of parameters are the user's own; nothing of them may be taken for HTML."""
    html = replace(result(1.0, 3.0), parameters={"a": "<b>"})._repr_html_()
    assert html.startswith("<div>test: a &lt;b&gt;, seed 7<br>20 s measured after 100 of warm-up<br>2 responses")
    assert "of it" not in html
    assert html.count("<tr>") == html.count("</tr>") == 2
    assert "</tr><tr><td>seek</td><td>1.23 s</td>" in result(1.6464)._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert [html.count(f"width:{length}em") for length in ("5.00", "15.00")] == [1, 1]


def test_a_phase_is_shown_from_half_a_percent_on_of_short_responses_too() -> None:
    recorder, parts = Recorder(), [0.0] * PHASE_COUNT
    for phase, part in ((Phase.CPU, 0.25), (Phase.WRITE_WAIT, 1.25), (Phase.SEEK, 248.5)):
        parts[phase] = part / 1024
    recorder.record(Transaction("t", "n", 0.0, 250 / 1024, 1.0, tuple(parts)), 3)
    (line,) = [line for line in repr(replace(result(), recorder=recorder)).splitlines() if line.startswith("of it")]
    assert line == "of it: write wait 0 %, seek 99 %"


def test_a_result_draws_its_own_phases() -> None:
    drawn = [text.get_text() for text in result(1.0, 3.0).plot().get_figure().findobj(Text)]
    assert [each for each in ("Responses of test", "median 1 s", "95 % 3 s", "seek") if each not in drawn] == []


def test_without_rows_percentiles_are_counted() -> None:
    said = result(1.0, 4.1, 3.3, keep=False).response()
    assert (said["response_mean"], said["response_max"]) == (pytest.approx(2.8), 4.1)
    assert said["response_median"] == pytest.approx(3.3, rel=PERCENTILE_ERROR)
    assert said["response_median"] != 3.3
    assert said["response_p95"] == pytest.approx(4.1, rel=PERCENTILE_ERROR)


@pytest.mark.parametrize("seconds", [0.0, 0.1, 3.3, 1e-13])
def test_a_counted_percentile_lies_between_the_extremes(seconds: float) -> None:
    said = result(seconds, keep=False).response()
    assert said["response_min"] == said["response_median"] == said["response_p95"] == said["response_max"]


def test_of_nothing_nothing_is_known() -> None:
    for empty in (result(), result(keep=False)):
        said = empty.response()
        assert (said["responses"], said["throughput"]) == (0, 0)
        assert all(isnan(value) for name, value in said.items() if name not in ("responses", "throughput"))
        assert all(isnan(value) for value in empty.breakdown().values())
    assert isnan(result(1.0).response()["response_sd"])


def test_one_flat_row() -> None:
    one = result(1.0, 3.0)
    assert one.breakdown()["cpu"] == 0.5
    assert sum(one.breakdown().values()) == pytest.approx(2.0)
    summary = one.summary()
    assert (summary["part_seek"], summary["x"], summary["events"], summary["responses"]) == (1.5, 3.0, 12.0, 2.0)
    assert (one.seconds, one.rate("drive.completed"), len(one.transactions)) == (20.0, 2.5, 2)
    assert "x" not in replace(one, parameters={"x": 4}).summary(), "what was given is no answer"


def test_demands_by_the_laws() -> None:
    """Two responses in a window in which the CPU was busy for 3 s, a drive for 1, and users were away for 30."""
    one = result(1.0, 3.0)
    assert one.demands() == {}  # nobody sits at a terminal
    busy = {"cpu.busy": 3.0, "cpu.busy_cache": 2.0, "drive1.busy": 1.0, "drive2.busy": 0.0}
    counters = {**busy, "desk.away_seconds": 30.0}
    seated = replace(one, counters=counters)
    assert seated.demands() == {"demand_cpu": 1.5, "demand_drive1": 0.5, "demand_drive2": 0.0, "think": 15.0}
    assert seated.summary()["demand_drive1"] == 0.5
    assert all(isnan(value) for value in replace(result(), counters=counters).demands().values())
