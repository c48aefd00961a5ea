"""Tests write amplification against the closed forms, for writes that fall uniformly and for hot and cold ones.

Host writes are N units in P places: N is what the die holds, P what its full blocks have room for. Cleaned in the
order of filling, a place is cleaned T host writes after it was filled, and valid with probability exp(-rT) if its
unit is written at the rate r. So P = sum over kinds of units of sT / (1 - exp(-rT)), of a share s of the writes; for
uniform writes that is the form with Lambert's W (Desnoyers, SYSTOR 2012). Cleaned greedily, blocks of b units fall
from level k of valid units to the next in proportion to k, and are cleaned at level x: N b (H_b - H_x) = P (b - x),
the limit of Van Houdt's mean field (SIGMETRICS 2013) for all blocks to choose from.
"""

from collections.abc import Callable
from dataclasses import replace
from math import exp
from random import Random

import pytest
from scipy.optimize import brentq
from scipy.special import digamma, lambertw

from spindle.sim.disc.flash.drive import write_amplification
from spindle.sim.disc.flash.mechanism import NOWHERE, Die, Flash
from spindle.sim.disc.flash.sheet import Choices, Chooser, CostBenefit, FlashType, Nand, fewest_valid, sata
from spindle.sim.disc.flash.steady import cleaned_level, steady_levels
from spindle.sim.disc.virtual import HOME
from spindle.sim.request import WRITE, Span

SIZE, BLOCKS, RESERVE = 32, 160, 2
OPEN = RESERVE + 1
"""Blocks that are never full: those kept empty but one, and two that are open and half full together."""
HOT_SHARE, HOT_WRITES = 0.2, 0.8


def steady_amplification(mean: float, size: int) -> float:
    """The units programmed for each that the host writes: a cleaned block has room for *size* - x of them."""
    return size / (size - cleaned_level(mean, size))


def places() -> int:
    return (BLOCKS - OPEN) * SIZE


def in_order(units: int, rates: list[tuple[float, float]]) -> float:
    """Amplification with cleaning in the order of filling; *rates* are shares of units, and of the writes to them."""
    def missing(cycle: float) -> float:
        kinds = (writes * cycle / (1.0 - exp(-writes * cycle / (share * units))) for share, writes in rates)
        return sum(kinds) - places()

    cycle = brentq(missing, 1.0, places())
    return places() / float(cycle)


def greedily(units: int) -> float:
    def missing(level: float) -> float:
        return float(units * SIZE * (digamma(SIZE + 1) - digamma(level + 1)) - places() * (SIZE - level))

    return SIZE / (SIZE - float(brentq(missing, 0.0, SIZE - 0.5)))


def by_choices(units: int, d: int) -> float:
    """The fixed point of the mean field: shares of blocks by level, the lowest of *d* drawn is cleaned."""
    mean = units * SIZE / places()
    share = [0.0] * (SIZE + 1)
    low = int(mean)
    share[low], share[low + 1] = 1.0 - (mean - low), mean - low
    for _ in range(6_000):
        above = [sum(share[level:]) for level in range(SIZE + 2)]
        chosen = [above[level] ** d - above[level + 1] ** d for level in range(SIZE + 1)]
        fresh = SIZE - sum(level * part for level, part in enumerate(chosen))
        fall = [fresh * level * part / mean for level, part in enumerate(share)]
        share = [part + 0.01 * ((fall[level + 1] if level < SIZE else 1.0) - fall[level] - chosen[level])
                 for level, part in enumerate(share)]
    return SIZE / fresh


def oldest(full: list[int], valid: object, written: list[int], now: int) -> int:
    return min(full, key=lambda block: written[block])


def measured(choose: Chooser, units: int, pick: Callable[[Random], int]) -> float:
    """Amplification of a die that holds *units*, once it has been written over several times."""
    die, random = Die(BLOCKS, SIZE, RESERVE, choose), Random(5)
    for unit in range(units):
        die.write(unit)
    for _ in range(3 * units):
        die.write(pick(random))
    written, copied = die.written, die.copied
    for _ in range(4 * units):
        die.write(pick(random))
    assert die.faults() == []
    return 1.0 + (die.copied - copied) / (die.written - written)


def uniform(units: int) -> Callable[[Random], int]:
    return lambda random: random.randrange(units)


def skewed(units: int) -> Callable[[Random], int]:
    hot = int(HOT_SHARE * units)
    return lambda random: random.randrange(hot) if random.random() < HOT_WRITES else random.randrange(hot, units)


def units_at(over_provisioning: float) -> int:
    return int(BLOCKS * SIZE / (1.0 + over_provisioning))


@pytest.mark.parametrize("spare", [0.12, 0.28, 0.6, 1.0])
def test_greedy_cleaning_under_uniform_writes(spare: float) -> None:
    units = units_at(spare)
    assert measured(fewest_valid, units, uniform(units)) == pytest.approx(greedily(units), rel=0.03)


