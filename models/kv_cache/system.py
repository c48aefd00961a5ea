"""The serving engine: its page and options, its studies and claims, for commands and the report."""

from spindle.models.kv_cache.play import PLAYABLE
from spindle.playable import shipped_system
from spindle.sim.measure.result import Result
from spindle.sim.quantity import quantity

OF_TIER = "hit_share_"


def page(result: Result) -> str:
    """For a screen of 80 columns."""
    said, of, times = result.parameters, result.extras, result.response()
    mean, p95, p99 = (quantity(times[f"response_{name}"], "s", 3) for name in ("mean", "p95", "p99"))
    parts = (f"{word} {quantity(result.breakdown()[name], 's', 3)}"
             for word, name in (("queue", "cpu_wait"), ("load", "transfer"), ("compute", "cpu")))
    tiers = (f"{name.removeprefix(OF_TIER)} {of[name]:.2%}" for name in of if name.startswith(OF_TIER))
    lines = [f"{said['model']} on {said['instances']} x {said['gpus']} {said['gpu']}, {said['arrivals']:g} prompts/s, "
             f"seed {result.seed}",
             f"{result.recorder.count} first tokens: mean {mean}, p95 {p95}, p99 {p99}",
             f"of the mean: {', '.join(parts)}",
             f"hits {of['hit_share']:.2%} of all blocks: {', '.join(tiers)}",
             f"{of['recomputed_tokens']:,.0f} tokens computed again, {of['recomputed_share']:.2%} of all; instances "
             f"busy {of['instances_busy']:.1%}"]  # fmt: skip
    if "busiest_disc" in of:
        lines.append(f"drive busy {of['busiest_disc']:.1%}, read {quantity(of['bytes_rate'], 'bytes/s', 3)}, its "
                     f"capacity written {of['drive_writes_a_day']:.3g} times a day")
    return "\n".join(lines)


MODEL = 1
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = shipped_system(
    "kv_cache", MODEL, PLAYABLE,
    page=page,
    says={
        "model": "that is served",
        "gpu": "the kind of accelerator",
        "gpus": "accelerators of an instance",
        "instances": "that prefill, one prompt at a time each",
        "arrivals": "prompts a second; Mooncake's trace has 3.4",
        "hbm": "the accelerators' memory for the cache; 0 is all beside the weights",
        "dram": "the host's memory; 0 is none",
        "nvme": "flash drives; 0 are none",
        "object_store": "a store on the network; 0 is none",
        "drives": "that share the blocks",
        "inclusion": "exclusive or inclusive: are blocks of a tier also in those below?",
        "loading": "always, or cheaper: no more of a prefix than is quicker than to compute it",
        "layered": "compute a layer while the next is loaded",
        "warm_up": "minutes before those that are measured",
    },
    answers=("response_mean", "response_p95", "response_p99", "hit_share", "recomputed_share", "instances_busy"),
)
