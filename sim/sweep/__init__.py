"""Many runs: grids of parameters on all cores or on a cluster, stored, resumed, until they are precise enough."""

from sim.sweep.sweep import sweep

__all__ = ["sweep"]