@pytest.mark.parametrize("spare", [0.12, 0.28, 0.6])
def test_cleaning_in_order_under_uniform_writes(spare: float) -> None:
    units = units_at(spare)
    alpha = places() / units
    closed = alpha / (alpha + lambertw(-alpha * exp(-alpha)).real)
    assert closed == pytest.approx(in_order(units, [(1.0, 1.0)]), rel=1e-6)
    assert measured(oldest, units, uniform(units)) == pytest.approx(closed, rel=0.03)


@pytest.mark.parametrize("d", [2, 5])
def test_the_best_of_some_drawn_at_random(d: int) -> None:
    units = units_at(0.4)
    measure = measured(Choices(d).chooser(0, SIZE), units, uniform(units))
    assert measure == pytest.approx(by_choices(units, d), rel=0.04)


def test_cleaning_in_order_under_hot_and_cold_writes() -> None:
    units = units_at(0.28)
    rates = [(HOT_SHARE, HOT_WRITES), (1.0 - HOT_SHARE, 1.0 - HOT_WRITES)]
    assert measured(oldest, units, skewed(units)) == pytest.approx(in_order(units, rates), rel=0.03)


def test_age_counts_where_some_units_are_hot() -> None:
    """Greedy cleaning keeps cold blocks for ever that are nearly full; their age tells cost-benefit."""
    units = units_at(0.28)
    costly, greedy = (measured(each, units, skewed(units)) for each in (CostBenefit().chooser(0, SIZE), fewest_valid))
    assert costly < 0.95 * greedy


SPARES = [0.07, 0.15, 0.28, 0.5, 1.0]
LARGE = 480
"""Blocks of a die for which the limit of many blocks holds."""


def drawn(units: int, blocks: int = LARGE) -> Die:
    die = Die(blocks, SIZE, RESERVE, fewest_valid)
    die.fill(units, (SIZE // 2, SIZE // 3), Random(3).random)
    return die


@pytest.mark.parametrize("spare", SPARES)
def test_a_drawn_state_is_steady_at_once(spare: float) -> None:
    """Written over from its first write on, it has the amplification of the closed form, within 2 %."""
    units = int(LARGE * SIZE / (1.0 + spare))
    die, random = drawn(units), Random(5)
    for _ in range(3 * units):
        die.write(random.randrange(units))
    assert die.faults() == []
    mean = units / ((LARGE - OPEN) * SIZE)
    assert 1.0 + die.copied / die.written == pytest.approx(steady_amplification(mean * SIZE, SIZE), rel=0.02)


@pytest.mark.parametrize("spare", SPARES)
def test_the_closed_forms_agree(spare: float) -> None:
    """With exact harmonic numbers, and with those of the part."""
    units = units_at(spare)
    assert steady_amplification(units * SIZE / places(), SIZE) == pytest.approx(greedily(units), rel=0.002)


@pytest.mark.parametrize(("units", "blocks", "size"), [(100, 30, 8), (239, 30, 8), (240, 30, 8), (3, 30, 8), (0, 5, 4)])
def test_levels_hold_all_units(units: int, blocks: int, size: int) -> None:
    levels = steady_levels(units, blocks, size)
    assert (sum(levels), len(levels)) == (units, blocks)
    assert all(0 <= level <= size for level in levels)


def test_a_drive_of_which_a_part_is_drawn_is_steady_from_its_first_writes() -> None:
    """20,000 writes of a drive with 128 dies close some 40 of its blocks, of 512 units: each die is within one."""
    nand = Nand(8, 16, 2, 128, 64, 16384, 50e-6, 10e-3, 3e-3, 400e6)
    sheet = FlashType("steady", nand, sata(5e9, 1e-7), 128 * 100 * 512 * 4096, filled=1.0)
    runs = []
    for filled in (0.0, 0.5, 1.0):
        flash, random, end = Flash(replace(sheet, filled=filled)), Random(4), 0.0
        for _ in range(20_000):
            span = Span(4096 * random.randrange(int(0.49 * sheet.capacity / 4096)), 4096)
            service, _ = flash.serve(HOME, 0.0, WRITE, span)
            end = max(end, service.total)
        assert flash.faults() == []
        runs.append((write_amplification(flash.reading()), end))
    (new, quick), (half, _), (full, slow) = runs
    assert new == 1.0
    assert half < full == pytest.approx(steady_amplification(100 * 512 / 125, 512), rel=0.35)
    assert slow > 1.5 * quick


def test_a_drawn_state_forgets_what_is_trimmed() -> None:
    units = 2000
    die = drawn(units, 80)
    for unit in range(units):
        die.trim(unit)
    die.trim(units)
    assert (die.mapped, die.trimmed, sum(die.valid)) == (0, units, 0)
    assert die.faults() == []
    assert die.place_of(0) == NOWHERE
