"""The buffer pool of a data base: its page and options, its studies and claims, for commands and the report."""

from spindle.models.buffer_pool.play import PLAYABLE
from spindle.playable import shipped_system
from spindle.sim.measure.result import Result
from spindle.sim.quantity import quantity
from spindle.studies.arrays import ARRAY_SAYS, array_words


def page(result: Result) -> str:
    """For a screen of 80 columns."""
    said, of, times = result.parameters, result.extras, result.response()
    rates = [quantity(of[name], "1/s", 3) for name in ("read_rate", "write_rate", "flush_rate")]
    mean, p95 = (quantity(times[f"response_{name}"], "s", 3) for name in ("mean", "p95"))
    lines = [f"scale {said['scale']}, {said['clients']} clients of {said['mix']}, {said['scans']} scans, a pool of "
             f"{said['pool']:,} bytes, seed {result.seed}",
             f"{result.recorder.count / result.seconds:,.0f} transactions/s, mean {mean}, p95 {p95}",
             f"buffer hits {of['buffer_hit_ratio']:.2%}: accounts {of['heap_hit_ratio']:.2%}, their index "
             f"{of['index_hit_ratio']:.2%}",
             f"pages read {rates[0]}, written {rates[1]}, flushes of the log {rates[2]}",
             f"CPU busy {of['cpu_busy']:.1%}, drive busy {of['disc_busy']:.1%}{array_words(said)}"]  # fmt: skip
    return "\n".join(lines)


MODEL = 1
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = shipped_system(
    "buffer_pool", MODEL, PLAYABLE,
    page=page,
    says={
        "scale": "of pgbench's tables: 100,000 accounts each",
        "clients": "that ask without thinking",
        "pool": "shared buffers",
        "mix": "what a client does: tpcb, or select, which reads alone",
        "scans": "sequential scans of all accounts at a time",
        **ARRAY_SAYS,
        "warm_up": "minutes before those that are measured",
    },
    answers=("throughput", "response_mean", "buffer_hit_ratio", "heap_hit_ratio", "index_hit_ratio", "disc_busy"),
)
