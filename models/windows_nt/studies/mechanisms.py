"""Study of the mechanisms Blake names, switched off one by one: the cache, its growth, trimming, reads and writer."""

from pathlib import Path
from typing import Any

from spindle.models.windows_nt.run import run
from spindle.models.windows_nt.studies.trials import workload
from spindle.models.windows_nt.system import SYSTEM
from spindle.studies.ablation import AblatedSystem, Ablation, ablation
from spindle.studies.study import seconds

MACHINE = AblatedSystem(SYSTEM)
TIME = "response_ms"


def _mechanism(name: str, off: str, on: str = "") -> Ablation:
    """Return the ablation of *name*: *off* are the options that switch it off.

    *on* are options of both runs; its first word may name a workload of the chapter, else it is that of figure 6.3.
    """
    probe, *more = on.split(maxsplit=1) or [""]
    script = f"--probe workloads/probe/{probe}.scr" if probe and not probe.startswith("-") else probe
    return Ablation(name, off, " ".join([script, *more]).strip(), TIME, "ms")


MECHANISMS = (
    _mechanism("the cache, read in sequence", "--mode unbuffered", "sequential_read"),
    _mechanism("the cache, written in sequence", "--mode unbuffered", "sequential_write"),
    _mechanism("the cache, read at random", "--mode unbuffered", "random_read"),
    _mechanism("the cache, updated at random", "--mode unbuffered", "random_read_write"),
    _mechanism("mapped files", "--mode buffered", "random_read --mode mapped"),
    _mechanism("a cache that grows as it is used", "--cache 2MiB"),
    _mechanism("trimming of working sets below 4 MB", "--trim-below 0"),
    _mechanism("local replacement where few pages are left", "--local-pages 0", "--trim-below 0"),
    _mechanism("clearmem before the trial", "--beside nobody", "--beside clearmem"),
    _mechanism("fast reads", "--fast-reads 0"),
    _mechanism("asynchronous reads", "--mode buffered", "overlapped_read"),
    _mechanism("read-ahead", "--read-ahead 4KiB", "sequential_update"),
    _mechanism("views let go behind a sequential reader", "--kept-views 100000", "sequential_update"),
    _mechanism("the lazy writer", "--mode write-through", "sequential_update"),
    _mechanism("flushes of 64 KB", "--flush 1", "sequential_update"),
    _mechanism("writers wait at a threshold", "--throttle 100000", "random_update"),
    _mechanism("a lazy writer that goes on while writers wait", "--waking each-period",
               "random_update --waking while-writers-wait"),
    _mechanism("a flush that keeps pages", "--flushing makes-room", "random_update"),
    _mechanism("a page writer of its own for mapped files", "--page-writers one", "random_update"),
    _mechanism("dirty pages that leave with their view", "--unmapping dirty-stay", "sequential_update"),
    _mechanism("Performance Monitor's log", "--log-interval 3600s"),
)


def run_with_options(options: str, seed: object, seconds: float, **parameters: Any) -> dict[str, float]:
    """Run with *options*; the script of ``--probe`` is found from any folder."""
    given = MACHINE.arguments(options)
    if isinstance(given.get("probe"), Path):
        given["probe"] = workload(given["probe"].stem)
    return {TIME: float(run(**given, seed=seed, seconds=seconds, **parameters).summary()[TIME])}


STUDIES = (ablation("windows_nt", run_with_options, seconds(40.0, shorter=4.0), MECHANISMS, replications=5),)
