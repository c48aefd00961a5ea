"""Studies of the serving engine: times by memory, loading against computing, policies of tiers, and use of a drive."""

from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.kv_cache.run import KvOptions, run
from spindle.sim import user_parts
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.units import GIB, MIB, Bytes
from spindle.studies.claims.claims import predicted_by_id, published_by_id
from spindle.studies.plots.bars import Named, interval_bars
from spindle.studies.plots.claim_points import PREDICTED, with_points
from spindle.studies.plots.curves import curve
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Row, Runs, SeedRows, Study, StudyWindow

PUBLISHED, PREDICTIONS = (partial(each, Path(__file__).with_name("claims.toml"))
                        for each in (published_by_id, predicted_by_id))  # fmt: skip
KV_BLOCK = 64 * MIB
"""Bytes of a block: the keys and values of 512 tokens of llama-3.1-8b."""
TIME_MEASURES = ("response_mean", "response_p95", "response_p99")


def serve_prompts(
    seed: object, hbm: int, dram: int = 0, nvme: int = 0, hbm_policy: str = "lru", policy: str = "lru", **given: Any
) -> Row:  # fmt: skip
    """Run the engine with tiers of *hbm*, *dram* and *nvme* bytes; *policy* is that of all tiers but HBM."""
    upper, lower = (user_parts.part("policy", each, POLICIES) for each in (hbm_policy, policy))
    result = run(hbm=Bytes(hbm), dram=Bytes(dram), nvme=Bytes(nvme), seed=seed, keep_rows=False,
                 choices=KvOptions(policy=lower, hbm_policy=upper), **given)  # fmt: skip
    times = result.response()
    return {"load_mean": result.breakdown()["transfer"], "prompts": result.recorder.count,
            **{name: times[name] for name in TIME_MEASURES}, **result.extras}  # fmt: skip


# Memory: a quarter of the prompts of the trace's hour, from an empty cache, with hits counted as the paper does.

HOUR_WINDOW = StudyWindow({"minutes": 58.95, "warm_up": 0.0}, {"minutes": 6.0, "warm_up": 0.0})
HBM_BYTES = 250 * KV_BLOCK
"""Bytes of HBM, the accelerator's memory."""
CLAIM_BLOCKS = {f"KV-M{size}": 250 * size for size in (1, 10, 30, 50, 100)}
"""Blocks of HBM and DRAM by claim: a quarter of the claim's, as the hour has a quarter of the prompts."""


def dram_of(claim: str) -> int:
    """Return the bytes of DRAM for the blocks of *claim* for which HBM has no room."""
    return CLAIM_BLOCKS[claim] * KV_BLOCK - HBM_BYTES


def memory_measures(rows: SeedRows) -> Mapping[str, float]:
    by_claim = {claim: rows.one(dram=dram_of(claim)) for claim in CLAIM_BLOCKS}
    least, half, most = (float(by_claim[claim]["response_mean"]) for claim in ("KV-M1", "KV-M50", "KV-M100"))
    return {**{claim: float(row["hit_share"]) for claim, row in by_claim.items()},
            "quicker": least / most, "last_doubling": half / most}  # fmt: skip


