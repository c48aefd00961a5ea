"""What ``spindle curve`` is asked for: policies, sizes, rules for objects, tiers; and what does not go together."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from models import own
from models.commands.settings import named
from models.commands.trace_storage import inclusion_of, positive, refuse_alone, seconds, tiers_of
from models.commands.values import count, number, size
from models.traces.curves import NAMES, policy_of
from models.traces.objects import BELADY_SIZE, ObjectRules, fit_for_bytes
from sim.curve.admission import ADMISSIONS, AdmitAll
from sim.curve.tiers import Inclusion, Tier
from sim.error import UserError

MOST_SIZES = 1000
AUTO = "auto"
GB = 10**9
"""What prices are for."""
TTL = {"ignore": False, "honour": True}
WHOLE = ("warm_up", "over_time", "by_device", "bytes", "admit", "tiers")
"""What a sample cannot answer."""


class StackPlan(NamedTuple):
    """*tiers*, what a reference to none of them takes, and whether they have prices."""

    tiers: Sequence[Tier]
    below: float
    inclusion: Inclusion
    priced: bool


class CurvePlan(NamedTuple):
    """Which curves are wanted: no *sizes* are the usual ones; a *warm_up* of None is found in the trace."""

    policies: Sequence[str]
    sizes: Sequence[int]
    block: int
    warm_up: float | None
    rules: ObjectRules | None
    stack: StackPlan | None


def curve_plan(options: Namespace) -> CurvePlan:
    block = size("--block", options.block)
    rules = _rules(options)
    _together(options, rules)
    return CurvePlan(_policies(options.policy, rules), _sizes(options.sizes, options.bytes), block, _warm_up(options),
                     rules, _stack(options, block))


def _rules(options: Namespace) -> ObjectRules | None:
    honoured = named("way to treat times to live", options.ttl or "ignore", TTL)
    if not (options.bytes or honoured or options.admit):
        return None
    admission = own.part("admission", options.admit, ADMISSIONS) if options.admit else AdmitAll
    admission()  # refuses arguments that cannot be
    return ObjectRules(options.bytes, honoured, admission)


def _together(options: Namespace, rules: ObjectRules | None) -> None:
    if options.sample is not None:
        for option in WHOLE:
            if getattr(options, option):
                raise UserError(f"--{option.replace('_', '-')} needs the whole trace, and not a --sample of it")
        if rules is not None:
            raise UserError("--ttl needs the whole trace, and not a --sample of it")
    if rules is not None and (options.response or options.tiers or options.over_time or options.by_device):
        raise UserError("--bytes, --ttl and --admit go without --response, --tiers, --over-time and --by-device")


def _policies(text: str, rules: ObjectRules | None) -> list[str]:
    names = own.split(text)
    for name in names:
        if rules is None or name != BELADY_SIZE or not rules.in_bytes:
            policy_of(name)
            if rules is not None and rules.in_bytes:
                fit_for_bytes(name)
        if names.count(name) > 1:
            raise UserError(f"--policy names {name} twice")
    return names


def _sizes(text: str | None, in_bytes: bool) -> list[int]:
    """None given: computed when the blocks are known."""
    if text is None:
        return []
    sizes = sorted({(size if in_bytes else count)("--sizes", each) for each in text.split(",")})
    if len(sizes) > MOST_SIZES:
        raise UserError(f"--sizes names {len(sizes)} sizes, and {MOST_SIZES} are the most")
    return sizes


def _warm_up(options: Namespace) -> float | None:
    if options.warm_up == AUTO:
        return None
    share = number("--warm-up", options.warm_up or "0")
    if not 0.0 <= share < 1.0:
        raise UserError(f"--warm-up must be a share of the references from 0 up to 1, not {share!r}")
    return share


def _stack(options: Namespace, block: int) -> StackPlan | None:
    if options.tiers is None:
        refuse_alone(options, ("inclusion", "below", "prices"))
        return None
    tiers = tiers_of(options.tiers, block)
    if options.prices is not None:
        prices = [positive("--prices", each, number("--prices", each)) for each in options.prices.split(",")]
        if len(prices) != len(tiers):
            raise UserError(f"--prices names {len(prices)} prices for {len(tiers)} tiers")
        tiers = [replace(tier, price=price * tier.blocks * block / GB)
                 for tier, price in zip(tiers, prices, strict=True)]
    below = tiers[-1].seconds if options.below is None else seconds("--below", options.below)
    return StackPlan(tiers, below, inclusion_of(options), options.prices is not None)


POLICY_HELP = f"{' | '.join(NAMES)}, perhaps with arguments, as s3-fifo(small=0.1); with --bytes also "\
              f"{BELADY_SIZE}; default lru"
