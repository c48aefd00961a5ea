"""What Max-IV's experiments vary, and how their results are drawn: a file a theme, in the order of the paper."""

from models.max_iv.experiments import (
    commands,
    day,
    discs,
    hashing,
    hits,
    instead,
    lines,
    management,
    shots,
    size,
    users,
    what_ifs,
)
from models.max_iv.experiments.common import CACHED, referred
from models.max_iv.experiments.hits import SIZES, draw_hit_ratio_vs_sectors
from models.max_iv.experiments.users import breakdown, draw_response_vs_users
from models.max_iv.experiments.what_ifs import draw_what_ifs

__all__ = [
    "CACHED", "EXPERIMENTS", "SIZES", "breakdown", "draw_hit_ratio_vs_sectors", "draw_response_vs_users",
    "draw_what_ifs", "referred",
]  # fmt: skip

EXPERIMENTS = (
    *hits.EXPERIMENTS,
    *what_ifs.EXPERIMENTS,
    *size.EXPERIMENTS,
    *users.EXPERIMENTS,
    *management.EXPERIMENTS,
    *day.EXPERIMENTS,
    *hashing.EXPERIMENTS,
    *lines.EXPERIMENTS,
    *discs.EXPERIMENTS,
    *commands.EXPERIMENTS,
    *shots.EXPERIMENTS,
    *instead.EXPERIMENTS,
)
