"""Tests a serving engine under conversations: times by hand, present and absent tiers, and mistakes in one line."""

import pytest

from spindle.cli.main import main
from spindle.models.kv_cache.parameters import KvParameters
from spindle.models.kv_cache.run import KvOptions, run
from spindle.models.kv_cache.studies import CLAIM_BLOCKS, PREFILL_RATES, crossing_measures
from spindle.models.kv_cache.system import page
from spindle.sim.eviction.lru import Fifo
from spindle.sim.measure.result import Result
from spindle.sim.units import GIB, MIB, Bytes
from spindle.studies.study import SeedRows

NONE = Bytes(0)
SAME = {"first": 1024.0, "first_spread": 0.0, "adds": 169.0, "adds_spread": 0.0, "pause_spread": 0.0, "overhead": 0.0}
"""Parameters of conversations that are all alike: a first prompt of two blocks, and 343 + 169 tokens more a turn."""


def serve(**given: object) -> Result:
    return run(**{"arrivals": 0.1, "dram": NONE, "nvme": NONE, "minutes": 20.0, "warm_up": 0.0, "hbm": Bytes(4 * GIB),
                  "prefill_rate": 1000.0, **SAME, **given})  # type: ignore[arg-type]


def test_a_prompt_alone_computes_what_is_new() -> None:
    """Of 1,024 tokens the first block is common to all: 512 at 1,000 a second."""
    result = serve(again=0.0, arrivals=0.005)
    times = [row.responded - row.began for row in result.recorder.rows]
    assert times == pytest.approx([1.024, *[0.512] * (len(times) - 1)])
    assert result.extras["hit_share"] == pytest.approx((len(times) - 1) / (2 * len(times)))
    assert result.extras["recomputed_tokens"] == 0


def test_what_is_evicted_is_computed_again() -> None:
    """With room for two blocks no turn finds more than the common one, if that."""
    kept, lost = (serve(again=0.9, pause=1.0, hbm=Bytes(blocks * 64 * MIB), arrivals=0.02).extras
                  for blocks in (400, 2))  # fmt: skip
    assert kept["recomputed_share"] == 0.0
    assert lost["recomputed_share"] > 0.5
    assert lost["hit_share"] < 0.2 < kept["hit_share"]


def test_a_turn_loads_from_the_tier_below() -> None:
    """Blocks of 64 MiB over 1 GB/s, 67 ms each, while the accelerator has room for one alone."""
    result = serve(again=0.9, pause=30.0, arrivals=0.01, hbm=Bytes(64 * MIB), dram=Bytes(8 * GIB), dram_rate=1e9)
    loads = [row.phases[13] for row in result.recorder.rows]
    assert {round(load / 0.067108864 % 1.0, 3) % 1.0 for load in loads if load > 0.01} <= {0.0, 0.001}
    assert result.extras["hit_share_dram"] > result.extras["hit_share_hbm"]


def test_the_parts_add_up_and_a_seed_repeats() -> None:
    one, other, another = (run(minutes=0.5, warm_up=0.2, hbm=Bytes(GIB), dram=NONE, seed=seed) for seed in (1, 1, 2))
    assert one.summary() == other.summary() != another.summary()
    parts = one.breakdown()
    assert sum(parts.values()) == pytest.approx(one.response()["response_mean"])
    assert 0.0 < one.extras["busiest_disc"] <= 1.0
    assert "busiest_disc" not in serve(arrivals=0.01).extras


def test_a_tier_may_have_its_own_policy() -> None:
    hits = [serve(again=0.8, pause=5.0, hbm=Bytes(512 * MIB), choices=choices).extras["hit_share"]
            for choices in (KvOptions(), KvOptions(policy=Fifo), KvOptions(hbm_policy=Fifo))]  # fmt: skip
    assert hits[0] != hits[1] == hits[2]


def test_where_two_ways_cross() -> None:
    ways = {"compute": (8.0, 4.0, 2.0, 1.0, 0.5), "load": (4.0, 2.0, 1.5, 1.25, 1.2),
            "cheaper": (4.0, 2.0, 1.5, 1.0, 0.5)}  # fmt: skip
    rows = [{"way": way, "prefill_rate": rate, "response_mean": time} for way, times in ways.items()
            for rate, time in zip(PREFILL_RATES, times, strict=True)]  # fmt: skip
    found = crossing_measures(SeedRows(rows))
    assert found == {"crossing": 30_000.0, "slow_ratio": 0.5, "fast_ratio": 2.4, "cheaper_is_cheap": 1.0}


def test_the_load_is_as_long_as_the_trace() -> None:
    """12,035 tokens on the mean, and 20 s of 3.4 prompts a second; the blocks of a quarter of it are a quarter."""
    trace = KvParameters().conversations().trace(3.4, 3537.0, 1)
    assert sum(prompt.tokens for prompt in trace.prompts) / len(trace.prompts) == pytest.approx(12_035, rel=0.05)
    assert len(trace.prompts) == pytest.approx(12_031, rel=0.08)
    assert CLAIM_BLOCKS["KV-M10"] == 2500


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = "run kv_cache --nvme 100G --dram 0 --hbm 1G --minutes 0.3 --warm-up 0.1"
    assert main(words.split()) == 0
    shown = capsys.readouterr().out
    for said in ("llama-3.1-8b on 1 x 1 h100", "first tokens: mean", "hits", "nvme", "drive busy"):
        assert said in shown
    assert max(map(len, page(run(minutes=0.3, warm_up=0.1, hbm=Bytes(GIB))).splitlines())) <= 80


@pytest.mark.parametrize(("words", "says"), [
    ("--model gpt", "unknown model 'gpt'"),
    ("--gpu v100", "unknown accelerator 'v100'"),
    ("--loading never", "unknown loading 'never'"),
    ("--inclusion both", "unknown inclusion 'both'"),
    ("--arrivals 0", "arrivals must be positive"),
    ("--instances 0", "instances must be from 1"),
    ("--model llama-3.1-70b", "llama-3.1-70b does not fit"),
    ("--nvme 2000G", "do not fit on 1 x Samsung 960 Pro"),
    ("--hbm 60G", "of cache do not fit"),
    ("--drives 0", "from 1 to 1024 drives"),
])  # fmt: skip
def test_mistakes(capsys: pytest.CaptureFixture[str], words: str, says: str) -> None:
    assert main(["run", "kv_cache", *words.split()]) == 2
    assert says in capsys.readouterr().err
