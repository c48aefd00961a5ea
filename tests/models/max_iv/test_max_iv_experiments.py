"""Max-IV's experiments, as short as they go: each gives a table, a picture and a sentence."""

import pytest

from models.max_iv.experiments import EXPERIMENTS, day, what_ifs
from sim.study.system import Effort

QUICK = Effort(2, 0.4, 0.2, 1, False)
CHEAP = ("hash_queue_lengths", "tracks_in_cache", "service_time_distribution", "interleaved_readers")
BY_NAME = {experiment.name: experiment for experiment in EXPERIMENTS}


def test_names_are_used_once_and_say_what_they_show() -> None:
    assert len(BY_NAME) == len(EXPERIMENTS)
    assert all(experiment.shows.endswith(".") for experiment in EXPERIMENTS)


@pytest.mark.parametrize("name", CHEAP)
def test_an_experiment_draws_what_it_found_and_remarks_on_it(name: str) -> None:
    experiment = BY_NAME[name]
    frame = experiment.run(QUICK)
    assert len(frame) > 1
    assert experiment.draw(frame).get_title(loc="left")
    assert len(experiment.remark(frame)) > 20


def test_a_histogram_counts_what_lies_between_its_edges() -> None:
    frame = day.histogram([1.0, 1.5, 2.5, 3.5], [0.0, 2.0, 4.0, 6.0])
    assert frame.to_dict("list") == {"at": [1.0, 3.0, 5.0], "count": [2, 2, 0], "share": [0.5, 0.5, 0.0]}


def test_the_sizes_of_the_what_ifs_go_where_jacobson_did_not_look() -> None:
    assert set(range(256, 513, 16)) <= set(what_ifs.SIZES)
    hits = what_ifs.sizes_of("main load", 1.0, 0.3)
    assert 0.0 < hits["hits_64"] < hits["hits_256"] <= hits["hits_512"] < 1.0
