"""What the paper states and the model takes as it is, read off the parts that have it."""

from collections.abc import Mapping

from models.hp3000.image.data_set import FAMILIES
from models.hp3000.load import shipped
from models.hp3000.parameters import Parameters
from models.hp3000.series import SERIES_III
from sim.parameter import changed
from sim.units import KIB, MIB, MINUTE, MS
from workloads.drivers import SCRIPTS_A_DRIVER, needed


def given(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Inputs of the model, whatever the *seed*."""
    used = changed(Parameters(), **parameters)
    terminals = sum(script.terminals for script in shipped("hybrid_101.tepe"))
    return {
        "mips_iii": SERIES_III.mips, "mips_64": used.mips,
        "memory_iii_mb": SERIES_III.memory / MIB, "memory_64_mb": used.memory / MIB,
        "sequential_fetch_kb": used.fetch_sequential / KIB, "random_fetch_kb": used.fetch_random / KIB,
        "overhead_ms": used.hit_cpu / MS, "data_sets": float(sum(family.count for family in FAMILIES.values())),
        "terminals": float(terminals), "drivers": float(needed(terminals)), "scripts": float(SCRIPTS_A_DRIVER),
        "interval": MINUTE,
    }  # fmt: skip
