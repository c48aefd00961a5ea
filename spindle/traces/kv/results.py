"""Shows a run of ``spindle kv`` as JSON, text and table: hits by tier, time to first token, work of drives, price."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from spindle.measures import within_bounds
from spindle.output.text import plural
from spindle.sim.disc.flash.drive import write_amplification
from spindle.sim.measure.result import percentile
from spindle.sim.quantity import common_unit, quantity
from spindle.sim.units import DAY, GB
from spindle.traces.kv.plan import KvDrives
from spindle.traces.kv.serving import KvResult

PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
MEASURES = ("mean", *PERCENTILES)
"""The mean and the percentiles of the time to the first token that are shown."""
PARTS_OF_WAIT = ("queue", "load", "compute")
"""Phases of the time to the first token."""
OVERLOAD = 0.98
"""Utilisation of the instances above which a warning is given, as the wait grows with the length of the trace."""


def numbers(result: KvResult) -> dict[str, Any]:
    """Return all numbers for JSON: seconds, bytes, and shares of all blocks."""
    counts, times, plan = result.counts, result.times, result.plan
    return within_bounds({
        "prompts": len(result.trace.prompts), "blocks": counts.blocks, "block_tokens": result.trace.block_tokens,
        "block_bytes": plan.model.token_bytes * result.trace.block_tokens, "makespan": result.seconds,
        **{name_of(each): seconds for each, seconds in first_token(result).items()},
        "part_queue": _mean(times.queue), "part_load": _mean(times.load), "part_compute": _mean(times.compute),
        "hit_share": sum(counts.hits) / max(1, counts.blocks), "found_share": counts.found / max(1, counts.blocks),
        "prompt_tokens": counts.tokens, "answer_tokens": counts.answer_tokens, "computed_tokens": counts.computed,
        "recomputed_tokens": counts.recomputed,
        "instances_busy": busy(result), "price": plan.price,
        "tiers": {tier.name: {"bytes": tier.size, **_room(result, tier.size), "hit_share": hits / max(1, counts.blocks),
                              "price": tier.price, **_use(result, number)}
                  for number, (tier, hits) in enumerate(zip(plan.tiers, counts.hits, strict=True))},
    })  # fmt: skip


def _room(result: KvResult, size: int) -> dict[str, int]:
    """Return the whole blocks that *size* bytes hold, and their tokens."""
    blocks = size // (result.plan.model.token_bytes * result.trace.block_tokens)
    return {"capacity_blocks": blocks, "capacity_tokens": blocks * result.trace.block_tokens}


def name_of(measure: str) -> str:
    """Return the name among the measures of one of MEASURES: the response is the time to the first token."""
    return "response_median" if measure == "p50" else f"response_{measure}"


def first_token(result: KvResult) -> dict[str, float]:
    """Seconds from arrival to the first token."""
    waits = sorted(result.times.first_token())
    return {"mean": _mean(waits), **{name: percentile(waits, share) for name, share in PERCENTILES.items()}}


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
           "disc_busy": reading["busy"] / seconds, "queue": reading["queue"]}
    tier = result.plan.tiers[number]
    if isinstance(tier, KvDrives):
        use |= {"write_amplification": write_amplification(reading) if reading["units_written"] else 1.0,
                "blocks_erased": reading["blocks_erased"],
                "capacity_writes_a_day": reading["bytes_written"] / (tier.count * tier.capacity) * DAY / seconds}
    return use


def page(result: KvResult) -> list[str]:
    """The answer for a screen of 80 columns."""
    figures, plan = numbers(result), result.plan
    waits = {name: figures[name_of(name)] for name in MEASURES}
    parts = {name: figures[f"part_{name}"] for name in PARTS_OF_WAIT}
    whole = f"{plan.instances} x {plan.accelerators} {plan.accelerator.name}"
    whole += f" in {result.nodes} nodes" * (result.nodes > 1)
    first, parts_in = common_unit(waits.values(), "s"), common_unit(parts.values(), "s")
    lines = [f"{plan.model.name} on {whole}; {plural(figures['prompts'], 'prompt')}, {figures['blocks']:,} blocks of "
             f"{figures['block_tokens']} tokens ({quantity(figures['block_bytes'], 'bytes')})",
             "", f"{'time to first token':<24}" + "".join(f"{name:>12}" for name in waits),
             f"{'':<24}" + "".join(f"{quantity(each, 's', shown_in=first):>12}" for each in waits.values()),
             f"{'of the mean':<24}" + "".join(f"{name:>12}" for name in parts),
             f"{'':<24}" + "".join(f"{quantity(each, 's', shown_in=parts_in):>12}" for each in parts.values()),
             "", f"{'tier':<8}{'size':>12}{'hits':>9}{'read':>11}{'written':>11}{'busy':>8}{'money':>11}"]
    lines += [_tier(name, tier) for name, tier in figures["tiers"].items()]
    lines.append(f"{'all':<8}{'':>12}{figures['hit_share']:>9.2%}{'':>30}{figures['price']:>11,.4g}")
    lines += ["", *(f"{name} holds {tier['capacity_blocks']:,} blocks, {tier['capacity_tokens']:,} tokens"
                    for name, tier in figures["tiers"].items())]  # fmt: skip
    lines += ["", f"of {figures['prompt_tokens']:,} tokens {figures['computed_tokens']:,} are computed, "
              f"{figures['recomputed_tokens']:,} of them again{' on the same node' * (result.nodes > 1)}; "
              f"{figures['answer_tokens']:,} are answered",
              f"instances are busy {figures['instances_busy']:.1%}"]
    lines += [_wear(name, tier) for name, tier in figures["tiers"].items() if "capacity_writes_a_day" in tier]
    if figures["instances_busy"] > OVERLOAD and parts["queue"]:
        lines.append("more prompts come than the instances can prefill: the wait grows to the end of the trace")
    return lines


def _tier(name: str, tier: dict[str, Any]) -> str:
    moved = [f"{tier[each] / GB:,.0f} GB" if each in tier else "-" for each in ("bytes_read", "bytes_written")]
    busy, held = (f"{tier['disc_busy']:.1%}" if "disc_busy" in tier else "-"), f"{tier['bytes'] / GB:,.1f} GB"
    return (f"{name:<8}{held:>12}{tier['hit_share']:>9.2%}{moved[0]:>11}{moved[1]:>11}"
            f"{busy:>8}{tier['price']:>11,.4g}")


def _wear(name: str, tier: dict[str, Any]) -> str:
    return (f"{name} drives are written {tier['capacity_writes_a_day']:.2f} times a day, write amplification "
            f"{tier['write_amplification']:.2f}")


def _waits(figures: Mapping[str, Any]) -> list[float]:
    return [figures[name_of(each)] for each in MEASURES]


def table(results: Sequence[KvResult], axes: Sequence[str], points: Sequence[Sequence[str]]) -> list[str]:
    """Return a line for each run, with its point on the varied axes."""
    widths = [max(len(axis), *(len(point[place]) for point in points)) + 2 for place, axis in enumerate(axes)]
    head = "".join(f"{axis:<{width}}" for axis, width in zip(axes, widths, strict=True))
    lines = [f"{head}{'hits':>8}{'mean':>10}{'p50':>10}{'p95':>10}{'p99':>10}{'again':>9}{'busiest tier':>14}"
             f"{'money':>10}"]  # fmt: skip
    every = list(map(numbers, results))
    unit = common_unit([wait for figures in every for wait in _waits(figures)], "s")
    for figures, point in zip(every, points, strict=True):
        waits = "".join(f"{quantity(each, 's', 3, shown_in=unit):>10}" for each in _waits(figures))
        most, busiest = max((tier.get("disc_busy", 0.0), name) for name, tier in figures["tiers"].items())
        again = figures["recomputed_tokens"] / max(1, figures["prompt_tokens"])
        names = "".join(f"{each:<{width}}" for each, width in zip(point, widths, strict=True))
        busy_tier = f"{busiest} {most:.1%}" if most else "-"
        lines.append(f"{names}{figures['hit_share']:>8.2%}{waits}{again:>9.2%}{busy_tier:>14}{figures['price']:>10,.4g}")
    return [*lines, "", "mean to p99: time to first token; again: tokens computed before, of all; money: by --prices"]
