"""What the experiments on FAC and NCQ vary, and how their results are drawn: a file a question."""

from models.sata_ncq.experiments import figure_1, ingredients, losses, partitions, queue, real, totals
from models.sata_ncq.experiments.anatomy import breakdown

__all__ = ["EXPERIMENTS", "breakdown"]

EXPERIMENTS = (
    *figure_1.EXPERIMENTS,
    *totals.EXPERIMENTS,
    *ingredients.EXPERIMENTS,
    *partitions.EXPERIMENTS,
    *queue.EXPERIMENTS,
    *losses.EXPERIMENTS,
    *real.EXPERIMENTS,
)
