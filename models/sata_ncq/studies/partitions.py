"""Studies how evenly access times fall into the partitions of FAC, Kim's policy, by the rule for their maximum."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from math import nan
from statistics import fmean, pstdev
from typing import Any

import pandas as pd

from spindle.models.sata_ncq.fac_readings import maxima
from spindle.models.sata_ncq.machine import TAGS, NcqOptions
from spindle.models.sata_ncq.parameters import NcqParameters
from spindle.models.sata_ncq.studies.access_times import BlockAccess, access_times, entropy
from spindle.models.sata_ncq.studies.trials import gain
from spindle.sim.eviction.fac import DynamicMaximum, Maximum, Partitions
from spindle.sim.parameter import change
from spindle.studies.plots.curves import curve
from spindle.studies.study import Figure, Runs, SeedRows, Study, requests

PARTITIONS = 10
HIGHEST_LOW = 3
"""Partitions up to this number count as low."""
MANY_USES = 5
"""Fewest uses of a block whose services are compared with their own mean."""

REQUEST_KINDS = {"random": True, "going_on": False}
"""Kinds by whether requests are random: those that do not begin where the one before ended, and those that do."""


def numbers(times: Iterable[float], maximum: Maximum) -> Counter[int]:
    """Count the access *times* in each partition."""
    partitions, found = Partitions(maximum), Counter[int]()
    for seconds in times:
        found[int(partitions.number(seconds))] += 1
        partitions.note(seconds)
    return found


def low_share(counts: Mapping[int, int]) -> float:
    """Return the share of access times in low partitions."""
    return sum(counts.get(number, 0) for number in range(1, HIGHEST_LOW + 1)) / sum(counts.values())


def spread_of_services(load: str, depth: int, requests: int, seed: object, **parameters: Any) -> dict[str, object]:
    """Measure the spread of a block's services, without a cache and with 32 under way, and their partitions.

    For each maximum there is a list of the partitions' shares of the services, with ``_entropy`` and ``_low`` share.
    """
    taken = access_times(change(NcqParameters(), **parameters), load, seed, requests, depth, TAGS)
    row: dict[str, object] = {"service_variation": variation(taken)}
    for name, maximum in maxima(NcqOptions().drive).items():
        counts = numbers((each.service for each in taken), maximum())
        row[name] = [counts[number] / len(taken) for number in range(1, PARTITIONS + 1)]
        row |= {f"{name}_entropy": entropy(counts), f"{name}_low": low_share(counts)}
    return row


def averaging(load: str, requests: int, seed: object, **parameters: Any) -> dict[str, float]:
    """Return entropies of the partitions of services where the maximum is an average, and where it is the latest."""
    taken = access_times(change(NcqParameters(), **parameters), load, seed, requests, TAGS, TAGS)
    maxima = {"average": DynamicMaximum(), "latest": DynamicMaximum(old_weight=0.0)}
    return {f"{name}_entropy": entropy(numbers((each.service for each in taken), maximum))
            for name, maximum in maxima.items()}


def variation(taken: Iterable[BlockAccess]) -> float:
    """Return the mean coefficient of variation of the services of blocks, each about its own mean."""
    blocks: dict[int, list[float]] = defaultdict(list)
    for each in taken:
        blocks[each.block].append(each.service)
    return fmean(pstdev(services) / fmean(services) for services in blocks.values() if len(services) >= MANY_USES)


def by_kind(load: str, depth: int, requests: int, seed: object, **parameters: Any) -> dict[str, float]:
    """Return the mean service of random requests and of those that go on, without a cache and with 32 under way."""
    services: dict[bool, list[float]] = {True: [], False: []}
    for each in access_times(change(NcqParameters(), **parameters), load, seed, requests, depth, TAGS):
        services[each.random].append(each.service)
    return {name: fmean(services[kind]) if services[kind] else nan for name, kind in REQUEST_KINDS.items()}


def measure_spread(rows: SeedRows) -> Mapping[str, float]:
    ncq, fcfs = rows.one(depth=TAGS), rows.one(depth=1)
    return {"static_is_low": float(ncq["static_low"] > 0.5),
            "dynamic_is_more_even": float(ncq["dynamic_entropy"] > ncq["static_entropy"]),
            "ncq_fluctuates": float(ncq["service_variation"] > fcfs["service_variation"])}


def measure_averaging(rows: SeedRows) -> Mapping[str, float]:
    row = rows.one()
    return {"average_over_latest": row["average_entropy"] - row["latest_entropy"]}


def measure_chances(rows: SeedRows) -> Mapping[str, float]:
    """Measure whether tags shorten the services of random requests by a larger share than those of the others."""
    saved = {kind: gain(*(rows.one(depth=depth)[kind] for depth in (TAGS, 1))) for kind in REQUEST_KINDS}
    return {"more_for_random": float(saved["random"] > saved["going_on"])}


def partitions(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each maximum and partition, of services with as many requests under way as there are tags."""
    ncq, rows = frame[frame["depth"] == TAGS], []
    for name in maxima(NcqOptions().drive):
        shares = pd.DataFrame(ncq[name].tolist()).mean()
        rows += [(name, number, shares[number - 1], ncq[f"{name}_entropy"].mean())
                 for number in range(1, PARTITIONS + 1)]
    return pd.DataFrame(rows, columns=["maximum", "partition", "share", "entropy"])


draw_partitions = partial(curve, x="partition", y="share", by="maximum", x_label="partition",
                          y_label="share of the accesses", title="A maximum that follows spreads access times")


def caption_partitions(table: pd.DataFrame) -> str:
    bits = table.groupby("maximum", sort=False)["entropy"].first()
    words = ", ".join(f"{name} {value:.2f}" for name, value in bits.items())
    return (f"Entropy in bits, of 3.32 that ten equal partitions have: {words}. The dynamic maximum is an average of "
            "the maxima of ten accesses each; the maximum of all accesses never comes down again.")


STUDIES = (
    Study("partitions", [Runs(spread_of_services, requests(10_000), load="pcfat32", depth=[TAGS, 1])],
          Figure(partitions, draw_partitions, caption_partitions), measure_spread),
    Study("averaging", [Runs(averaging, requests(10_000), load="pcfat32")], measures=measure_averaging),
    Study("chances", [Runs(by_kind, requests(10_000), load="pcfat32", depth=[TAGS, 1])], measures=measure_chances),
)  # fmt: skip
