"""Tests the parts of ``spindle kv`` by hand: sizes, rates, prices, options, the search of sizes, the cheapest run."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.cli import kv_question, kv_runs
from spindle.cli.main import main
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.traces.kv.plan import BITS_100, DRAM_LATENCY, PCIE_5, KvDrives, KvPlan, Linked
from spindle.traces.kv.routing import PrefixRouter, RoundRobin
from spindle.workloads.prompts import Prompt


def test_rates_are_bytes_a_second_or_the_usual() -> None:
    assert [kv_runs._rate("--dram-rate", text, 7.0) for text in ("", "2GB/s", "512")] == [7.0, 2e9, 512]
    for text in ("fast", "0", "2s"):
        with pytest.raises(UserError, match=f"--dram-rate takes positive numbers.* not '{text}'"):
            kv_runs._rate("--dram-rate", text, 7.0)


def test_what_is_wanted_is_a_measure_and_a_time() -> None:
    assert kv_runs.kv_want("p95=500ms") == ("p95", 0.5)
    assert kv_runs.kv_want("mean=2") == ("mean", 2.0)
    assert kv_runs.kv_want("p95 <= 500ms") == kv_runs.kv_want("p95<500ms") == ("p95", 0.5)
    for text, says in (("p95", "--want takes MEASURE=TIME"), ("p90=1s", "--want takes MEASURE=TIME"),
                       ("p95=soon", "--want takes positive numbers.* not 'soon'"),
                       ("p95=0", "--want takes positive numbers.* not '0'")):
        with pytest.raises(UserError, match=says):
            kv_runs.kv_want(text)


def test_prompts_are_read_as_the_options_say(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    entry = {"input_length": 33, "output_length": 1, "blocks": [1, 2, 3]}
    path.write_text("".join(f"{json.dumps({**entry, 'timestamp': at})}\n" for at in (0, 4, 9)))
    plain = kv_question.KvCommand(str(path), columns="hash_ids=blocks", block_tokens=16)
    for asked, times in ((plain, [0.0, 0.004, 0.009]), (replace(plain, time_unit="s"), [0.0, 4.0, 9.0]),
                         (replace(plain, time_unit="s", speed=2.0), [0.0, 2.0, 4.5]),
                         (replace(plain, limit=2), [0.0, 0.004])):  # fmt: skip
        trace = asked.prompts()
        assert [prompt.time for prompt in trace.prompts] == pytest.approx(times)
        assert (trace.block_tokens, trace.prompts[0].blocks) == (16, (0, 1, 2))


def test_the_command_hands_on_its_options_and_spares_the_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.jsonl").touch()
    monkeypatch.setattr(kv_runs, "answer_kv", lambda asked, out: f"{asked.trace} for {asked.gpus} to {out}")
    assert main(["kv", "p.jsonl", "--gpus=3", "--out=o.csv"]) == main(["kv", "p.jsonl"]) == 0
    assert capsys.readouterr().out == "p.jsonl for 3 to o.csv\np.jsonl for 8 to None\n"
    assert main(["kv", "p.jsonl", "--out=p.jsonl"]) == 2
    assert capsys.readouterr().err == "spindle: --out would overwrite p.jsonl, which is to be read\n"
    assert main(["kv", "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: spindle kv [-h]")


def test_options_of_a_tier_need_it() -> None:
    assert kv_question.of_tier("nvme") == {"needs": ("nvme",), "because": "the tier nvme; {} gives its size"}


def test_a_tier_of_no_bytes_is_none() -> None:
    assert [tier.name for tier in plan({**POINT, "dram": "0"}).tiers] == ["hbm", "nvme"]
    assert [tier.name for tier in plan({**POINT, "nvme": "0G"}).tiers] == ["hbm", "dram"]


def tried(enough: int, text: str = "64M:1G") -> list[int]:
    """The megabytes that a search tries, where so many are enough."""
    sizes: list[int] = []
    kv_runs._search("dram", text, lambda size: sizes.append(int(size[:-1])) or sizes[-1] >= enough)
    return sizes


def test_a_range_of_sizes_is_halved_by_their_ratio() -> None:
    """The ends, the root of their product, and so on towards where it is enough, until two differ by little."""
    sizes = tried(300)
    assert sizes == [64, 1024, 256, 512, 362, 304, 278, 290]
    above, below = min(size for size in sizes if size >= 300), max(size for size in sizes if size < 300)
    assert above <= kv_runs.SEARCH_END_RATIO * below
    assert len(sizes) == len(set(sizes))


def test_nothing_is_searched_where_an_end_decides() -> None:
    assert tried(10) == [64]
    assert tried(5000) == [64, 1024]
    assert tried(21, "20M:21M") == [20, 21], "the larger is 1.05 times the smaller"
    assert tried(3, "2M:4M") == tried(4, "2M:4M") == [2, 4, 3], "nothing lies between two that follow each other"
    for text, said in (("1G:64M", "go up, not from 1G to 64M"), ("64M:64M", "go up"), ("1K:2M", "be a whole number")):
        with pytest.raises(UserError, match=f"--dram must {said}"):
            tried(10, text)


def result(p95: float, price: float = 0.0, *sizes: int) -> Any:
    tiers = [SimpleNamespace(size=size) for size in sizes]
    return SimpleNamespace(p95=p95, plan=SimpleNamespace(price=price, tiers=tiers))


@pytest.fixture(autouse=True)
def first_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kv_runs, "first_token", lambda result: {"p95": result.p95, "mean": 0.0})


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
    assert kv_runs._cheapest(results, POINTS, ["dram"], "p95", 0.5) == says


def test_of_one_run_this_is_named() -> None:
    says = kv_runs._cheapest([result(0.25, 0.0, 1)], [{}], [], "p95", 0.5)
    assert says == "the least with a p95 of 0.5 s: this, 0.25 s"


def test_the_text_of_one_run_is_its_page_and_that_of_several_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kv_runs, "page", lambda one: [f"page of {one.p95}"])
    monkeypatch.setattr(kv_runs, "table", lambda results, varied, words: [f"{len(results)} of {varied}: {words}"])
    several = [result(0.5, 0.0, 1), result(0.25, 0.0, 2)]
    assert kv_runs.kv_lines(several[:1], [{}], [], None) == ["page of 0.5"]
    assert kv_runs.kv_lines(several, POINTS[:2], ["dram"], ("p95", 0.3)) == [
        "", "2 of ['dram']: [['1G'], ['2G']]", "", "the least with a p95 of 0.3 s: dram 2G, 0.25 s"]


def test_runs_are_rows_with_their_times_in_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kv_runs, "MEASURES", ("mean", "p95"))
    monkeypatch.setattr(kv_runs, "name_of", lambda measure: f"response_{measure}")
    monkeypatch.setattr(kv_runs, "numbers", lambda result: {
        "hit_share": 0.5, "response_mean": 0.25, "response_p95": result.p95, "recomputed_tokens": 7, "price": 2.0})
    points = [{"policy": "lru", "dram": "1G"}, {"policy": "lru-k(k=2,history=3)", "dram": "1G"}]
    assert kv_runs.kv_rows([result(1.5), result(2.5)], points, ["policy", "dram"]).splitlines() == [
        "policy,dram,hit_share,response_mean,response_p95,recomputed_tokens,price", "lru,1G,0.5,0.25,1.5,7,2.0",
        '"lru-k(k=2,history=3)",1G,0.5,0.25,2.5,7,2.0']


def test_what_cannot_be_is_refused_before_the_first_run() -> None:
    served: list[object] = []

    def plan(point: dict[str, str]) -> None:
        if point["dram"] == "2G":
            raise UserError("too much")

    make: Any = SimpleNamespace(plan=plan, serve=lambda point, trace: served.append(point))
    with pytest.raises(UserError, match="too much"):
        kv_runs.kv_run(make, POINTS, None, None)  # type: ignore[arg-type]
    assert served == []


def test_a_drive_of_a_tier_is_flash() -> None:
    with pytest.raises(UserError, match=r"^--drive: 'hp7933' is a disc, and the tier nvme is of flash drives$"):
        kv_runs._flash("hp7933")


def test_points_are_all_combinations_and_have_a_most(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = dict.fromkeys(kv_question.AXES, "")
    asked: Any = SimpleNamespace(**{**axes, "dram": "1G,2G", "policy": "lru,lru-k(k=2,history=3)"})
    assert kv_runs.kv_points(asked) == [{"dram": dram, "policy": policy} for dram in ("1G", "2G")
                                 for policy in ("lru", "lru-k(k=2,history=3)")]  # fmt: skip
    monkeypatch.setattr(kv_runs, "MAX_RUNS", 4)
    assert len(kv_runs.kv_points(asked)) == 4
    monkeypatch.setattr(kv_runs, "MAX_RUNS", 3)
    with pytest.raises(UserError, match="4 runs are asked for, and 3 are the most"):
        kv_runs.kv_points(asked)


ASKED = {"model": "llama-3.1-8b", "gpu": "h100", "gpus": 2, "prefill": 0.0, "prices": "1,4,0.5", "hbm_policy": "",
         "dram_policy": "fifo", "nvme_policy": "", "object_policy": "", "drives": "2", "drive": "samsung960pro",
         "dram_rate": "", "object_rate": "", "object_shared": "", "object_latency": "5ms", "layered": True}  # fmt: skip
POINT = {"instances": "3", "hbm": "2GB", "dram": "4GB", "nvme": "40GB", "policy": "lru", "drives": "2",
         "inclusion": "inclusive", "loading": "cheaper", "dram_policy": "fifo"}  # fmt: skip


def plan(point: dict[str, str], **changed: Any) -> KvPlan:
    return kv_runs.KvPlans(SimpleNamespace(**{**ASKED, **changed})).plan(point)  # type: ignore[arg-type]


def test_a_plan_has_the_tiers_of_a_point_with_their_prices_and_policies() -> None:
    made = plan(POINT)
    assert [(tier.name, tier.size, tier.price, tier.policy) for tier in made.tiers] == [
        ("hbm", 2 * 10**9, pytest.approx(2.0), Lru), ("dram", 4 * 10**9, pytest.approx(16.0), Fifo),
        ("nvme", 40 * 10**9, pytest.approx(20.0), Lru)]  # fmt: skip
    _, dram, nvme = made.tiers
    assert isinstance(dram, Linked)
    assert isinstance(nvme, KvDrives)
    assert (dram.rate, dram.latency, nvme.count) == (2 * PCIE_5, DRAM_LATENCY, 2)
    assert (made.instances, made.accelerators, made.layered, made.inclusion.value) == (3, 2, True, "inclusive")
    assert made.price == pytest.approx(38.0)


def test_a_tier_that_is_absent_has_no_price() -> None:
    without = {name: text for name, text in POINT.items() if name not in ("dram", "hbm")}
    made = plan(without, prices="1,0.5")
    assert [(tier.name, tier.price) for tier in made.tiers[1:]] == [("nvme", pytest.approx(20.0))]
    assert made.tiers[0].price == pytest.approx(made.tiers[0].size / 1e9)
    assert [tier.price for tier in plan(POINT, prices="").tiers] == [0.0, 0.0, 0.0]
    with pytest.raises(UserError, match="--prices names 3 prices for 2 tiers"):
        plan(without)


@pytest.mark.parametrize(("option", "text", "says"), [
    ("instances", "4097", "--instances must be a whole number from 1 to 4096, not 4097"),
    ("nodes", "4097", "--nodes must be a whole number from 1 to 4096, not 4097"),
    ("drives", "1025", "--drives must be a whole number from 1 to 1024, not 1025"),
    ("inclusion", "x", "unknown inclusion 'x'"), ("loading", "x", "unknown loading 'x'"),
    ("routing", "x", "unknown routing 'x'"), ("dram", "x", "--dram must be bytes"),
    ("policy", "x", "unknown policy 'x'"), ("dram_policy", "x", "unknown policy 'x'"),
])  # fmt: skip
def test_a_value_that_no_run_can_have_is_refused_by_its_option(option: str, text: str, says: str) -> None:
    make = kv_runs.KvPlans(SimpleNamespace(**ASKED))  # type: ignore[arg-type]
    point = {**POINT, "nodes": "1", "routing": "prefix", option: text}
    with pytest.raises(UserError, match=says):
        make.serve(point, None)  # type: ignore[arg-type]


def test_each_number_of_drives_in_a_list_may_be() -> None:
    assert len(plan(POINT, drives="1,2,1024").tiers) == 3
    with pytest.raises(UserError, match="--drives must be a whole number from 1 to 1024, not 1025"):
        plan(POINT, drives="1,1025")


@pytest.mark.parametrize(("routing", "router"), [("prefix", PrefixRouter), ("round-robin", RoundRobin)])
def test_prompts_are_served_on_the_nodes_of_a_point(
    routing: str, router: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kv_runs, "serve_on_nodes", lambda *told: told)
    make = kv_runs.KvPlans(SimpleNamespace(**{**ASKED, "prefill": 7e3}))  # type: ignore[arg-type]
    made, trace, nodes, sent = make.serve({**POINT, "nodes": "4", "routing": routing}, "prompts")  # type: ignore
    assert (trace, nodes, type(sent), made.prefill.prefill_rate) == ("prompts", 4, router, 7e3)
    assert {sent.node_of(Prompt(0.0, 100, 1, (first,))) for first in range(9)} == {0, 1, 2, 3}


def test_a_store_may_be_shared_and_a_tier_takes_what_is_left() -> None:
    far = {name: text for name, text in POINT.items() if name not in ("hbm", "dram", "nvme")} | {"object": "8TB"}
    made = plan(far, prices="", object_shared="3GB/s", dram_rate="")
    hbm, store = made.tiers
    assert isinstance(store, Linked)
    dram = plan({**POINT, "dram": "1GB"}, object_shared="3GB/s").tiers[1]
    unshared = plan(far, prices="").tiers[1]
    assert [each.shared_rate for each in (dram, unshared) if isinstance(each, Linked)] == [0.0, 0.0]
    assert (store.shared_rate, hbm.size) == (3e9, plan({**far, "hbm": "0"}, prices="").tiers[0].size)
    assert hbm.size == pytest.approx(3 * (0.9 * 2 * 80e9 - 16.06e9), rel=1e-3)  # thrice two of 80 GB, less the weights


def test_an_object_store_has_its_own_rate_and_latency() -> None:
    far = {name: text for name, text in POINT.items() if name not in ("dram", "nvme")} | {"object": "8TB"}
    for text, rate in (("", BITS_100), ("2GB/s", 2e9)):
        store = plan(far, prices="", object_rate=text).tiers[1]
        assert isinstance(store, Linked)
        assert (store.name, store.size, store.rate, store.latency) == ("object", 8 * 10**12, rate, 0.005)


def test_a_search_is_for_the_measure_that_is_wanted() -> None:
    """Sizes in megabytes are served in milliseconds of the 95th percentile; the mean would always be short enough."""
    make: Any = SimpleNamespace(plan=lambda point: None, serve=lambda point, trace: SimpleNamespace(
        p95=2000 - int(point["dram"][:-1])))  # fmt: skip
    points, results = kv_runs.kv_run(make, [{"dram": "8M:1G", "policy": "lru"}, {"dram": "7M"}], None, ("p95", 1500))  # type: ignore[arg-type]
    sizes = [int(point["dram"][:-1]) for point in points]
    assert (sizes[0], sizes[1], sizes[-1]) == (7, 8, 1024)
    assert sizes[1:] == sorted({*sizes[1:]})
    assert min(size for size in sizes if size >= 500) <= kv_runs.SEARCH_END_RATIO * 500
    assert [result.p95 for result in results] == [2000 - size for size in sizes]
    points, _ = kv_runs.kv_run(make, [{"dram": "8M:20M"}], None, ("p95", 1980))  # type: ignore[arg-type]
    assert len(points) > 2, "20 are just enough"
    with pytest.raises(UserError, match="a range of sizes is searched for what --want says"):
        kv_runs.kv_run(make, [{"dram": "64M:1G"}], None, None)  # type: ignore[arg-type]
