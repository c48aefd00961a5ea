"""Tiers on a command line, as 8GB:0.1us,1TB:100us, for commands that count and for commands that replay."""

from argparse import Namespace
from collections.abc import Sequence

from models.commands.settings import named
from sim.curve.tiers import Inclusion, Tier
from sim.error import UserError, shown
from sim.quantity import amount

MOST_TIERS = 5
TIERS_HELP = "caches one below another under LRU, each with its time for a block, as 8GB:0.1us,64GB:2us,1TB:100us; " \
             "of blocks of --block"
INCLUSION_HELP = "of tiers: exclusive | inclusive; default exclusive"


def tiers_of(text: str, block: int) -> list[Tier]:
    tiers = [_tier(each, block) for each in text.split(",")]
    if len(tiers) > MOST_TIERS:
        raise UserError(f"--tiers names {len(tiers)} tiers, and {MOST_TIERS} are the most")
    return tiers


def inclusion_of(options: Namespace) -> Inclusion:
    rule: Inclusion = named("inclusion", options.inclusion or "exclusive", {each.value: each for each in Inclusion})
    return rule


def refuse_alone(options: Namespace, others: Sequence[str]) -> None:
    """UserError where one of the *others* is given, and no tiers."""
    for option in others:
        if getattr(options, option) is not None:
            raise UserError(f"--{option} is for --tiers")


def _tier(text: str, block: int) -> Tier:
    room, colon, time = text.partition(":")
    if not colon:
        raise UserError(f"--tiers takes SIZE:SECONDS,..., as 8GB:0.1us,1TB:100us, not {shown(text)}")
    thousands = 1024 if room.upper().endswith(("T", "TIB")) else 1000
    held = amount(room.upper().replace("T", "G", 1), "bytes")
    blocks = int(positive("--tiers", room, held) * (thousands if "T" in room.upper() else 1) // block)
    if not blocks:
        raise UserError(f"--tiers: {room} has no room for a block of {block} bytes")
    return Tier(blocks, seconds("--tiers", time))


def seconds(name: str, text: str) -> float:
    return positive(name, text, amount(text, "s"))


def positive(name: str, text: str, value: float | None) -> float:
    if value is None or not 0.0 < value < 1e18:
        raise UserError(f"{name} takes positive numbers with units, such as 8GB, 2us or 0.5, not {shown(text)}")
    return value
