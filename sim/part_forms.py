"""Types for arguments that are parts, given as an object, a class or a name; and the tables of named parts.

At run time a form only names its kind, so that a command's help imports no drive.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from spindle.sim.disc.registry import SCHEDULERS, STORES
from spindle.sim.eviction.registry import POLICIES

if TYPE_CHECKING:
    from spindle.sim.disc.drive import Scheduler
    from spindle.sim.disc.flash.drive import DriveType
    from spindle.sim.disc.mechanism import Mechanism
    from spindle.sim.eviction.policy import EvictionPolicy


@runtime_checkable
class ReadSheet(Protocol):
    """A drive's sheet that was read from a file: a DriveSheet."""

    @property
    def disc(self) -> "DriveType": ...


class PartForm:
    """A type of an argument that is a part of one *kind*."""

    kind: ClassVar[str]


if TYPE_CHECKING:
    DriveForm = DriveType | Mechanism | ReadSheet | str | Path
    SchedulerForm = Scheduler | Callable[[], Scheduler] | str
    PolicyForm = Callable[..., EvictionPolicy] | str
else:

    class DriveForm(PartForm):
        """A sheet, a DriveSheet of ``read_sheet``, the name of a known drive, or the file of a sheet.

        >>> def run(drive: DriveForm = "hp7920"): ...
        """

        kind = "drive"

    class SchedulerForm(PartForm):
        """A scheduler, its class, or its name: ``sptf``, ``sptf(ageing=0.006)``, ``mine.py:Mine``.

        >>> def run(scheduler: SchedulerForm = "sptf"): ...
        """

        kind = "scheduler"

    class PolicyForm(PartForm):
        """The class of a policy, a function that makes one, or its name: ``lru``, ``lru-k(k=3)``, ``mine.py:Mine``.

        >>> def run(policy: PolicyForm = "arc"): ...
        """

        kind = "policy"

NAMED_PARTS: Mapping[str, Mapping[str, Any]] = {"drive": STORES, "scheduler": SCHEDULERS, "policy": POLICIES}
"""The parts of each kind by name."""
SHEET = ".yaml"
"""End of the names of drive files."""


def is_sheet(word: str, choices: Mapping[str, Any] = STORES) -> bool:
    """Tell if *word* is the file of a drive's sheet, which may have any name that is not a drive's or Python's."""
    return word.endswith(SHEET) or (word != "" and word not in choices and ".py" not in word and Path(word).exists())
