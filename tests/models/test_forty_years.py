"""The question of forty years in every system: flash is in the places of the discs."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from spindle.models.hp3000.studies.forty_years import run_on_storage as hp3000_run
from spindle.models.max_iv.studies.forty_years import run_on_storage as max_iv_run
from spindle.models.sata_ncq.studies.forty_years import run_on_storage as sata_run
from spindle.models.unix_stdio.studies.forty_years import run_on_storage as stdio_run
from spindle.models.windows_nt.studies.forty_years import run_on_storage as nt_run
from spindle.sim.error import UserError

SHORT: Mapping[str, tuple[Callable[..., Mapping[str, Any]], dict[str, Any], str]] = {
    "max_iv": (max_iv_run, {"seed": 1, "minutes": 1.5, "warm_up": 1.0, "sectors": 0}, "4138"),
    "windows_nt": (nt_run, {"work": "random_read", "mode": "unbuffered", "seed": 1, "seconds": 4.0}, "1993"),
    "sata_ncq": (sata_run, {"policy": "LRU", "share": 0.1, "requests": 150, "under_way": 4, "seed": 1}, "2010"),
}


@pytest.mark.parametrize("name", SHORT)
def test_flash_is_in_the_place_of_the_disc(name: str) -> None:
    """What is asked is the same, and takes less than half as long in drives that are hardly ever busy."""
    run, arguments, disc = SHORT[name]
    before, after = (run(storage=storage, **arguments) for storage in (disc, "sata"))
    assert after["response_mean"] < 0.5 * before["response_mean"]


def test_a_synchronous_program_waits_for_flash_and_for_its_capacitors() -> None:
    rate = {storage: stdio_run("w01", storage, 1, 10.0, changes={"size": 100})["rate"]
            for storage in ("2010", "nvme", "sata")}  # fmt: skip
    assert 100 * rate["2010"] < rate["nvme"] < 0.7 * rate["sata"]


def test_storage_that_there_is_not_is_refused() -> None:
    runs = [*((run, arguments) for run, arguments, _ in SHORT.values()),
            (stdio_run, {"program": "w01", "seed": 1, "seconds": 1.0}), (hp3000_run, {"terminals": 1})]  # fmt: skip
    for run, arguments in runs:
        with pytest.raises(UserError, match="unknown storage 'nvm': did you mean nvme"):
            run(storage="nvm", **arguments)
