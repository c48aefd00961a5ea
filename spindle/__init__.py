"""The public names of `sim` under the name of the command: ``from spindle import Computer``."""

from typing import TYPE_CHECKING

import sim
from sim.output.origin import version

if TYPE_CHECKING:
    from sim import *  # noqa: F403

__version__ = version()
__all__ = [*sim.__all__, "__version__"]


def __getattr__(name: str) -> object:
    """The public *name* of ``sim``, imported when it is first asked for."""
    return getattr(sim, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
