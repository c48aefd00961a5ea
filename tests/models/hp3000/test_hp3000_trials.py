"""The HP3000's trials, shortened and with changed parameters."""

import pytest

from models.hp3000.system import SYSTEM
from models.hp3000.trials import TRIALS, holes, loads
from sim.claims.claims import read_claims
from sim.error import UserError
from sim.measure.result import Result
from sim.units import MS

LENGTH = 0.01


@pytest.mark.parametrize("name", TRIALS)
def test_every_trial_takes_changed_parameters(name: str) -> None:
    with pytest.raises(UserError, match="unknown parameter 'disks'"):
        TRIALS[name](seed=1, length=LENGTH, disks=3)


def test_changed_parameters_reach_the_idle_machine() -> None:
    assert TRIALS["hit_time"](seed=1, hit_elapsed=8 * MS)["hit_ms"] == pytest.approx(8.0)


def test_a_shorter_trial_has_shorter_runs_and_a_little_less_warm_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def noted(*_: object, minutes: float, warm_up: float, discs: int, **others: object) -> Result:
        asked.append((minutes, warm_up, discs))
        raise UserError("that is enough")

    asked: list[tuple[float, float, int]] = []
    monkeypatch.setattr(loads, "run", noted)
    for length in (1.0, 0.1):
        with pytest.raises(UserError, match="enough"):
            TRIALS["hybrid_101"](seed=1, length=length, discs=3)
    assert asked == [(40.0, 5.0, 3), (pytest.approx(4.0), pytest.approx(2.3), 3)]


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that do not wait until caches are full."""
    for module in (loads, holes):
        monkeypatch.setattr(module, "FILLING", 0.2)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("name", TRIALS)
def test_every_claim_has_its_measure(name: str) -> None:
    wanted = {each.measure for each in read_claims(SYSTEM.claims) if each.experiment == name}
    assert wanted
    assert wanted <= TRIALS[name](seed=1, length=LENGTH).keys()


@pytest.mark.usefixtures("hasty")
def test_caching_that_is_built_in_costs_nothing() -> None:
    assert TRIALS["built_in"](seed=1, length=LENGTH)["degradation"] == 0.0


def test_what_the_paper_gives_is_read_off_the_parts() -> None:
    said = TRIALS["given"](seed=1)
    assert (said["data_sets"], said["terminals"], said["mips_iii"], said["memory_64_mb"]) == (56, 101, 0.3, 8)
