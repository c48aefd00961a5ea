"""One short run of each machine as text: ``python -m tests.models.one_run [--write]`` prints or keeps what it gives.

It runs on any Python that finds SimPy and lark, so that Pythons are compared which have none of the other packages.
"""

import json
import sys
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from spindle.systems import PLAYED, played_system

SHORTER: Mapping[str, Mapping[str, object]] = {
    "hp3000": {"terminals": 21, "minutes": 2.0, "warm_up": 1.0},
    "max_iv": {"users": 20, "minutes": 2.0, "warm_up": 1.0},
    "windows_nt": {"seconds": 4.0},
    "unix_stdio": {"program": "r08", "seconds": 20.0},
    "sata_ncq": {"requests": 500},
    "ml_loader": {"steps": 20},
    "buffer_pool": {"scale": 1, "minutes": 0.003, "warm_up": 0.001},
    "kv_cache": {"hbm": 1 << 30, "dram": 0, "minutes": 1.0, "warm_up": 0.5},
    "machine": {"terminals": 5, "minutes": 1.0, "warm_up": 0.5},
}
"""What makes a run short; a system that is not named here is run as it stands."""
RUNS = {system: SHORTER.get(system, {}) for system in PLAYED}
KEPT = Path(__file__).with_name("one_run.json")


def digest(system: str) -> str:
    """Of all numbers of the run of *system*, in the shortest digits that give them back."""
    result = played_system(system).run(seed=1, **RUNS[system])
    text = json.dumps([result.summary(), result.counters], sort_keys=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()


if __name__ == "__main__":
    digests = {system: digest(system) for system in [each for each in sys.argv[1:] if each in RUNS] or RUNS}
    text = json.dumps(digests, indent=2) + "\n"
    if "--write" in sys.argv:
        KEPT.write_text(text, "utf-8")
    print(text, end="")
