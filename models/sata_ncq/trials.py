"""The replications that the claims on FAC are judged by."""

from collections.abc import Mapping
from statistics import fmean, pvariance

from models.sata_ncq.access_times import GROUPS, Taken, access_times, by_block, by_group, recent, shares
from models.sata_ncq.compared import gain, share_run
from models.sata_ncq.contenders import COMPARED
from models.sata_ncq.machine import TAGS, Choices
from models.sata_ncq.parameters import Parameters
from models.sata_ncq.spread import entropy, low_share, maxima, numbers
from sim.eviction.fac_reading import Reading
from sim.eviction.partitions import DynamicMaximum, Partitions, unrounded
from sim.parameter import changed
from sim.study.system import Trial
from workloads.traces.pc import LOADS, pc_trace

TRACED, TOTALLED, SPREAD = 40_000, 8_000, 10_000
"""Requests of a trial of full length."""
LEAST = 1_500
"""Of a short one: a cache has to fill."""
SHARES = (0.03, 0.06, 0.12)
"""Caches, as shares of the blocks that are used at all: a drive's buffer is small against what is on the drive."""
OTHERS = ("LRU", "ATCA", "LFU")
OFTEN = 5
"""Uses of a block from which on its access times vary about a mean."""


def figure_1(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Access times of PCFAT32, without a cache and with NCQ, by how often and how lately blocks are used."""
    found = access_times(changed(Parameters(), **parameters), "pcfat32", seed, _requests(TRACED, length), TAGS)
    times = by_block(found)
    groups = {name: shares(blocks) for name, blocks in by_group(times).items() if blocks}
    every, again = shares(times.values()), shares([time] for time in recent(found))
    below_30 = {f"below_30_{name.split()[0]}_{name.split()[-1]}": sum(part[:3]) for name, part in groups.items()}
    return {"below_30": sum(every[:3]), "rare_10": groups["below 20"][0], "rare_20": groups["below 20"][1],
            "recent_below_30": sum(again[:3]), **below_30}


def loads(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Requests that do not begin where the one before ended."""
    chosen, found = changed(Parameters(), **parameters), {}
    for name in LOADS:
        end, jumps = None, 0
        for _, _, _, first, size, _ in pc_trace(chosen.load(name), seed, requests := _requests(TRACED, length)):
            jumps, end = jumps + (first != end), first + size
        found[f"random_{name}"] = jumps / requests
    return found


def normalising(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """The two examples of figure 2 and what the algorithm is defined by, whatever the *seed*."""
    changed(Parameters(), **parameters)
    usual, maximum = Reading(), DynamicMaximum(average=1.0)
    one = DynamicMaximum(average=1000, maximum=2000, counter=5)
    two = DynamicMaximum(average=1500, maximum=2000, counter=10)
    found = {"first_n": Partitions(one, rounding=unrounded).number(200)}
    found["second_n"] = Partitions(two, rounding=unrounded).number(2200)
    one.note(200)
    two.note(2200)
    counted = 0
    while maximum.average == 1.0:  # until the average is formed from a maximum of 2
        counted = maximum.counter
        maximum.note(2.0)
    return {**found, "first_counter": one.counter, "second_average": two.average, "second_maximum": two.maximum,
            "second_counter": two.counter, "law_n": found["first_n"], "groups": len(GROUPS),
            "partitions": usual.partitions, "counter_max": counted, "new_weight": maximum.average - 1.0}


def partitions(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """How evenly service times fall into partitions, with NCQ and 32 under way; and how they and responses vary."""
    chosen, found = changed(Parameters(), **parameters), {}
    for name, depth in (("ncq", TAGS), ("fcfs", 1)):
        taken = access_times(chosen, "pcfat32", seed, _requests(SPREAD, length), depth, TAGS)
        found[f"variance_{name}"], found[f"service_variance_{name}"] = _variances(taken)
        if depth == TAGS:
            counts = {kind: numbers((each.service for each in taken), maximum())
                      for kind, maximum in maxima(Choices().drive).items()}
    static, dynamic = counts["static"], counts["dynamic"]
    return {**found, "low_static": low_share(static), "low_dynamic": low_share(dynamic),
            "entropy_static": entropy(static), "entropy_dynamic": entropy(dynamic),
            "static_is_low": float(low_share(static) > 0.5),
            "dynamic_is_more_even": float(entropy(dynamic) > entropy(static)),
            "ncq_fluctuates": float(found["variance_ncq"] > found["variance_fcfs"])}


def _variances(taken: list[Taken]) -> tuple[float, float]:
    """Of the responses, and of the services, of each block about its own mean."""
    of: dict[int, list[Taken]] = {}
    for each in taken:
        of.setdefault(each.block, []).append(each)
    often = [block for block in of.values() if len(block) >= OFTEN]
    return (fmean(pvariance([each.response for each in block]) for block in often),
            fmean(pvariance([each.service for each in block]) for block in often))


def totals(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """What FAC saves others of their total service times, on both loads and at three sizes; and if it is best."""
    found: dict[str, float] = {}
    for load in LOADS:
        times = {policy: [_total(policy, share, load, seed, length, parameters) for share in SHARES]
                 for policy in COMPARED}
        for other in OTHERS:
            gains = [gain(fac, that) for fac, that in zip(times["FAC"], times[other], strict=True)]
            found |= {f"{load}_over_{other}": fmean(gains), f"{load}_most_over_{other}": max(gains),
                      f"{load}_least_over_{other}": min(gains), f"{load}_beats_{other}": float(fmean(gains) > 0.0)}
        found[f"{load}_best"] = float(all(found[f"{load}_least_over_{other}"] > 0.0 for other in OTHERS))
    more = {f"more_random_{other}": float(found[f"smalldiskmon_over_{other}"] > found[f"pcfat32_over_{other}"])
            for other in ("LRU", "ATCA")}
    return {**found, **more, "best": min(found[f"{load}_best"] for load in LOADS)}


def _total(
    policy: str, share: float, load: str, seed: object, length: float, parameters: Mapping[str, object],
    depth: int = TAGS,
) -> float:
    """Seconds from asking to answer, over all requests."""
    result = share_run(policy, share, load, _requests(TOTALLED, length), depth, seed, **parameters)
    return result.extras["total_service"]


def without_ncq(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """What FAC saves ATCA with NCQ and without, at the middle size."""
    gains = {}
    for name, depth in (("ncq", TAGS), ("fcfs", 1)):
        fac, atca = (_total(policy, SHARES[1], "pcfat32", seed, length, parameters, depth)
                     for policy in ("FAC", "ATCA"))
        gains[name] = gain(fac, atca)
    return {"gain_ncq": gains["ncq"], "gain_fcfs": gains["fcfs"],
            "friendlier": float(gains["ncq"] > gains["fcfs"])}


def _requests(full: int, length: float) -> int:
    return max(LEAST, round(full * length))


TRIALS: Mapping[str, Trial] = {
    "figure_1": figure_1,
    "loads": loads,
    "normalising": normalising,
    "partitions": partitions,
    "totals": totals,
    "without_ncq": without_ncq,
}
