"""Where the time of a record goes, by the way to its file."""

import pandas as pd

from models.windows_nt.experiments.table import LEAST, MODES
from models.windows_nt.experiments.workloads import workload
from models.windows_nt.run import run
from sim.study.system import Effort
from workloads.probe.script import Probe
from workloads.probe.variant import in_mode

BARS = {
    **{f"random read, {mode}": in_mode(workload("random_read"), MODES[mode]) for mode in MODES},
    **{f"random read/write, {mode}": in_mode(workload("random_read_write"), MODES[mode]) for mode in MODES},
}


def breakdown(effort: Effort) -> pd.DataFrame:
    """Random records of table 6.2, one column a part; nothing in them varies much from seed to seed."""
    return pd.DataFrame([parts(name, probe) for name, probe in BARS.items()])


def parts(name: str, probe: Probe) -> dict[str, object]:
    """Seconds of a record by part."""
    summary = run(probe, 1, LEAST).summary()
    return {"run": name, **{part: value for part, value in summary.items() if part.startswith("part_")}}
