"""numba's compiler where it is installed; elsewhere functions stay as they are."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, TypeVar, cast

Loop = TypeVar("Loop", bound=Callable[..., Any])

AVAILABLE = find_spec("numba") is not None
"""requirements-fast.txt has been installed."""


def compiled(loop: Loop) -> Loop:
    """*loop* as machine code, kept for the next process where that may be written; without numba *loop* itself."""
    if not AVAILABLE:
        return loop
    from numba import njit

    try:
        return cast(Loop, njit(loop, cache=True, nogil=True))
    except RuntimeError:  # there is no folder in which it could be kept
        return cast(Loop, njit(loop, nogil=True))
