"""Tests a run of the serving engine: its default arguments, its requests to the engine, and its numbers by hand."""

import inspect
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.ask import sweep
from spindle.models.kv_cache.parameters import KvParameters
from spindle.models.kv_cache.run import MAX_PROMPTS, KvOptions, ServerOptions, TierRooms, _extras, run
from spindle.sim.clock import Phase
from spindle.sim.disc.flash.sheets import SAMSUNG_960_PRO
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.sim.units import DAY, GIB, MIB, Bytes
from spindle.traces.curve.tiers import Inclusion
from spindle.traces.kv.hardware import ACCELERATORS, LANGUAGE_MODELS
from spindle.traces.kv.plan import DRAM_LATENCY, KvDrives, Linked, LoadCheaper, cache_room
from tests.models.engine_calls import defaults, engine_calls

RUNS: Any = inspect.getmodule(run)


def test_arguments_that_are_not_given() -> None:
    assert defaults(run) == {
        "model": "llama-3.1-8b", "gpu": "h100", "gpus": 1, "instances": 1, "arrivals": 0.85, "hbm": 0,
        "dram": 64 * GIB, "nvme": 400 * GIB, "object_store": 0, "drives": 1, "inclusion": "exclusive",
        "loading": "always", "layered": False, "minutes": 10.0, "warm_up": 5.0, "seed": 1, "choices": None,
        "keep_rows": True, "interval": None, "watch": None}  # fmt: skip


