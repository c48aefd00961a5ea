"""Tells which options change nothing: those that need another, which is off, and schedulers where there is no arm."""

from collections.abc import Iterator
from typing import Any

from spindle.questions.field import spell
from spindle.questions.settings import unusual_fields
from spindle.questions.storage import CacheOptions
from spindle.sim import forms
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.registry import SCHEDULERS
from spindle.sim.disc.scheduling import BY_ARM
from spindle.sim.part_forms import SchedulerForm

NO_ARM = "{} {} goes by the arm, of which {} has none: requests are served as they come"
OFF = "{} changes nothing, as {} is {}"
NO_CACHE = "0 B"
"""The size of a cache that there is not, as it is shown."""


def without_arm(scheduler: SchedulerForm | None, *drives: Any) -> Iterator[str]:
    """Yield a sentence on each of *drives* that is flash, on which a *scheduler* by the arm has nothing to order by."""
    made = forms.scheduler(scheduler)
    if not isinstance(made, BY_ARM):
        return
    known = (name for name in SCHEDULERS if SCHEDULERS[name] is type(made))
    name = scheduler if isinstance(scheduler, str) else next(known, type(made).__name__)
    yield from (NO_ARM.format(spell("scheduler"), name, each.name) for each in drives if isinstance(each, FlashType))


def switched_off(option: str, switch: str, value: str) -> str:
    """Return the sentence on an *option* that changes nothing where the option *switch* has that *value*."""
    return OFF.format(spell(option), spell(switch), value)


def without_cache(memory: CacheOptions) -> Iterator[str]:
    """Yield a sentence on each option of a cache that there is not."""
    yield from (switched_off(option, "cache", NO_CACHE) for option in unusual_fields(memory) if not memory.cache)