def memory_table(frame: pd.DataFrame) -> pd.DataFrame:
    blocks = frame.assign(blocks=(frame["dram"] + HBM_BYTES) // KV_BLOCK)
    return summarise(blocks, ["blocks"], ["hit_share", *TIME_MEASURES, "recomputed_share"])


memory_picture = with_points(
    PUBLISHED, lambda numbers: [(float(blocks), numbers[claim]) for claim, blocks in CLAIM_BLOCKS.items()])(
    partial(curve, x="blocks", y="hit_share", x_label="blocks of 512 tokens in memory", y_label="hits of blocks",
            title="Beyond 7,500 blocks memory adds few hits"))


# Loading against computing: few prompts, so that none waits for another; nearly all that is kept lies on the drive.

ALONE_WINDOW = StudyWindow({"minutes": 60.0, "warm_up": 20.0}, {"minutes": 10.0, "warm_up": 5.0})
PREFIX_WAYS: Mapping[str, Mapping[str, Any]] = {
    "compute": {"nvme": 0}, "load": {"nvme": 400 * GIB}, "cheaper": {"nvme": 400 * GIB, "loading": "cheaper"},
}  # fmt: skip
"""Arguments of a run by the way in which a known prefix is had: computed again, loaded, or the cheaper of both."""
PREFILL_RATES = (5_000.0, 10_000.0, 20_000.0, 40_000.0, 80_000.0)
"""Tokens a second that an accelerator computes."""


def crossing_runs() -> list[Runs]:
    return [Runs(serve_prompts, ALONE_WINDOW, {"way": way}, arrivals=0.05, hbm=4 * GIB,
                 prefill_rate=list(PREFILL_RATES), **more) for way, more in PREFIX_WAYS.items()]  # fmt: skip


def crossing_measures(rows: SeedRows) -> Mapping[str, float]:
    """Return the prefill rate at which loading takes as long as computing, and if ``cheaper`` is as fast as either."""
    times = {way: [float(rows.one(way=way, prefill_rate=speed)["response_mean"]) for speed in PREFILL_RATES]
             for way in PREFIX_WAYS}
    ratios = [load / compute for load, compute in zip(times["load"], times["compute"], strict=True)]
    worse = [way / min(others) for way, *others in zip(times["cheaper"], times["load"], times["compute"], strict=True)]
    return {"crossing": _crossing(ratios), "slow_ratio": ratios[0], "fast_ratio": ratios[-1],
            "cheaper_is_cheap": float(max(worse) <= 1.03)}  # fmt: skip


def _crossing(ratios: list[float]) -> float:
    """Interpolate the prefill rate at which *ratios* pass 1; an end of PREFILL_RATES where they do not."""
    for (slow, low), (fast, high) in pairwise(zip(PREFILL_RATES, ratios, strict=True)):
        if low <= 1.0 < high:
            return slow + (fast - slow) * (1.0 - low) / (high - low)
    return PREFILL_RATES[0] if ratios[0] > 1.0 else PREFILL_RATES[-1]


def crossing_picture(table: pd.DataFrame) -> Axes:
    ax = curve(table, "prefill_rate", "response_mean", "way", x_label="prefill, tokens/s",
               y_label="time to first token, s", title="Slow accelerators gain by a drive, fast ones lose", base=10)
    ax.set_xticks(PREFILL_RATES, [f"{speed:,.0f}" for speed in PREFILL_RATES])
    ax.minorticks_off()
    return ax


# Policies by tier, at the blocks of KV-M10.

POLICY_PAIRS = {
    "lru": ("lru", "lru"), "lru_fifo": ("lru", "fifo"), "fifo": ("fifo", "fifo"), "s3": ("s3-fifo", "s3-fifo"),
    "lru_s3": ("lru", "s3-fifo"),
}  # fmt: skip
"""Eviction policies of HBM and of DRAM, by the name of the pair."""
PAIR_NAMES = {name: " above ".join(each.upper() for each in pair) for name, pair in POLICY_PAIRS.items()}


def policy_runs() -> list[Runs]:
    return [Runs(serve_prompts, HOUR_WINDOW, {"pair": pair}, hbm=HBM_BYTES, dram=dram_of("KV-M10"), hbm_policy=upper,
                 policy=lower) for pair, (upper, lower) in POLICY_PAIRS.items()]


def policy_measures(rows: SeedRows) -> Mapping[str, float]:
    """Return the percentage points that each pair of policies hits more than LRU in both tiers."""
    hits = {pair: 100.0 * float(rows.one(pair=pair)["hit_share"]) for pair in POLICY_PAIRS}
    return {pair: hits[pair] - hits["lru"] for pair in POLICY_PAIRS if pair != "lru"}


policy_picture = partial(interval_bars, value="hit_share", groups=Named("pair", PAIR_NAMES),
                         x_label="hits, share of all blocks",
                         title="FIFO in DRAM costs no hits, S3-FIFO half of them")


# The queue at one drive, which keeps the blocks that are evicted from the accelerators' memory.

BUSY_WINDOW = StudyWindow({"minutes": 8.0, "warm_up": 6.0}, {"minutes": 2.0, "warm_up": 1.0})
ARRIVAL_RATES = (0.1, 0.2, 0.4, 0.6, 0.8)
"""Prompts a second."""
INCLUSION_RULES = ("exclusive", "inclusive")
JUDGED_ARRIVALS = 0.4
"""Prompts a second at which the claims are judged."""


def drive_measures(rows: SeedRows) -> Mapping[str, float]:
    one, other = (rows.one(inclusion=rule, arrivals=JUDGED_ARRIVALS) for rule in INCLUSION_RULES)
    return {"written": float(one["bytes_written"]) / float(other["bytes_written"]),
            "drive_writes_a_day": float(one["drive_writes_a_day"]), "busiest_disc": float(one["busiest_disc"]),
            "load_mean": float(one["load_mean"])}  # fmt: skip


drive_picture = with_points(PREDICTIONS, lambda numbers: [(JUDGED_ARRIVALS, numbers["KV-Q3"])], PREDICTED)(
    partial(curve, x="arrivals", y="busiest_disc", by="inclusion", x_label="prompts a second",
            y_label="utilisation of the drive",
            title="Exclusive tiers keep the drive busier than inclusive ones"))

STUDIES = (
    Study("memory", [Runs(serve_prompts, HOUR_WINDOW, hbm=HBM_BYTES, dram=[dram_of(claim) for claim in CLAIM_BLOCKS])],
          Figure(memory_table, memory_picture), memory_measures),
    Study("loading",
          crossing_runs(),
          Figure(lambda frame: summarise(frame, ["way", "prefill_rate"], [*TIME_MEASURES, "load_mean"]),
                 crossing_picture), crossing_measures),
    Study("policies",
          policy_runs(),
          Figure(lambda frame: summarise(frame, ["pair"], ["hit_share", *TIME_MEASURES]), policy_picture),
          policy_measures, replications=3),
    Study("drive",
          [Runs(serve_prompts, BUSY_WINDOW, arrivals=list(ARRIVAL_RATES), inclusion=list(INCLUSION_RULES), hbm=16 * GIB,
                nvme=400 * GIB)],
          Figure(lambda frame: summarise(frame, ["inclusion", "arrivals"], ["busiest_disc", "load_mean", "hit_share",
                                                                           "drive_writes_a_day", *TIME_MEASURES]),
                 drive_picture), drive_measures),
)  # fmt: skip
