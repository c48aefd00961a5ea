"""How many are drawn of what could be drawn for ever: few in `make test`, many with FULL=1 and in `make soak`."""

import os

FULL_SAMPLES = "SPINDLE_FULL"


def sample(few: int, many: int) -> int:
    """Return *many* where everything is asked for, else *few*."""
    return many if os.environ.get(FULL_SAMPLES) else few
