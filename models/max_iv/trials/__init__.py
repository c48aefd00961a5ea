"""The replications that Max-IV's claims are judged by: a file a theme."""

from collections.abc import Mapping

from models.max_iv.trials.drives import disc_table, first_sector, two_readers
from models.max_iv.trials.hashing import hash_orders, searches
from models.max_iv.trials.lines import characters
from models.max_iv.trials.load import as_meant, knee, main_load, other_sizes, without_cache
from models.max_iv.trials.paper import arithmetic
from models.max_iv.trials.shell import search_path, spawn, who
from models.max_iv.trials.shots import dip, shot
from sim.study.system import Trial

TRIALS: Mapping[str, Trial] = {
    "main_load": main_load,
    "other_sizes": other_sizes,
    "knee": knee,
    "as_meant": as_meant,
    "without_cache": without_cache,
    "hash_orders": hash_orders,
    "searches": searches,
    "characters": characters,
    "shot": shot,
    "dip": dip,
    "who": who,
    "search_path": search_path,
    "spawn": spawn,
    "disc_table": disc_table,
    "first_sector": first_sector,
    "two_readers": two_readers,
    "arithmetic": arithmetic,
}
