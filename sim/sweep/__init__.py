"""Many runs: grids and designs, on all cores or on a cluster, stored, resumed, until they are precise enough."""

from sim.sweep.design import latin, sobol
from sim.sweep.sweep import sweep

__all__ = ["latin", "sobol", "sweep"]
