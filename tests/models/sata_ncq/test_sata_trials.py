"""The trials and experiments on FAC, shortened."""

from pathlib import Path

import pytest

from models.sata_ncq import trials
from models.sata_ncq.access_time import response
from models.sata_ncq.compared import share_run
from models.sata_ncq.contenders import CONTENDERS
from models.sata_ncq.experiments import real
from models.sata_ncq.experiments.extent import SHARES
from models.sata_ncq.parameters import Parameters
from models.sata_ncq.system import SYSTEM
from sim.claims import claims
from sim.disc.drive import Drive
from sim.error import UserError
from sim.study.system import Effort, Experiment
from workloads.traces.pc import pc_trace

TINY = Effort(replications=1, minutes=0.05, warm_up=0.1, workers=1, progress=False)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And no real traces, wherever they may lie."""
    monkeypatch.setattr(trials, "LEAST", 150)
    monkeypatch.setenv(real.FOLDER, str(tmp_path))


@pytest.mark.parametrize("name", trials.TRIALS)
def test_every_trial_takes_changed_parameters_and_gives_what_claims_ask(name: str) -> None:
    with pytest.raises(UserError, match="unknown parameter 'disks'"):
        trials.TRIALS[name](seed=1, length=0.001, disks=3)
    asked = {each.measure for each in claims.read_claims(SYSTEM.claims) if each.experiment == name}
    length = 0.1 if name == "figure_1" else 0.001
    assert asked
    assert asked <= set(trials.TRIALS[name](seed=1, length=length, ageing=0.0))


def test_the_examples_of_figure_2_come_out_exactly() -> None:
    found = trials.normalising(seed=1)
    assert (found["first_n"], found["first_counter"]) == (2.0, 6)
    assert (found["second_n"], found["second_average"], found["second_maximum"], found["second_counter"]) == (
        10, 1900.0, 2200, 0)  # fmt: skip
    assert found["counter_max"] == 10


@pytest.mark.parametrize("experiment", SYSTEM.experiments, ids=lambda experiment: experiment.name)
def test_every_experiment_runs_is_drawn_and_says_something(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.sata_ncq.experiments.totals.SHARES", SHARES[2:4])
    monkeypatch.setattr("models.sata_ncq.experiments.ingredients.SHARES", SHARES[2:4])
    frame = experiment.run(TINY)
    assert len(frame)
    assert experiment.draw(frame).has_data()
    assert len(experiment.remark(frame)) > 80
    assert "nan" not in experiment.remark(frame)


def test_parts_of_responses_are_drawn_for_each_run() -> None:
    frame = SYSTEM.breakdown(TINY)
    assert list(frame["run"]) == ["no cache, no NCQ", "no cache, 32 tags", "LRU of 1 MiB, 32 tags"]
    assert frame["part_queue"].is_monotonic_decreasing


def test_real_traces_are_taken_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "data" / "traces"
    folder.mkdir(parents=True)
    made = pc_trace(Parameters().load("pcfat32"), 1, 60)
    rows = [f"{record.first // 512},8,{record.op.name[0]}" for record in made]
    (folder / "small.csv.gz").write_text("\n".join(["lba_512,sectors,op", *rows, ""]))
    monkeypatch.setattr(real, "NAMES", ("small", "absent"))
    monkeypatch.setattr(real, "requests", lambda effort: 30)
    frame = real.real_traces(TINY)
    assert list(frame["trace"].unique()) == ["pcfat32", "smalldiskmon", "small"]
    assert "Real traces were not at hand" not in real.remark_real_traces(frame)
    assert "Real traces were not at hand" in real.remark_real_traces(frame[frame["trace"] != "small"])


@pytest.mark.parametrize("policy", CONTENDERS)
def test_every_contender_runs(policy: str) -> None:
    assert share_run(policy, 0.1, requests=200).extras["total_service"] > 0.0


def test_the_wait_is_told_to_a_policy_only_if_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both see the same accesses, of which some have to wait."""
    told: dict[str, list[float]] = {}
    for policy in ("FAC", "both, and the wait"):
        told[policy] = []
        contender = CONTENDERS[policy]
        base = contender.policy()

        class Spy(type(base)):  # type: ignore[misc]
            def accessed(self, keys: object, seconds: float, *rest: object, policy: str = policy) -> None:
                told[policy].append(seconds)

        monkeypatch.setitem(CONTENDERS, policy, contender._replace(policy=Spy))
        share_run(policy, 0.1, requests=200)
    assert len(told["FAC"]) == len(told["both, and the wait"])
    assert max(told["FAC"]) < 0.03 < max(told["both, and the wait"])


def test_a_waited_access_is_charged_as_any_other() -> None:
    assert CONTENDERS["both, and the wait"].cost is response
    assert response.__annotations__["drive"] is Drive
    result = share_run("both, and the wait", 0.1, requests=200)
    assert sum(result.breakdown().values()) == pytest.approx(result.response()["response_mean"])
