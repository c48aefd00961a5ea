"""Max-IV's trials, shortened and with changed parameters."""

import pytest

from models.max_iv.trials import TRIALS
from sim.error import UserError
from sim.units import US

LENGTH = 0.01


SYSTEM = [name for name in TRIALS if name not in ("first_sector", "disc_table", "two_readers")]


@pytest.mark.parametrize("name", SYSTEM)
def test_every_trial_of_the_system_takes_changed_parameters(name: str) -> None:
    with pytest.raises(UserError, match="unknown parameter 'disks'"):
        TRIALS[name](seed=1, length=LENGTH, disks=3)


def test_a_drive_alone_depends_on_no_parameter() -> None:
    assert TRIALS["first_sector"](seed=1, length=LENGTH, discs=2) == TRIALS["first_sector"](seed=1)


def test_changed_parameters_reach_what_a_trial_works_out_itself() -> None:
    usual, slow = TRIALS["searches"](seed=1), TRIALS["searches"](seed=1, compare=20 * US)
    assert slow == pytest.approx({name: 2 * value for name, value in usual.items()})
    assert TRIALS["arithmetic"](seed=1, toc_bytes=256, copy=1e-3)["toc_from_cache_ms"] == pytest.approx(1.0)
    assert TRIALS["spawn"](seed=1, shell_words=32768)["spawn_ms"] < 0.7 * TRIALS["spawn"](seed=1)["spawn_ms"]


def test_a_sectors_time_in_the_cache_is_its_copy_and_its_search() -> None:
    load = TRIALS["main_load"](seed=1, length=LENGTH, copy=500 * US)
    assert load["hit_service_us"] == pytest.approx(500 + 1e6 * load["search_mean"])
