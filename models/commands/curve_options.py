"""What ``spindle curve`` is asked for: policies, sizes, rules for objects, tiers; and what does not go together."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from models import own
from models.commands.settings import named
from models.commands.values import count, number, size
from models.traces.curves import NAMES, policy_of
from models.traces.objects import BELADY_SIZE, ObjectRules
from sim.curve.admission import ADMISSIONS, AdmitAll
from sim.curve.tiers import Inclusion, Tier
from sim.error import UserError, shown
from sim.quantity import amount

MOST_SIZES = 1000
MOST_TIERS = 5
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
        for option in ("inclusion", "below", "prices"):
            if getattr(options, option) is not None:
                raise UserError(f"--{option} is for --tiers")
        return None
    tiers = [_tier(text, block) for text in options.tiers.split(",")]
    if len(tiers) > MOST_TIERS:
        raise UserError(f"--tiers names {len(tiers)} tiers, and {MOST_TIERS} are the most")
    if options.prices is not None:
        prices = [_positive("--prices", each, number("--prices", each)) for each in options.prices.split(",")]
        if len(prices) != len(tiers):
            raise UserError(f"--prices names {len(prices)} prices for {len(tiers)} tiers")
        tiers = [replace(tier, price=price * tier.blocks * block / GB)
                 for tier, price in zip(tiers, prices, strict=True)]
    below = tiers[-1].seconds if options.below is None else _seconds("--below", options.below)
    inclusion = named("inclusion", options.inclusion or "exclusive", {each.value: each for each in Inclusion})
    return StackPlan(tiers, below, inclusion, options.prices is not None)


def _tier(text: str, block: int) -> Tier:
    room, colon, seconds = text.partition(":")
    if not colon:
        raise UserError(f"--tiers takes SIZE:SECONDS,..., as 8GB:0.1us,1TB:100us, not {shown(text)}")
    thousands = 1024 if room.upper().endswith(("T", "TIB")) else 1000
    held = amount(room.upper().replace("T", "G", 1), "bytes")
    blocks = int(_positive("--tiers", room, held) * (thousands if "T" in room.upper() else 1) // block)
    if not blocks:
        raise UserError(f"--tiers: {room} has no room for a block of {block} bytes")
    return Tier(blocks, _seconds("--tiers", seconds))


def _seconds(name: str, text: str) -> float:
    return _positive(name, text, amount(text, "s"))


def _positive(name: str, text: str, value: float | None) -> float:
    if value is None or not 0.0 < value < 1e18:
        raise UserError(f"{name} takes positive numbers with units, such as 8GB, 2us or 0.5, not {shown(text)}")
    return value


POLICY_HELP = f"{' | '.join(NAMES)}, perhaps with arguments, as s3-fifo(small=0.1); with --bytes also "\
              f"{BELADY_SIZE}; default lru"
