"""Windows NT's trials: they take parameters, and give what its claims ask for."""

from pathlib import Path

import pytest

import models.windows_nt.trials as trials
from models.windows_nt.trials import TRIALS, large_read, settings, table
from sim.claims.claims import Claim, read_claims
from sim.error import UserError
from sim.units import MIB

CLAIMS = read_claims(Path(trials.__file__).with_name("claims.toml"))


def asked_of(name: str) -> set[str]:
    return {claim.measure for claim in CLAIMS if claim.experiment == name}


@pytest.mark.parametrize("name", sorted(set(TRIALS) - {"disc_checks"}))
def test_every_trial_of_the_system_takes_changed_parameters(name: str) -> None:
    with pytest.raises(UserError, match="unknown parameter 'disks'"):
        TRIALS[name](seed=1, length=0.01, disks=3)


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim.experiment], ids=lambda claim: claim.id)
def test_claims_ask_trials_that_there_are(claim: Claim) -> None:
    assert claim.experiment in TRIALS


def test_settings() -> None:
    assert asked_of("settings") <= settings(seed=1).keys()
    assert settings(seed=1, memory=8 * MIB)["memory_mb"] == 8
    assert settings(seed=1)["wraps"] == 1


def test_disc_checks() -> None:
    assert asked_of("disc_checks") <= TRIALS["disc_checks"](seed=1, length=0.1).keys()


def test_the_large_read() -> None:
    found = large_read(seed=1, length=0.1)
    assert asked_of("large_read") <= found.keys()
    assert large_read(seed=1, length=0.1, trim_below=1 * MIB)["final_available_mb"] < found["final_available_mb"]


def test_a_gain_is_a_quotient_of_two_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    modes = {"unbuffered": 30.0, "buffered": 2.0, "mapped": 1.0}
    cells = {f"{row}_{mode}": ms for row in trials.BOOK for mode, ms in modes.items()}
    monkeypatch.setattr(trials, "times", lambda seed, length: cells)
    found = table(seed=1)
    assert asked_of("table") <= found.keys()
    assert found["random_read_gain"] == 15
