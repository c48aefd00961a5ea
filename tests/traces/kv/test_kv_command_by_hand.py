"""The parts of ``spindle kv`` by hand: sizes, rates, prices, what is wanted, a search of sizes, the cheapest run."""

from types import SimpleNamespace
from typing import Any

import pytest

from spindle.cli import kv
from spindle.sim.error import UserError


@pytest.mark.parametrize(("text", "size"), [
    ("512G", 512 << 30), ("8T", 8 << 40), ("8TiB", 8 << 40), ("8TB", 8 * 10**12), ("1.5T", 3 << 39), ("4096", 4096),
    ("2GB", 2 * 10**9), ("8t", 8 << 40),
])  # fmt: skip
def test_sizes_of_tiers(text: str, size: int) -> None:
    assert kv.tier_size("--dram", text) == size


@pytest.mark.parametrize("text", ["T", "0T", "-1T", "1TX"])
def test_no_size_of_a_tier(text: str) -> None:
    with pytest.raises(UserError, match="--dram must be"):
        kv.tier_size("--dram", text)


def test_rates_are_bytes_a_second_or_the_usual() -> None:
    assert [kv._rate("--dram-rate", text, 7.0) for text in ("", "2GB/s", "512")] == [7.0, 2e9, 512]
    for text in ("fast", "0", "2s"):
        with pytest.raises(UserError, match="--dram-rate takes positive numbers"):
            kv._rate("--dram-rate", text, 7.0)


def test_prices_may_be_nought_and_no_more_than_a_million_millions() -> None:
    assert (kv._price("0"), kv._price("2.5")) == (0.0, 2.5)
    for text in ("-1", "1e12", "nan"):
        with pytest.raises(UserError, match="--prices must be at least 0"):
            kv._price(text)


def test_what_is_wanted_is_a_measure_and_a_time() -> None:
    assert kv._want("p95=500ms") == ("p95", 0.5)
    assert kv._want("mean=2") == ("mean", 2.0)
    for text, says in (("p95", "--want takes MEASURE=TIME"), ("p90=1s", "--want takes MEASURE=TIME"),
                       ("p95=soon", "--want takes positive numbers"), ("p95=0", "--want takes positive numbers")):
        with pytest.raises(UserError, match=says):
            kv._want(text)


def tried(enough: int, text: str = "64M:1G") -> list[int]:
    """The megabytes that a search tries, where so many are enough."""
    sizes: list[int] = []
    kv._search("dram", text, lambda size: sizes.append(int(size[:-1])) or sizes[-1] >= enough)
    return sizes


def test_a_range_of_sizes_is_halved_by_their_ratio() -> None:
    """The ends, the root of their product, and so on towards where it is enough, until two differ by little."""
    sizes = tried(300)
    assert sizes[:4] == [64, 1024, 256, 512]
    above, below = min(size for size in sizes if size >= 300), max(size for size in sizes if size < 300)
    assert above <= kv.NEAR_SIZES * below
    assert len(sizes) == len(set(sizes))


def test_nothing_is_searched_where_an_end_decides() -> None:
    assert tried(10) == [64]
    assert tried(5000) == [64, 1024]
    for text in ("1G:64M", "64M:64M", "1K:2M"):
        with pytest.raises(UserError, match="--dram takes a range that goes up from 1M at least"):
            tried(10, text)


def result(p95: float, price: float = 0.0, *sizes: int) -> Any:
    tiers = [SimpleNamespace(size=size) for size in sizes]
    return SimpleNamespace(p95=p95, plan=SimpleNamespace(price=price, tiers=tiers))


@pytest.fixture(autouse=True)
def first_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kv, "first_token", lambda result: {"p95": result.p95, "mean": 0.0})


POINTS = [{"dram": "1G"}, {"dram": "2G"}, {"dram": "3G"}]


@pytest.mark.parametrize(("results", "says"), [
    ([result(0.5, 3.0, 1), result(0.5, 2.0, 9), result(0.4, 2.5, 1)], "the least with a p95 of 0.5 s: dram 2G, 0.5 s"),
    ([result(0.5, 0.0, 4, 4), result(0.5, 0.0, 9), result(0.4, 0.0, 7)],
     "the least with a p95 of 0.5 s: dram 3G, 0.4 s"),
    ([result(0.5, 0.0, 4), result(0.4, 0.0, 4), result(0.4, 0.0, 4)], "the least with a p95 of 0.5 s: dram 1G, 0.5 s"),
    ([result(0.6, 0.0, 1), result(0.5, 0.0, 9), result(0.7, 0.0, 1)], "the least with a p95 of 0.5 s: dram 2G, 0.5 s"),
    ([result(0.8), result(0.7), result(0.9)], "none has a p95 of 0.5 s; the best is 0.7 s"),
])  # fmt: skip
def test_the_cheapest_that_is_fast_enough_is_named(results: list[Any], says: str) -> None:
    assert kv._cheapest(results, POINTS, ["dram"], "p95", 0.5) == says


def test_of_one_run_this_is_named() -> None:
    assert kv._cheapest([result(0.25, 0.0, 1)], [{}], [], "p95", 0.5) == "the least with a p95 of 0.5 s: this, 0.25 s"


def test_points_are_all_combinations_and_have_a_most(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = dict.fromkeys(kv.AXES, "")
    asked: Any = SimpleNamespace(**{**axes, "dram": "1G,2G", "policy": "lru,lru-k(k=2,history=3)"})
    assert kv._points(asked) == [{"dram": dram, "policy": policy} for dram in ("1G", "2G")
                                 for policy in ("lru", "lru-k(k=2,history=3)")]  # fmt: skip
    monkeypatch.setattr(kv, "MAX_RUNS", 4)
    assert len(kv._points(asked)) == 4
    monkeypatch.setattr(kv, "MAX_RUNS", 3)
    with pytest.raises(UserError, match="4 runs are asked for, and 3 are the most"):
        kv._points(asked)
