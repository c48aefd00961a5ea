"""What Windows NT's experiments vary, and how their results are drawn: a file a theme, in the order of the chapter."""

from models.windows_nt.experiments import discs, fixed, growth, sides, table, trimming, updates
from models.windows_nt.experiments.anatomy import breakdown

__all__ = ["EXPERIMENTS", "breakdown"]

EXPERIMENTS = (
    *table.EXPERIMENTS,
    *growth.EXPERIMENTS,
    *updates.EXPERIMENTS,
    *sides.EXPERIMENTS,
    *fixed.EXPERIMENTS,
    *trimming.EXPERIMENTS,
    *discs.EXPERIMENTS,
)
