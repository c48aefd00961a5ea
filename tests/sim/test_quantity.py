"""Tests numbers with units, printed and read, and that every printed number can be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.quantity import amount, common_unit, quantity, show, unit_of


@pytest.mark.parametrize(("value", "unit", "text"), [
    (0.0043, "s", "4.3 ms"), (0.5, "s", "0.5 s"), (90.0, "s", "90 s"), (0.0, "s", "0 s"), (5.36e-6, "s", "5.36 µs"),
    (2e-9, "s/byte", "2 ns/byte"), (0.0012, "s at 1.0 MIPS", "1.2 ms at 1.0 MIPS"), (20.0, "min", "20 min"),
    (6291456, "bytes", "6 MiB"), (1000, "bytes", "1 KB"), (7.238e6, "bytes", "7.238 MB"), (9.7, "bytes", "9.7 B"),
    (0, "bytes", "0 B"), (1536 * 1024, "bytes", "1536 KiB"), (2.5e8, "bytes/s", "250 MB/s"),
    (512, "sectors", "512 sectors"),
    (0.25, "1", "0.25"), (10485761, "1", "10485761"), (3.25, "1/s", "3.25/s"), (25071.2, "1/s", "25070/s"),
    (2.5071e10, "1/s", "2.507e+10/s"), (float("nan"), "s", "nan"),
    (1e-12, "s", "0.001 ns"), (1e-10, "s", "0.1 ns"), (0.1, "s", "0.1 s"), (1e-4, "s", "0.1 ms"),
    (12345.0, "1", "12340"), (1e9, "1", "1e+09"), (999999999.0, "1/s", "1000000000/s"),
    (-1.11e-16, "s", "0 s"), (-2e-12, "s", "-0.002 ns"), (5e-13, "s/byte", "0.0005 ns/byte"),
])  # fmt: skip
def test_a_number_is_shown_with_its_unit(value: float, unit: str, text: str) -> None:
    assert quantity(value, unit) == text


@pytest.mark.parametrize(("value", "text"), [
    (3 << 20, "3 MiB"), (1.5 * 2**20, "1536 KiB"), (2**20 + 1.0, "1 MiB"), (1500.0, "1.465 KiB"), (1000.0, "1000 B"),
    (1023.0, "1023 B"), (1.5, "1.5 B"), (0.5, "0.5 B"), (0.0, "0 B"),
])  # fmt: skip
def test_bytes_may_all_be_in_binary_units(value: float, text: str) -> None:
    assert quantity(value, "bytes", binary=True) == text


@pytest.mark.parametrize(("measure", "value", "text"), [
    ("responses", 1234567, "1234567"), ("responses", 1234567.0, "1234567"), ("responses", -1234567.0, "-1234567"),
    ("responses", 999999999999999.0, "999999999999999"), ("responses", 1234567890123456.0, "1.235e+15"),
    ("hit_ratio", 0.123456, "0.1235"), ("responses", 1e15, "1e+15"),
    ("throughput", 12345.678, "12350/s"), ("response_p95", 0.0123456, "12.35 ms"), ("memory_used", 1500, "1.5 KB"),
])  # fmt: skip
def test_a_count_is_shown_with_all_its_digits_and_other_measures_with_four(
    measure: str, value: float, text: str
) -> None:
    assert show(measure, value) == text


def test_a_measure_is_shown_with_digits_and_in_the_unit_of_its_column() -> None:
    assert show("response_p95", 0.0123456, 2) == "12 ms"
    assert show("response_p95", 0.0123456, shown_in="s") == "0.01235 s"


@pytest.mark.parametrize(("values", "unit", "shown", "texts"), [
    ([0.1361e-3, 81.51e-6], "s", "ms", ["0.1361 ms", "0.08151 ms"]),
    ([0.242, 0.0043], "s", "s", ["0.242 s", "0.0043 s"]),
    ([0.0, 2e-6, float("nan")], "s", "µs", ["0 µs", "2 µs", "nan"]),
    ([1e-4, 1e-4], "s", "ms", ["0.1 ms", "0.1 ms"]), ([1e-12, 2e-12], "s", "ns", ["0.001 ns", "0.002 ns"]),
    ([0.25, 0.5], "bytes", "B", ["0.25 B", "0.5 B"]),
    ([0.0, 0.0], "s", "", ["0 s", "0 s"]), ([3e9, 2e6, 5e6], "bytes/s", "MB", ["3000 MB/s", "2 MB/s", "5 MB/s"]),
    ([4096, 1 << 20, 3 << 20], "bytes", "MiB", ["0.003906 MiB", "1 MiB", "3 MiB"]), ([0.5, 3.0], "1", "", ["0.5", "3"]),
])  # fmt: skip
def test_a_column_has_one_unit(values: list[float], unit: str, shown: str, texts: list[str]) -> None:
    assert common_unit(values, unit) == shown
    assert [quantity(value, unit, shown_in=shown) for value in map(float, values)] == texts


@pytest.mark.parametrize(("text", "unit", "value"), [
    ("5", "s", 5.0), ("5s", "s", 5.0), ("40ms", "s", 0.04), ("2min", "s", 120.0), ("3us", "s", 3e-6),
    ("1.5 h", "s", 5400.0),
    ("4.3ms", "s at 1.0 MIPS", 0.0043), ("90s", "min", 1.5), ("2h", "min", 120.0), ("7", "min", 7.0),
    ("6MB", "bytes", 6_000_000), ("6MiB", "bytes", 6 << 20), ("6m", "bytes", 6 << 20), ("1.5K", "bytes", 1536),
    ("1.5B", "bytes", 1.5), ("8t", "bytes", 8 << 40), ("8TiB", "bytes", 8 << 40), ("8TB", "bytes", 8 * 10**12),
    ("1.5T", "bytes", 3 << 39),
    ("3ns/byte", "s/byte", 3e-9), ("100MB/s", "bytes/s", 1e8), ("512sectors", "sectors", 512.0), ("1e3", "1", 1000.0),
])  # fmt: skip
def test_a_number_may_be_written_with_a_unit_of_its_kind(text: str, unit: str, value: float) -> None:
    assert amount(text, unit) == value


@pytest.mark.parametrize(("text", "unit"), [
    ("", "s"), ("s", "s"), ("5MB", "s"), ("5s", "bytes"), ("5s", "1"), ("4Q", "bytes"),
    ("1 000", "1"), ("5 1", "1"), ("8 Kb", "bytes"), ("8kbit", "bytes"), ("8 Mbps", "bytes"), ("8Gb/s", "bytes/s"),
    ("--5", "s"), ("1e9999", "s"), ("5 s at 2.0 MIPS", "s at 1.0 MIPS"), ("0x10", "bytes"), ("nan", "s"),
])  # fmt: skip
def test_what_is_none_is_none(text: str, unit: str) -> None:
    assert amount(text, unit) is None


@given(st.floats(1e-8, 1e6), st.sampled_from(["s", "s/byte", "min", "sectors", "1"]))
def test_what_is_shown_is_read_again(value: float, unit: str) -> None:
    assert amount(quantity(value, unit, 17), unit) == pytest.approx(value, rel=1e-12)


@given(st.integers(0, 1 << 40))
def test_bytes_that_are_shown_are_read_again(value: int) -> None:
    assert amount(quantity(value, "bytes", 15), "bytes") == value


@pytest.mark.parametrize(("measure", "unit"), [
    ("response_p95", "s"), ("part_seek", "s"), ("demand_cpu", "s"), ("think", "s"), ("bytes_at_risk", "bytes"),
    ("domain_bytes", "bytes"), ("memory_used", "bytes"), ("disc_rate", "1/s"), ("throughput", "1/s"),
    ("responses", "1"),
    ("hit_ratio", "1"), ("chain_mean", "1"), ("response_ms", "ms"),
])  # fmt: skip
def test_a_measure_has_the_unit_of_its_name(measure: str, unit: str) -> None:
    assert unit_of(measure) == unit


def test_whole_bytes_are_whole_numbers_and_other_amounts_are_not() -> None:
    for text, unit, value in (("1.5K", "bytes", 1536), ("1.5", "bytes", 1.5), ("2s", "s", 2.0), ("3", "1", 3.0),
                              ("2KB/s", "bytes/s", 2000.0), ("8Gb", "sectors", None), ("5/s", "1/s", 5.0)):  # fmt: skip
        assert (amount(text, unit), type(amount(text, unit))) == (value, type(value))
