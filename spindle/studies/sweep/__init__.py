"""Many runs: grids and designs, on all cores or on a cluster, stored, resumed, until they are precise enough."""

from spindle.studies.sweep.design import latin, sobol
from spindle.studies.sweep.sweep import sweep

__all__ = ["latin", "sobol", "sweep"]
