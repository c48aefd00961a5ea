"""Numbers of an answer in seconds and shares, whatever its page shows."""

from typing import Any

import pytest

from spindle.output.base_units import in_base_units


@pytest.mark.parametrize(("name", "value", "instead", "found"), [
    ("mean_ms", 1500, "mean", 1.5), ("cpu_us", 2.5, "cpu", 2.5e-6), ("demerit_percent", 25, "demerit_share", 0.25),
    ("p99.9_ms", 2.0, "p999", 2e-3), ("p99.99_us", None, "p9999", None), ("size_kb", 3, "size_kb", 3),
    ("mean_ms", "1.5", "mean_ms", "1.5"), ("ms", 4, "ms", 4), ("p99.9", 5.0, "p99.9", 5.0),
])  # fmt: skip
def test_a_number_by_its_name(name: str, value: Any, instead: str, found: Any) -> None:
    (only,) = in_base_units({name: value}).items()
    assert only == (instead, found if not isinstance(found, float) else pytest.approx(found))


def test_numbers_within_others() -> None:
    data = {"a": {"mean_ms": 1.0}, "list_ms": [{"b_us": 1}, 7], "pair": ({"c_percent": 50.0}, "x_ms")}
    assert in_base_units(data) == {"a": {"mean": 1e-3}, "list_ms": [{"b": 1e-6}, 7], "pair": [{"c_share": 0.5}, "x_ms"]}
    assert in_base_units(3.0) == 3.0