def test_a_model_of_a_file_is_served_and_a_store_knows_its_text(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    table = "[model.mine]\nparameters = 1e9\nlayers = {}\nwidth = 1024\nkv_heads = 4\nhead = 64\nsource = 'me'\n"

    def mean(store: str) -> float:
        rows = sweep("kv_cache", model=[str(mine)], minutes=0.1, warm_up=0.1, arrivals=2.0, seeds=1, workers=1,
                     progress=False, store=str(tmp_path / store))  # fmt: skip
        return float(rows["response_mean"][0])

    mine.write_text(table.format(8))
    assert mean("one") == mean("one")
    before = mean("one")
    mine.write_text(table.format(80))
    with pytest.raises(UserError, match="is no store of"):
        mean("one")
    assert mean("two") > before
    with pytest.raises(UserError, match=r"a file of your own ends in \.toml"):
        run(model="nosuch")


def test_instances_are_never_busier_than_always() -> None:
    """Prompts that began in the warm-up, or are under way at the end, count for their part within the window."""
    for given in ({"minutes": 1, "seed": 55, "drives": 4}, {"minutes": 2, "seed": 13, "dram": Bytes(0)}):
        busy = run(warm_up=0.2, arrivals=5.0, **given).extras["instances_busy"]  # type: ignore[arg-type]
        assert busy == pytest.approx(1.0)
        assert busy <= 1.0 + 1e-12
    early = run(minutes=0.05, warm_up=0.01, arrivals=0.5, prefill_rate=100.0, seed=2).extras["instances_busy"]
    assert 0.0 < early < 1.0, "the only prompt is under way at the end"


def plans(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the list to which the plan of each run is added, with its trace."""
    made: list[Any] = []
    measure = RUNS._measure

    def noted(plan: Any, trace: Any, *given: Any) -> Any:
        made.append((plan, trace))
        return measure(plan, trace, *given)

    monkeypatch.setattr(RUNS, "_measure", noted)
    return made


def test_a_plan_is_as_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made, calls = plans(monkeypatch), engine_calls(monkeypatch)

    def watch(share: float, *_: object) -> None:
        """Do nothing."""

    asked = {"model": "mistral-7b", "gpu": "h200", "gpus": 2, "instances": 3, "arrivals": 2.0, "hbm": Bytes(GIB),
             "dram": Bytes(2 * GIB), "nvme": Bytes(3 * GIB), "object_store": Bytes(4 * GIB), "drives": 2,
             "inclusion": "inclusive", "loading": "cheaper", "layered": True, "prefill_rate": 5000.0,
             "object_rate": 1e9}  # fmt: skip
    of = run(**asked, minutes=0.1, warm_up=0.05, seed="mine", keep_rows=False, interval=2.0, watch=watch)  # type: ignore[arg-type]
    ((plan, trace),), (call,) = made, calls
    assert (plan.model, plan.accelerator) == (LANGUAGE_MODELS["mistral-7b"], ACCELERATORS["h200"])
    assert (plan.accelerators, plan.instances, plan.layered) == (2, 3, True)
    assert (plan.inclusion, plan.loading, plan.prefill.prefill_rate) == (Inclusion.INCLUSIVE, LoadCheaper(), 5000.0)
    assert [(tier.name, tier.size) for tier in plan.tiers] == [
        ("hbm", GIB), ("dram", 2 * GIB), ("nvme", 3 * GIB), ("object", 4 * GIB)]  # fmt: skip
    assert plan.tiers[2].count == 2
    window = call["window"]
    assert (window.start, window.end, window.interval) == pytest.approx((3.0, 9.0, 2.0))
    assert (call["seed"], call["watch"], call["keep_rows"]) == ("mine", watch, False)
    assert list(call["machine"].parts) == ["serving", "hbm", "dram", "nvme", "object"]
    assert (of.system, of.parameters) == ("kv_cache", asked)
    other = plan.prefill.conversations().trace(2.0, window.end, "mine")
    assert [prompt.time for prompt in trace.prompts] == [prompt.time for prompt in other.prompts]


def test_the_accelerators_memory_is_what_the_weights_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    made = plans(monkeypatch)
    of = run(dram=Bytes(0), nvme=Bytes(0), minutes=0.05, warm_up=0.0, gpus=2, instances=2)
    ((plan, _),) = made
    room = cache_room(LANGUAGE_MODELS["llama-3.1-8b"], ACCELERATORS["h100"], 2, 2, plan.prefill)
    assert [(tier.name, tier.size) for tier in plan.tiers] == [("hbm", room)]
    assert of.parameters["hbm"] == room


def rooms(*sizes: int, drives: int = 1) -> TierRooms:
    return TierRooms(*map(Bytes, sizes), drives=drives)


def test_tiers_have_their_speeds_and_policies() -> None:
    values = KvParameters(dram_rate=5e9, object_rate=1e9, object_latency=0.125)
    options = KvOptions(policy=Fifo, nvme_policy=Lru)
    hbm, dram, nvme, store = rooms(1, 2, 3, 4, drives=5).tiers(ServerOptions(gpus=6), values, options)
    assert isinstance(dram, Linked)
    assert isinstance(nvme, KvDrives)
    assert isinstance(store, Linked)
    assert (dram.rate, dram.latency, store.rate, store.latency) == (30e9, DRAM_LATENCY, 1e9, 0.125)
    assert (nvme.sheet, nvme.count) == (SAMSUNG_960_PRO, 5)
    assert [tier.policy for tier in (hbm, dram, nvme, store)] == [Fifo, Fifo, Lru, Fifo]
    (below,) = rooms(1, 0, 3, 0).tiers(ServerOptions(), values, KvOptions(nvme_policy=Fifo))[1:]
    assert below.policy is Fifo
    each = KvOptions(hbm_policy=Fifo, dram_policy=Fifo, object_policy=Fifo)
    assert [tier.policy for tier in rooms(1, 2, 3, 4).tiers(ServerOptions(), values, each)] == [Fifo, Fifo, Lru, Fifo]
    assert [tier.name for tier in rooms(1, 0, 0, 4).tiers(ServerOptions(), values, each)] == ["hbm", "object"]


def test_a_response_is_its_wait_its_load_and_its_computing() -> None:
    of = run(minutes=0.5, warm_up=0.0, arrivals=2.0, hbm=Bytes(64 * MIB), dram=Bytes(8 * GIB), nvme=Bytes(0),
             dram_rate=1e9, prefill_rate=5000.0)
    for row in of.recorder.rows:
        assert (row.terminal, row.name, row.ended) == ("service", "prompt", row.responded)
        assert row.responded - row.began == pytest.approx(sum(row.phases))
        assert {Phase(place).name for place, seconds in enumerate(row.phases) if seconds} <= {
            "CPU_WAIT", "TRANSFER", "CPU"}
    means = of.breakdown()
    assert min(means["cpu_wait"], means["transfer"], means["cpu"]) > 0.0


def test_numbers_by_hand() -> None:
    tiers = [SimpleNamespace(name="hbm"), KvDrives("nvme", 1, SAMSUNG_960_PRO, 4)]
    counters = {"serving.blocks": 200.0, "serving.tokens": 1000.0, "serving.hits_hbm": 50.0, "serving.hits_nvme": 30.0,
                "serving.recomputed": 250.0, "serving.busy": 30.0, "nvme.busy": 5.0, "nvme.bytes_read": 800.0,
                "nvme.bytes_written": 4e9}  # fmt: skip
    result, plan = SimpleNamespace(counters=counters, seconds=20.0), SimpleNamespace(tiers=tiers, instances=2)
    assert _extras(result, plan) == {  # type: ignore[arg-type]
        "hit_share": pytest.approx(0.4), "hit_share_hbm": 0.25, "hit_share_nvme": 0.15, "recomputed_share": 0.25,
        "recomputed_tokens": 250.0, "instances_busy": 0.75, "busiest_disc": 0.25, "bytes_rate": 40.0,
        "bytes_written": 4e9, "drive_writes_a_day": 4e9 / (4 * SAMSUNG_960_PRO.capacity) * DAY / 20.0}  # fmt: skip
    none = _extras(SimpleNamespace(counters=dict.fromkeys(counters, 0.0), seconds=1.0), plan)  # type: ignore[arg-type]
    assert set(none.values()) == {0.0}
    one = counters | {"serving.blocks": 1.0, "serving.tokens": 1.0, "serving.hits_hbm": 1.0, "serving.recomputed": 1.0}
    of = _extras(SimpleNamespace(counters=one, seconds=1.0), plan)  # type: ignore[arg-type]
    assert (of["hit_share_hbm"], of["recomputed_share"]) == (1.0, 1.0)
    assert DAY == 86_400.0


def test_prompts_have_a_limit() -> None:
    second = 1.0 / 60.0
    for arrivals in (-1.0, 0.0, MAX_PROMPTS + 1.0):
        with pytest.raises(UserError, match="arrivals must be positive"):
            run(arrivals=arrivals, minutes=second, warm_up=0.0)
    with pytest.raises(UserError, match="instances must be from 1"):  # what is looked at next
        run(arrivals=float(MAX_PROMPTS), minutes=second, warm_up=0.0, instances=0, nvme=Bytes(0))
    with pytest.raises(UserError, match="instances must be from 1"):
        run(arrivals=0.5, minutes=second, warm_up=0.0, instances=0, nvme=Bytes(0))
