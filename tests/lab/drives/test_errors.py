"""Errors of a model of a drive parted into groups: by hand, and where the answer is known because it was put in."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from spindle.lab.drives.errors import BINS, all_drives_page, budget, by_name, by_size, numbers, one_drive_page
from spindle.lab.drives.picture import error_picture
from spindle.lab.drives.timed_requests import TimedRequests, answer_times
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
    assert by_size(np.zeros(7)).names == ["0"]
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
