"""Errors of a model of a drive parted into groups: by hand, and where the answer is known because it was put in."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from spindle.lab.drives.errors import BINS, Axis, all_drives_page, budget, by_name, by_size, numbers, one_drive_page
from spindle.lab.drives.picture import error_picture
from spindle.lab.drives.timed_requests import TimedRequests, answer_times
from spindle.sim.disc.buffer_sheet import BlocksAhead, Buffer
from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.request import READ, WRITE, Span
from spindle.sim.units import MS
from spindle.studies.plots.files import svg

DISC = DiscType("Small", uniform(100, 2, 20, 512), 6000, LinearSeek(2 * MS, 8 * MS, 100), overhead=1 * MS)


def asked(disc: DiscType, count: int = 400) -> TimedRequests:
    """Requests of one sector all over the disc, as *disc* answers them."""
    random = Random("asked")
    ops = [READ if random.random() < 0.6 else WRITE for _ in range(count)]
    spans = [Span(512 * random.randrange(4000), 512) for _ in range(count)]
    gaps = np.array([random.random() * 20 * MS for _ in range(count)])
    requests = TimedRequests(ops, spans, gaps, np.zeros(count))
    return replace(requests, measured=answer_times(mechanism_of(disc), requests))


def test_the_share_of_an_axis_is_that_of_its_group_means() -> None:
    errors = np.array([1.0, 3.0, -2.0, 2.0])
    # The means of the groups are 2 and 0, and so 8 of 18 lies in them.
    assert by_name(["a", "a", "b", "b"]).share(errors) == pytest.approx(8 / 18)
    assert by_name(["a", "b", "c", "d"]).share(errors) == pytest.approx(1.0)
    assert by_name(["a"] * 4).share(np.zeros(4)) == 0.0


def test_numbers_are_parted_into_groups_of_equally_many() -> None:
    axis = by_size(np.arange(100.0))
    assert np.bincount(axis.group_of).tolist() == [9, *[10] * (BINS - 2), 11]
    assert (by_size(np.zeros(7)).names, by_size(np.full(7, 2.5e6)).names) == (["0"], ["2.5e+06"])
    assert by_size(np.array([0.0, 0.0, 0.0, 5.0])).group_of.tolist() == [0, 0, 0, 1]


def test_each_property_of_a_request_by_hand() -> None:
    """From sector 0, and then from the last of the one before: on 0 to 19 and 20 to 39 of cylinder 0, and from 40 on 1.

    The second begins where the end of the first track of its cylinder passes, a sector later.
    """
    spans = [Span(512 * first, 512 * sectors) for first, sectors in ((30, 10), (0, 4), (40, 20), (19, 1))]
    axes = budget(DISC, TimedRequests([READ, WRITE, READ, READ], spans, np.array([1, 2, 3, 4]) * MS, np.ones(4))).axes
    told = {name: [axis.names[number] for number in axis.group_of] for name, axis in axes.items()}
    assert told["seek distance, cylinders"] == ["0", "0", "1", "1"]
    assert told["rotational distance, turns"] == ["0.500", "0.050", "0.850", "0.000"]
    assert told["size, sectors"] == ["10", "4", "20", "1"]
    assert told["arm moves"] == ["not", "not", "in", "out"]
    assert told["head"] == ["other", "other", "same", "same"]
    assert told["after"] == ["read after read", "write after read", "read after write", "read after read"]
    assert told["pause before, ms"] == ["1", "2", "3", "4"]
    assert told["zone"] == [" 1"] * 4


def test_a_model_that_is_the_drive_has_no_error() -> None:
    one = budget(DISC, asked(DISC))
    assert not one.errors.any()
    assert {name: each.demerit for name, each in one.asked.distances(one.modelled.times).items()} == {
        "all": 0.0, "reads": 0.0, "writes": 0.0}  # fmt: skip


def test_every_number_of_a_page_by_hand() -> None:
    """Of 38, the sum of the squares, the means of reads and writes, 2 and -2, explain 8 times 4, and the mean 2.

    The second write goes back a sector, and so waits otherwise than the rest: it explains 1, and the rest 5 * 5 / 7.
    """
    ops, spans = [READ] * 5 + [WRITE] * 3, [Span(512 * first, 512) for first in (0, 1, 2, 3, 4, 4, 5, 6)]
    requests, errors = TimedRequests(ops, spans, np.zeros(8), np.zeros(8)), np.array([1, 3, 1, 3, 2, -1, -2, -3]) * MS
    times = answer_times(mechanism_of(DISC), requests)
    one = budget(DISC, replace(requests, measured=times - errors), times - errors - 0.5 * MS)
    lines = one_drive_page(one)
    assert lines[:6] == [
        "Small", "8 requests, rms error 2.179 ms", "", "part of the mean square error that is explained by",
        "phase rotation                     12.0%  ####", "phase overhead                      5.3%  ##"]  # fmt: skip
    assert lines[9] == "buffer                             84.2%  ##############################"
    assert lines[17:25] == [
        "", "8 requests are too few to tell by after: 4 for each group are needed", "",
        "after                            requests  mean, ms   median      rms",
        "read after read                         5    +2.000   +2.000    2.191",
        "write after read                        1    -1.000   -1.000    1.000",
        "write after write                       2    -2.500   -2.500    2.550", ""]  # fmt: skip
    found = numbers(one)
    assert (found["requests"], list(found["predicted"])) == (8, ["all", "reads", "writes", "rms_ms"])
    assert found["predicted"]["rms_ms"] == pytest.approx((38 / 8) ** 0.5)
    assert found["DiskSim"]["writes"] == pytest.approx({"demerit_ms": 0.5, "median_difference_ms": 0.5,
                                                        "demerit_percent": 100 * 0.5 / 12.3333}, rel=1e-4)
    assert found["groups"]["buffer"][1] == pytest.approx({"group": "write", "requests": 3, "mean_ms": -2.0,
                                                          "median_ms": -2.0, "rms_ms": (14 / 3) ** 0.5})
    every = all_drives_page({"D" * 17: one, "D" * 13 + "56789": one})
    assert every[1] == f"{'D' * 17}  20.90  5.03 25.78  5.88 17.52  4.05  2.000 0.500 rotation 12%"
    assert every[2:4] == [f"...{'D' * 9}56789 {every[1][18:]}", ""]


def test_a_group_without_requests_explains_nothing() -> None:
    axis = Axis(["none", "some"], np.array([1, 1]))
    assert axis.share(np.array([1.0, 3.0])) == pytest.approx(0.8)


def test_what_the_buffer_did_is_told_of_each_request() -> None:
    """A read is a miss; what was read ahead after it comes late, and all of it once it has passed."""
    buffered = replace(DISC, buffer=Buffer(1, 64, read_ahead=BlocksAhead(20)))
    requests = TimedRequests([READ, READ, READ, WRITE], [Span(512 * first, 512) for first in (0, 1, 2, 9)],
                             np.array([0.0, 0.0, 20 * MS, 0.0]), np.ones(4))  # fmt: skip
    told = budget(buffered, requests).axes["buffer"]
    assert [told.names[number] for number in told.group_of] == ["read miss", "read late hit", "read hit", "write"]


def test_writes_that_settle_longer_are_told_by_the_op_and_not_by_the_zone() -> None:
    real = replace(DISC, write_settle=3 * MS)
    one = budget(DISC, asked(real))
    shares = one.shares()
    assert shares["after"] > 2 * shares["zone"]
    found = numbers(one)["predicted"]
    assert found["reads"]["demerit_percent"] < found["writes"]["demerit_percent"]


def test_a_lost_angle_is_told_by_the_rotation() -> None:
    """Two draws of a lottery: of the square of their difference each tells a half."""
    one = budget(replace(DISC, layout=uniform(100, 2, 20, 512, track_skew=7)), asked(DISC, 2000))
    phase, share = next(iter(one.phases().items()))
    assert phase == "rotation"
    assert 0.4 < share < 0.6


def test_tables_fit_a_screen() -> None:
    one = budget(DISC, asked(replace(DISC, overhead=2 * MS)))
    lines = one_drive_page(one) + all_drives_page({"A_DRIVE_OF_A_VERY_LONG_NAME": one})
    assert max(map(len, "\n".join(lines).splitlines())) <= 87
    assert any(line.startswith("...") and "rotation" in line for line in lines)
    assert not any(line.endswith(" ") for line in lines)


def test_each_way_to_part_the_errors_is_drawn_in_a_panel() -> None:
    one = budget(DISC, asked(replace(DISC, write_settle=3 * MS)))
    figure = error_picture(one)
    panels = {ax.get_title("left"): ax for ax in figure.axes if ax.get_title("left")}
    assert list(panels) == [f"{name}: {share:.0%}" for name, share in one.shares().items()]
    medians, means = (line.get_ydata() for line in panels[f"after: {one.shares()['after']:.0%}"].get_lines()[1:])
    groups = [one.errors[one.axes["after"].group_of == number] / MS for number in range(len(medians))]
    assert list(medians) == pytest.approx([np.median(group) for group in groups])
    assert list(means) == pytest.approx([np.mean(group) for group in groups])
    assert svg(figure)
