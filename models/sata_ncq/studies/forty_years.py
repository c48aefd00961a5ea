"""Studies LRU, LFU and FAC, Kim's policy, in a host above his disc, and above flash, whose access times are alike."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import simpy
from matplotlib.axes import Axes

from spindle.models.sata_ncq.machine import TAGS, Built, NcqDrivePlan, NcqOptions, Placement, in_host
from spindle.models.sata_ncq.parameters import NcqParameters
from spindle.models.sata_ncq.run import run
from spindle.models.sata_ncq.studies.trials import COMPARED
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
from spindle.sim.error import check_known
from spindle.sim.parameter import change
from spindle.sim.units import Bytes
from spindle.studies.plots.gains import gain_bars
from spindle.studies.plots.style import BLUE, GREEN, VERMILION
from spindle.studies.statistics import gains, percent
from spindle.studies.study import Figure, Runs, Study, requests
from spindle.workloads.pc import places

# Kim's policies in the memory of a host, above his drive or above flash.

NO_CACHE = "none"
"""The name of a run without a cache, among policies."""


@dataclass(frozen=True)
class OnFlash:
    """A placement of the cache in the host, above flash with tags. A hit costs nothing."""

    sheet: FlashType

    def __call__(self, env: simpy.Environment, plan: NcqDrivePlan) -> Built:
        return plan.build_in_host(env, FlashDrive(env, self.sheet, plan.host()))


KIM_STORAGE: Mapping[str, Placement] = {
    "2010": in_host, "sata": OnFlash(INTEL_S3700), "nvme": OnFlash(SAMSUNG_960_PRO),
}  # fmt: skip


def run_on_storage(
    storage: str, policy: str, share: float, requests: int, under_way: int, seed: object, load: str = "pcfat32",
    **parameters: Any,
) -> dict[str, Any]:  # fmt: skip
    """Run *policy* above a drive of *storage* in a cache that holds *share* of the blocks used by *load*."""
    check_known("storage", KIM_STORAGE, storage)
    values = change(NcqParameters(), **parameters)
    used = sum(place.length for place in places(values.load(load), requests))
    cache = 0 if policy == NO_CACHE else max(1, round(share * used)) * values.block
    contender = COMPARED["LRU" if policy == NO_CACHE else policy]
    choices = replace(NcqOptions(), policy=contender.policy, cost=contender.cost, place=KIM_STORAGE[storage])
    return {**run(load=load, requests=requests, cache=Bytes(cache), under_way=under_way, seed=seed, choices=choices,
                  keep_rows=False, **parameters).summary()}  # fmt: skip


KIM_WINDOW = requests(8_000)
KIM_DRIVES = {"2010": "Hitachi 7K1000.C", "sata": "Intel S3700", "nvme": "Samsung 960 Pro"}
COMPARED_POLICIES = ("LRU", "LFU", "FAC")
KIM_COLOURS = dict(zip(COMPARED_POLICIES, (BLUE, GREEN, VERMILION), strict=True))
CACHE_SHARE = 0.06
DEPTH_NAMES = {1: "one", TAGS: f"{TAGS}"}
"""Words for the number of requests under way."""

forty_years = partial(gains, axis="policy", against=NO_CACHE, by=["storage", "under_way"],
                      values=["hit_ratio", "disc_busy"])


def draw_forty_years(table: pd.DataFrame) -> Axes:
    rows = table.to_dict("records")
    names = [f"{KIM_DRIVES[str(row['storage'])]}, {DEPTH_NAMES[row['under_way']]} under way" for row in rows]
    return gain_bars(table, names, [str(row["policy"]) for row in rows], KIM_COLOURS,
                     "Policies gain above flash what they gain above a disc")  # fmt: skip


def caption_forty_years(table: pd.DataFrame) -> str:
    said = []
    for (storage, under_way), rows in table.groupby(["storage", "under_way"], sort=False):
        each = ", ".join(f"{row['policy']} {percent(row)}" for row in rows.to_dict("records"))
        said.append(f"{KIM_DRIVES[str(storage)]} with {DEPTH_NAMES[int(str(under_way))]} under way: {each}")
    return (
        f"The share by which a cache in the host, of {CACHE_SHARE:.0%} of the blocks in use, shortens responses; a hit "
        f"costs nothing. {'; '.join(said)}."
    )


STUDIES = (
    Study(
        "forty_years",
        [Runs(run_on_storage, KIM_WINDOW, storage=list(KIM_DRIVES), under_way=list(DEPTH_NAMES),
              policy=[NO_CACHE, *COMPARED_POLICIES], share=CACHE_SHARE)],
        Figure(forty_years, draw_forty_years, caption_forty_years), replications=5,
    ),
)  # fmt: skip
