"""Chapter 4's checks of a disc: one record again and again, the larger the longer, and what that transfers."""

import pandas as pd
from matplotlib.axes import Axes

from models.windows_nt.experiments.bench_disc import BENCH, read_alone
from models.windows_nt.experiments.workloads import workload
from sim.plots.curves import curve
from sim.study.system import Effort, Experiment
from sim.units import MIB, MS
from workloads.probe.script import PAGE
from workloads.probe.variant import in_records, widened

PAGES = range(1, 17)
REVOLUTION_MS = BENCH.revolution / MS


def same_record(pages: int) -> dict[str, float]:
    """One record of so many *pages* read again and again, which no chance has a part in."""
    seconds = read_alone(in_records(workload("disc_512"), pages * PAGE), 1, 1)["response"]
    return {"pages": pages, "read_ms": seconds / MS, "mb_per_second": pages * PAGE / seconds / MIB}


def record_size(effort: Effort) -> pd.DataFrame:
    return pd.DataFrame([same_record(pages) for pages in PAGES])


def draw_record_size(frame: pd.DataFrame) -> Axes:
    return curve(
        frame, "pages", "mb_per_second", x_label="record, pages of 4 KB", y_label="transferred, MB a second",
        title="A record that misses its revolution waits for the next",
    )  # fmt: skip


def remark_record_size(frame: pd.DataFrame) -> str:
    most, pages = best(frame)
    return (
        f"At most {most:.2f} MB a second, at {pages} pages (the book: 1.4 at 12). A revolution more at "
        f"{', '.join(map(str, steps(frame)))} pages; in the book also at 16, where its adapter probably cut the "
        "transfer in two."
    )


def best(frame: pd.DataFrame) -> tuple[float, int]:
    """The most that is transferred, and by how many pages."""
    return max(zip(frame["mb_per_second"].tolist(), frame["pages"].tolist(), strict=True))


def steps(frame: pd.DataFrame) -> list[int]:
    """The sizes at which a read takes a revolution more than with a page less."""
    longer = frame["read_ms"].diff() > REVOLUTION_MS / 2
    return [int(pages) for pages in frame["pages"][longer].tolist()]


def disc_checks(seed: object, length: float = 1.0, **parameters: object) -> dict[str, float]:
    """What chapter 4 measures on a disc alone; no parameter has a part in it."""
    cycles = max(5, round(20 * length))
    one = read_alone(workload("disc_512"), seed, cycles)
    five = read_alone(workload("disc_512_by_5"), seed, cycles)
    far = read_alone(workload("disc_60k"), seed, 40 * cycles)
    wide = read_alone(widened(workload("disc_60k")), seed, 40 * cycles)
    sizes = pd.DataFrame([same_record(pages) for pages in PAGES])
    most, pages = best(sizes)
    return {
        "read_512_ms": one["response"] / MS, "reads_512": one["rate"], "busy_512": one["busy"],
        "queued_s": five["disc_response"], "queue": five["queue"],
        "read_60k_ms": far["disc_response"] / MS, "wide_60k_ms": wide["disc_response"] / MS,
        "best_mb": most, "best_pages": pages,
        **{f"step_at_{pages}": float(pages in steps(sizes)) for pages in (6, 13, 16)},
    }  # fmt: skip


EXPERIMENTS = (
    Experiment(
        "record_size",
        "Chapter 4: what a 3600 rpm disc transfers when the same record is read again and again, by its size.",
        record_size, draw_record_size, remark_record_size,
    ),
)  # fmt: skip
