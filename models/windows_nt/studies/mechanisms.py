"""Switches off one by one the mechanisms that Blake names: the cache, its growth, trimming, kinds of reads, writers."""

from pathlib import Path
from typing import Any

from spindle.models.windows_nt.run import run
from spindle.models.windows_nt.studies.trials import workload
from spindle.models.windows_nt.system import SYSTEM
from spindle.studies.ablation import AblatedSystem, ablation, read_mechanisms
from spindle.studies.study import seconds

MACHINE = AblatedSystem(SYSTEM)
TIME_MEASURE = "response_ms"
MECHANISMS = read_mechanisms(Path(__file__).parents[1] / "mechanisms.toml")


def run_with_options(options: str, seed: object, seconds: float, **parameters: Any) -> dict[str, float]:
    """Run with *options*; the script of ``--probe`` is found from any folder."""
    given = MACHINE.arguments(options)
    if isinstance(given.get("probe"), Path):
        given["probe"] = workload(given["probe"].stem)
    return {TIME_MEASURE: float(run(**given, seed=seed, seconds=seconds, **parameters).summary()[TIME_MEASURE])}


STUDIES = (ablation("windows_nt", run_with_options, seconds(40.0, shorter=4.0), MECHANISMS, replications=5),)
