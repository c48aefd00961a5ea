"""Studies the effect of tags (NCQ) on Kim's drive and on the gain of FAC, his policy; and each ingredient of FAC."""

from collections.abc import Mapping
from functools import partial

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.sata_ncq.machine import TAGS
from spindle.models.sata_ncq.studies.policies import JUDGED_SHARES, MIDDLE_SHARE, POLICY_COLUMNS, drive_runs
from spindle.models.sata_ncq.studies.trials import COMPARED, INGREDIENTS, gain, lru_run
from spindle.sim.clock import Phase
from spindle.sim.units import MIB
from spindle.studies.plots.bars import Named, interval_bars
from spindle.studies.plots.curves import curve
from spindle.studies.plots.phases import breakdown
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study, requests

TAG_COUNTS = (1, 4, TAGS)
PHASE_COLUMNS = [f"part_{phase.name.lower()}" for phase in Phase]


def measure_tags(rows: SeedRows) -> Mapping[str, float]:
    """Measure FAC's saving over ATCA and LRU with NCQ and without; ``friendlier``: it saves more with NCQ."""
    ncq, fcfs, ncq_lru, fcfs_lru = (
        gain(*(rows.one(policy=policy, depth=depth)["total_service"] for policy in ("FAC", other)))
        for other in ("ATCA", "LRU") for depth in (TAGS, 1)
    )
    return {"gain_ncq": ncq, "gain_fcfs": fcfs, "friendlier": float(ncq > fcfs),
            "friendlier_than_LRU": float(ncq_lru > fcfs_lru)}


tags = partial(summarise, by=["policy", "depth"], values=POLICY_COLUMNS)

draw_tags = partial(curve, x="depth", y="total_service", by="policy", x_label="tags; 1 is no NCQ",
                    y_label="total service time, s", title="Tags save seven tenths, whatever the policy", base=2)


def caption_tags(table: pd.DataFrame) -> str:
    times = table.pivot(index="depth", columns="policy", values="total_service")
    gains = 100.0 * gain(times["FAC"], times["ATCA"])
    return (
        f"FAC takes {gains[1]:.1f} % less than ATCA without NCQ and {gains[TAGS]:.1f} % less with {TAGS} tags. Kim "
        "says that FAC enhances NCQ more than ATCA does: then the latter would be larger."
    )


def ingredients(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarise the time that each ingredient saves against LRU, seed by seed."""
    lru = frame[frame["policy"] == "LRU"].set_index(["share", "seed"])["total_service"]
    places = pd.MultiIndex.from_frame(frame[["share", "seed"]])
    gains = 100.0 * gain(frame["total_service"], lru.loc[places].to_numpy())
    rows = frame.assign(gain=gains, policy=frame["policy"].replace({"FAC": "both, dynamic"}))
    return summarise(rows[rows["policy"] != "LRU"], ["policy", "share"], ["gain", *POLICY_COLUMNS])


def draw_ingredients(table: pd.DataFrame) -> Axes:
    shares = {share: f"cache of {100.0 * share:g} % of the blocks" for share in table["share"].unique()}
    return interval_bars(table, "gain", Named("policy", {each: each for each in table["policy"].unique()}),
                         Named("share", shares), x_label="time below LRU's, %",
                         title="A count alone does about as well")  # fmt: skip


def caption_ingredients(table: pd.DataFrame) -> str:
    means = table.groupby("policy", sort=False)["gain"].mean()
    words = ", ".join(f"{name} {value:.1f} %" for name, value in means.items())
    return (
        f"On average over the sizes: {words}. An access time tells if the block follows another of its file, which "
        "costs little, but with NCQ also where the arm was and which others waited; the two effects about cancel."
    )


bars = partial(summarise, by=["run"], values=PHASE_COLUMNS)

draw_bars = partial(breakdown, bar="run", title="A drive that may choose waits less")


def bar(name: str, cache: int, depth: int) -> Runs:
    """Run LRU in a cache of *cache* bytes, or none at 0."""
    return Runs(lru_run, requests(4_000), {"run": name}, cache=cache, depth=depth)


STUDIES = (
    Study("ingredients", [drive_runs(policy=["LRU", *INGREDIENTS], share=[min(JUDGED_SHARES), max(JUDGED_SHARES)])],
          Figure(ingredients, draw_ingredients, caption_ingredients)),
    Study("tags", [drive_runs(policy=list(COMPARED), share=MIDDLE_SHARE, depth=list(TAG_COUNTS))],
          Figure(tags, draw_tags, caption_tags), measure_tags),
    Study("breakdown",
          [bar("no cache, no NCQ", 0, 1), bar("no cache, 32 tags", 0, TAGS), bar("LRU of 1 MiB, 32 tags", MIB, TAGS)],
          Figure(bars, draw_bars)),
)  # fmt: skip
