"""Every number that a run of any system gives is defined once, with a label and a unit."""

from collections.abc import Mapping
from typing import Any

import pytest

from spindle.measures import _table, axis_label, find_measure, full_name, label_of, measure, names
from spindle.sim.clock import Phase
from spindle.sim.error import UserError
from spindle.systems import find_system, system_names

SHORTER: Mapping[str, Mapping[str, Any]] = {
    "buffer_pool": {"scale": 1, "minutes": 0.002, "warm_up": 0.001},
    "hp3000": {"terminals": 4, "minutes": 0.5, "warm_up": 0.0},
    "kv_cache": {"minutes": 0.5, "warm_up": 0.0},
    "max_iv": {"minutes": 0.5, "warm_up": 0.0},
    "ml_loader": {"steps": 10},
    "sata_ncq": {"requests": 200},
    "unix_stdio": {"program": "w03", "seconds": 0.2},
    "windows_nt": {"seconds": 4.0},
}
"""What makes a run short; a system that is not named here is run as it stands."""


@pytest.mark.parametrize("system", system_names())
def test_every_measure_of_a_run_is_defined(system: str) -> None:
    summary = find_system(system).run(**SHORTER.get(system, {}), seed=1).summary()
    assert [name for name in summary if find_measure(name) is None] == []
    assert {find_system(system).answers[0]} <= set(summary)


def test_every_phase_is_a_part() -> None:
    assert set(_table()["parts"]) == {phase.name.lower() for phase in Phase}


def test_definitions_are_sentences_and_labels_are_short() -> None:
    for name in names():
        found = find_measure(name.replace("*", "name"))
        assert found is not None
        assert found.says.endswith(".")
        assert found.says[0].isupper()
        assert len(found.label) <= 45, name


def test_axes_say_their_units() -> None:
    assert axis_label("response_mean", "s") == "mean response, s"
    assert axis_label("hit_ratio", "1") == axis_label("hit_ratio", "") == "hit ratio"
    assert (measure("p95").name, measure("throughput").unit) == ("response_p95", "1/s")
    assert label_of("read_p95") == "95th percentile of reads"
    assert label_of("part_seek") == "seeks of a response"
    assert label_of("fetch_random") == "fetch random"
    with pytest.raises(UserError, match="unknown measure"):
        measure("nothing_of_it")


@pytest.mark.parametrize(("text", "full"), [
    ("p95 <= 2", "response_p95 <= 2"), ("P99.9<=50ms", "response_p999<=50ms"), ("iops >= 100", "throughput >= 100"),
    ("hit_ratio >= 0.7", "hit_ratio >= 0.7"), ("mean", "response_mean"), ("", ""), ("p50 <= 2", "response_median <= 2"),
    ("write_p50 <= 2", "write_median <= 2"), ("bw >= 1", "bandwidth >= 1"), ("p500", "p500")])  # fmt: skip
def test_measures_have_short_names(text: str, full: str) -> None:
    assert full_name(text) == full
