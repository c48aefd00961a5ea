"""Compiles loops with numba and keeps the machine code; without numba the functions run as plain Python."""

import os
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar, cast

Loop = TypeVar("Loop", bound=Callable[..., Any])

AVAILABLE = find_spec("numba") is not None
"""True if numba is installed (requirements-fast.txt)."""


def compile_loop(loop: Loop) -> Loop:
    """Return *loop* as machine code, kept for the next process if the folder may be written; without numba *loop*
    itself.

    A loop may only name functions and numbers of its folder: kept machine code depends on nothing else.
    """
    if not AVAILABLE:
        return loop
    import numba

    from spindle.sim.kept_code import KeptCode

    config: Any = numba.config
    others, machine_code = config.CACHE_DIR, numba.njit(loop, nogil=True, no_cfunc_wrapper=True)
    template = machine_code.get_call_template
    # A call with a number that is written there shares machine code with others; numba would compile it once more.
    machine_code.get_call_template = lambda given, named: template(tuple(map(numba.types.unliteral, given)), named)
    try:
        config.CACHE_DIR = str(cache_folder(_sources(loop), others))
        machine_code._cache = KeptCode(loop)
    except RuntimeError:  # there is no folder in which it could be kept
        pass
    finally:
        config.CACHE_DIR = others
    return cast(Loop, machine_code)


def let_loops_call(function: Callable[..., Any], instead: Callable[..., Any] | None = None) -> None:
    """Let loops call the plain *function* by its name, or another *instead*; Python callers get *function*."""
    if AVAILABLE:
        from numba.extending import overload

        overload(function, strict=False)(lambda *arguments: instead or function)


def is_kept(loop: Callable[..., Any]) -> bool:
    """Tell whether machine code of *loop* is there already, so that its first call takes no seconds."""
    if not AVAILABLE:
        return True
    import numba

    config: Any = numba.config
    name = f"{loop.__module__.rpartition('.')[2]}.{loop.__name__}-"
    return any(each.name.startswith(name) for each in cache_folder(_sources(loop), config.CACHE_DIR).rglob("*.nbi"))


def _sources(loop: Any) -> Path:
    """The folder of the file that *loop* is written in."""
    return Path(loop.__code__.co_filename).parent


@cache
def cache_folder(sources: Path, chosen: str) -> Path:
    """Return the folder for machine code, below the user's *chosen* one if given; other *sources* get another folder.

    numba itself compares the file of a loop, and not those of the loops that it calls.
    """
    digest = blake2b(digest_size=16)
    for file in sorted(sources.glob("*.py")):
        digest.update(f"{file.name}\0".encode() + file.read_bytes() + b"\0")
    home = sources if os.access(sources, os.W_OK) else Path("~/.cache/spindle").expanduser()
    return Path(chosen or home / "__pycache__") / f"loops-{digest.hexdigest()}"
