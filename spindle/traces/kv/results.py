"""Results of a run of a KV cache: hits by tier, the wait for the first token, the work of drives, and money."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spindle.output.text import plural
from spindle.sim.quantity import quantity
from spindle.traces.kv.plan import GB, KvDrives
from spindle.traces.kv.serving import KvResult

DAY = 86_400.0
PERCENTILES = {"p50": 50.0, "p95": 95.0, "p99": 99.0}
MEASURES = ("mean", *PERCENTILES)
"""Of the time to the first token."""
OVERLOAD = 0.98
"""Load of the instances from which the wait depends on the length of the trace."""


def numbers(result: KvResult) -> dict[str, Any]:
    """Seconds, bytes, shares of all blocks; for JSON."""
    counts, times, plan = result.counts, result.times, result.plan
    return {
        "prompts": len(result.trace.prompts), "blocks": counts.blocks, "block_tokens": result.trace.block_tokens,
        "block_bytes": plan.model.token_bytes * result.trace.block_tokens, "seconds": result.seconds,
        "first_token_seconds": first_token(result),
        "mean_seconds": {"queue": _mean(times.queue), "load": _mean(times.load), "compute": _mean(times.compute)},
        "hit_share": sum(counts.hits) / max(1, counts.blocks), "found_share": counts.found / max(1, counts.blocks),
        "tokens": {"prompt": counts.tokens, "answer": counts.answer_tokens, "computed": counts.computed,
                   "recomputed": counts.recomputed},
        "instances_busy": busy(result), "price": plan.price,
        "tiers": {tier.name: {"bytes": tier.size, "hit_share": hits / max(1, counts.blocks), "price": tier.price,
                              **_use(result, number)}
                  for number, (tier, hits) in enumerate(zip(plan.tiers, counts.hits, strict=True))},
    }  # fmt: skip


def first_token(result: KvResult) -> dict[str, float]:
    """Seconds from arrival to the first token."""
    waits = np.array(result.times.first_token())
    return {"mean": float(waits.mean()), **{name: float(np.percentile(waits, share))
                                            for name, share in PERCENTILES.items()}}


def busy(result: KvResult) -> float:
    """Share of the instances' time in use."""
    return result.busy / (result.seconds * result.plan.instances) if result.seconds else 0.0


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _use(result: KvResult, number: int) -> dict[str, float]:
    """Return the bytes moved from and to a tier; for drives also capacity writes a day."""
    reading, seconds = result.stores[number], result.seconds or 1.0
    if not reading:
        return {}
    use = {"bytes_read": reading["bytes_read"], "bytes_written": reading["bytes_written"],
           "utilisation": reading["busy"] / seconds, "queue_seconds": reading["queue"]}
    if isinstance(result.plan.tiers[number], KvDrives):
        use |= {"write_amplification": reading["write_amplification"], "blocks_erased": reading["blocks_erased"],
                "capacity_writes_a_day": reading["bytes_written"] / reading["capacity"] * DAY / seconds}
    return use


def page(result: KvResult) -> list[str]:
    """The answer for a screen of 80 columns."""
    of, plan = numbers(result), result.plan
    waits, parts, tokens = of["first_token_seconds"], of["mean_seconds"], of["tokens"]
    whole = f"{plan.instances} x {plan.accelerators} {plan.accelerator.name}"
    lines = [f"{plan.model.name} on {whole}; {plural(of['prompts'], 'prompt')}, {of['blocks']:,} blocks of "
             f"{of['block_tokens']} tokens ({quantity(of['block_bytes'], 'bytes')})",
             "", f"{'time to first token':<24}" + "".join(f"{name:>12}" for name in waits),
             f"{'':<24}" + "".join(f"{quantity(each, 's'):>12}" for each in waits.values()),
             f"{'of the mean':<24}" + "".join(f"{name:>12}" for name in parts),
             f"{'':<24}" + "".join(f"{quantity(each, 's'):>12}" for each in parts.values()),
             "", f"{'tier':<8}{'size':>12}{'hits':>9}{'read':>11}{'written':>11}{'busy':>8}{'money':>11}"]
    lines += [_tier(name, each) for name, each in of["tiers"].items()]
    lines.append(f"{'all':<8}{'':>12}{of['hit_share']:>9.2%}{'':>30}{of['price']:>11,.4g}")
    lines += ["", f"of {tokens['prompt']:,} tokens {tokens['computed']:,} are computed, {tokens['recomputed']:,} of "
              f"them again; {tokens['answer']:,} are answered", f"instances are busy {of['instances_busy']:.1%}"]
    lines += [_wear(name, each) for name, each in of["tiers"].items() if "capacity_writes_a_day" in each]
    if of["instances_busy"] > OVERLOAD:
        lines.append("more prompts come than the instances can prefill: the wait grows to the end of the trace")
    return lines


def _tier(name: str, of: dict[str, Any]) -> str:
    moved = [f"{of[each] / GB:,.0f} GB" if each in of else "-" for each in ("bytes_read", "bytes_written")]
    busy, held = (f"{of['utilisation']:.1%}" if "utilisation" in of else "-"), f"{of['bytes'] / GB:,.1f} GB"
    return (f"{name:<8}{held:>12}{of['hit_share']:>9.2%}{moved[0]:>11}{moved[1]:>11}"
            f"{busy:>8}{of['price']:>11,.4g}")


def _wear(name: str, of: dict[str, Any]) -> str:
    return (f"{name} drives are written {of['capacity_writes_a_day']:.2f} times a day, write amplification "
            f"{of['write_amplification']:.2f}")


def table(results: Sequence[KvResult], axes: Sequence[str], points: Sequence[Sequence[str]]) -> list[str]:
    """A line for each run, by what was varied."""
    widths = [max(len(axis), *(len(point[place]) for point in points)) + 2 for place, axis in enumerate(axes)]
    head = "".join(f"{axis:<{width}}" for axis, width in zip(axes, widths, strict=True))
    lines = [f"{head}{'hits':>8}{'mean':>10}{'p50':>10}{'p95':>10}{'p99':>10}{'again':>9}{'busiest':>9}{'money':>10}"]
    for result, point in zip(results, points, strict=True):
        of = numbers(result)
        waits = "".join(f"{quantity(each, 's', 3):>10}" for each in of["first_token_seconds"].values())
        most = max((each.get("utilisation", 0.0) for each in of["tiers"].values()), default=0.0)
        again = of["tokens"]["recomputed"] / max(1, of["tokens"]["prompt"])
        names = "".join(f"{each:<{width}}" for each, width in zip(point, widths, strict=True))
        lines.append(f"{names}{of['hit_share']:>8.2%}{waits}{again:>9.2%}{most:>9.1%}{of['price']:>10,.4g}")
    return lines
