"""The mechanisms that Kim names, switched off one by one: the cache, NCQ, and the parts of FAC."""

from typing import Any

from spindle.models.sata_ncq.system import SYSTEM
from spindle.studies.ablation import AblatedSystem, Ablation, ablation
from spindle.studies.study import StudyWindow

MACHINE = AblatedSystem(SYSTEM)
TIME = "total_service"
ON = "--cache 280K"
"""6 % of the blocks that 8,000 requests of PCFAT32 use."""


def _mechanism(name: str, off: str, on: str = ON) -> Ablation:
    return Ablation(name, off, on, TIME)


MECHANISMS = (
    _mechanism("the disk cache", "--cache 0"),
    _mechanism("NCQ, without a cache", "--depth 1", "--cache 0"),
    _mechanism("NCQ, with it", "--depth 1"),
    _mechanism("FAC instead of LRU", "--policy lru"),
    _mechanism("FAC instead of LFU", "--policy lfu"),
    _mechanism("FAC instead of ATCA", "--policy atca"),
    _mechanism("access time in a block's worth", "--policy fac-count"),
    _mechanism("frequency in a block's worth", "--policy fac-time"),
    _mechanism("a maximum that follows the access times", "--policy fac-static"),
    _mechanism("a maximum that is begun anew", "--policy fac-all"),
    _mechanism("a maximum averaged with the one before", "--policy fac-last"),
    _mechanism("an average after ten accesses, not each", "--policy fac-each"),
    _mechanism("ten partitions, not two", "--policy fac-halves"),
    _mechanism("N counted at a block's first use", "--policy fac-hits"),
    _mechanism("an access time without the wait", "--cost wait"),
    _mechanism("writing back", "--write through"),
    _mechanism("the cache behind the tags, on the drive", "--place host"),
)


def run_with_options(options: str, seed: object, requests: int, **parameters: Any) -> dict[str, float]:
    return MACHINE.summary(options, (TIME,), seed=seed, requests=requests, keep_rows=False, **parameters)


WINDOW = StudyWindow({"requests": 8_000}, {"requests": 8_000})
"""A quick look has one seed, and as many requests: the cache is a share of the blocks that they use."""
STUDIES = (ablation("sata_ncq", run_with_options, WINDOW, MECHANISMS),)
