"""numba's compiler where it is installed; elsewhere functions stay as they are."""

import os
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar, cast

from sim.compiled_parts import digest

Loop = TypeVar("Loop", bound=Callable[..., Any])

AVAILABLE = find_spec("numba") is not None
"""requirements-fast.txt has been installed."""
SIM = Path(__file__).parent


def compiled(loop: Loop) -> Loop:
    """*loop* as machine code, kept for the next process where that may be written; without numba *loop* itself.

    A loop may name numbers of the folders of loops alone: what is kept hangs on nothing else.
    """
    if not AVAILABLE:
        return loop
    import numba

    from sim.kept_code import KeptCode

    config: Any = numba.config
    others, machine_code = config.CACHE_DIR, numba.njit(loop, nogil=True)
    try:
        config.CACHE_DIR = str(folder(SIM, others))
        machine_code._cache = KeptCode(loop)
    except RuntimeError:  # there is no folder in which it could be kept
        pass
    finally:
        config.CACHE_DIR = others
    return cast(Loop, machine_code)


def kept(loop: Callable[..., Any]) -> bool:
    """Whether its machine code is there already, so that its first call takes no seconds."""
    if not AVAILABLE:
        return True
    import numba

    config: Any = numba.config
    name = f"{loop.__module__.rpartition('.')[2]}.{loop.__name__}-"
    return any(each.name.startswith(name) for each in folder(SIM, config.CACHE_DIR).rglob("*.nbi"))


@cache
def folder(sim: Path, chosen: str) -> Path:
    """Where machine code is kept, in the folder that the user has *chosen*, if any: other sources, another place.

    numba itself compares the file of a loop, and not those of the loops that it calls.
    """
    sources = digest((file.relative_to(sim).as_posix() for file in sim.glob("*/compiled/*.py")), sim)
    own = sim if os.access(sim, os.W_OK) else Path("~/.cache/spindle").expanduser()
    return Path(chosen or own / "__pycache__") / f"loops-{sources}"
