"""Tests a training host: waits by hand, the order of batches, barriers, checkpoints, and mistakes in one line."""

import pytest

from spindle.cli.main import main
from spindle.models.ml_loader.machine import DRIVES, MICRON_6500, MICRON_9400, MICRON_9550, MlOptions
from spindle.models.ml_loader.parameters import TRAINED_MODELS
from spindle.models.ml_loader.run import run
from spindle.models.ml_loader.studies import POINTS
from spindle.models.ml_loader.system import SYSTEM
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.measure.result import Result
from spindle.studies.claims.claims import Role, read_claims


def trained(model: str = "unet3d", accelerators: int = 2, **others: object) -> Result:
    return run(model, accelerators, **{"steps": 20, "keep_rows": True, **others})  # type: ignore[arg-type]


def test_one_accelerator_is_never_idle_behind_what_was_read_ahead() -> None:
    result = trained(accelerators=1, barrier=0.0, handing=0.0)
    assert result.extras["accelerator_utilisation"] == pytest.approx(1.0, abs=0.01)
    waits = [row.responded - row.began for row in result.recorder.rows]
    assert waits[0] > 0.1
    assert sum(waits[1:]) < 0.02


def test_barrier_and_loop_are_all_that_is_lost_where_the_drive_is_fast() -> None:
    """A step takes 3.5 ms of computing and 4 x 1 ms of barrier."""
    result = trained("cosmoflow", 4, steps=200, barrier=1e-3, handing=0.0)
    assert result.extras["accelerator_utilisation"] == pytest.approx(3.5 / 7.5, rel=0.02)


def test_a_batch_is_handed_over_while_its_accelerator_waits() -> None:
    """Seven records of 146.6 MB at 10 ns a kilobyte take 10.3 ms beside 323 ms of computing."""
    result = trained(accelerators=1, barrier=0.0, handing=1e-11)
    assert result.extras["accelerator_utilisation"] == pytest.approx(0.323 / 0.3333, abs=0.002)


def test_a_slow_drive_is_the_limit() -> None:
    """Records of 2.83 MB at 500 MB/s, 3.5 ms each: one accelerator computes 62 % of its time, and of four 15 %."""
    slow = MlOptions(INTEL_S3700)
    for accelerators in (1, 4):
        of = trained("cosmoflow", accelerators, steps=400, choices=slow, barrier=0.0).extras
        share = min(1.0, 500e6 / 2_828_486 * 0.0035 / accelerators)
        assert of["accelerator_utilisation"] == pytest.approx(share, rel=0.05)
        assert of["bytes_rate"] == pytest.approx(500e6, rel=0.05)


def test_two_slow_drives_in_stripes_are_twice_as_fast() -> None:
    """Records of 2.83 MB at 1,000 MB/s, 1.75 ms each, for four accelerators with steps of 3.5 ms."""
    of = trained("cosmoflow", 4, steps=400, choices=MlOptions(INTEL_S3700), barrier=0.0, raid="0", drives=2)
    assert of.extras["bytes_rate"] == pytest.approx(1e9, rel=0.05)
    assert of.extras["disc_busy"] == pytest.approx(1.0, abs=0.1)
    assert of.counters["drive1.bytes_read"] == pytest.approx(of.counters["drive2.bytes_read"], rel=0.01)


def test_all_records_are_read_once() -> None:
    of = trained("resnet50", 3, steps=10).counters
    assert of["drive.bytes_read"] == pytest.approx(3 * 10 * 400 * 114_660, rel=1e-4)


def test_an_epoch_has_as_many_steps_as_its_records() -> None:
    assert trained(records=700).parameters["steps"] == 700 // 7 // 2


def test_batches_are_taken_in_order_by_all_at_once() -> None:
    rows = trained(accelerators=3, steps=12).recorder.rows
    began = {name: [row.began for row in rows if row.terminal == name] for name in {row.terminal for row in rows}}
    assert len(began) == 3
    assert all(times == sorted(times) and len(times) == 12 for times in began.values())
    assert len({tuple(times) for times in began.values()}) == 1


def test_checkpoints_are_written_and_waited_for() -> None:
    none, some, large = (trained(checkpoint_every=every, **state).extras
                         for every, state in ((0, {}), (5, {}), (5, {"checkpoint_state": 4.0})))
    assert none["bytes_written"] == none["checkpoint_share"] == 0.0
    assert some["bytes_written"] == 4 * 499_153_191
    assert 0.0 < some["checkpoint_share"] < large["checkpoint_share"]
    assert large["accelerator_utilisation"] < some["accelerator_utilisation"] < none["accelerator_utilisation"]


def test_same_seed_same_numbers() -> None:
    one, other, another = (trained(seed=seed).summary() for seed in (1, 1, 2))
    assert one == other != another


@pytest.mark.parametrize("drive", [MICRON_6500, MICRON_9400, MICRON_9550])
def test_sheets_say_where_their_numbers_come_from(drive: FlashType) -> None:
    assert {source.kind for source in drive.sources.values()} >= {"cited", "assumed"}


def test_claims_have_the_role_that_their_half_has() -> None:
    assert SYSTEM.claims is not None
    claims = {claim.id: claim for claim in read_claims(SYSTEM.claims)}
    fitted = {name for name, claim in claims.items() if claim.role is Role.CALIBRATED}
    assert fitted == {"ML-R1a", "ML-U3a", "ML-C2a", "ML-U1a"}
    assert {point.claim for point in POINTS} <= set(claims)
    assert not any(point.gpu == "h100" for point in POINTS if point.claim in fitted)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = "run ml_loader --model unet3d --accelerators 8 --drive micron_9400 --steps 10 --checkpoint-every 5"
    assert main(words.split()) == 0
    page = capsys.readouterr().out
    for said in ("unet3d on 8 h100", "accelerator utilisation", "checkpoints: 1.00 GB written"):
        assert said in page
    assert max(map(len, page.splitlines())) <= 80


def test_an_accelerator_without_a_name_is_given_by_its_time_of_a_batch(capsys: pytest.CaptureFixture[str]) -> None:
    """The drive is always ahead of batches of 1 or 2 s, so that each of ten takes a second more."""
    quick, slow = (run("unet3d", 1, steps=10, compute=seconds) for seconds in (1.0, 2.0))
    assert (quick.parameters["compute"], slow.parameters["compute"]) == (1.0, 2.0)
    assert slow.extras["makespan"] - quick.extras["makespan"] == pytest.approx(10.0)
    assert slow.extras["accelerator_utilisation"] > 0.99
    assert run("unet3d", 1, steps=10, compute=0.323).extras == run("unet3d", 1, steps=10).extras
    assert main(["run", "ml_loader", "--accelerators=1", "--steps=5", "--compute=162ms"]) == 0
    assert "unet3d on 1 of 0.162 s a batch, 5 steps" in capsys.readouterr().out


@pytest.mark.parametrize(("words", "says"), [
    ("--compute=-1s", "compute must be"),
    ("--model gpt", "unknown model 'gpt'"),
    ("--gpu v100", "unknown gpu 'v100'"),
    ("--accelerators 0", "accelerators must be a whole number from 1 to 4096"),
    ("--steps 1", "steps must be a whole number from 2"),
    ("--records 5", "5 records are 0 steps"),
    ("--threads -1", "threads must be a whole number from 0"),
    ("--drive hp7933", "hp7933"),
])  # fmt: skip
def test_mistakes(capsys: pytest.CaptureFixture[str], words: str, says: str) -> None:
    assert main(["run", "ml_loader", *words.split()]) == 2
    assert says in capsys.readouterr().err


def test_models_are_those_of_the_benchmark() -> None:
    assert set(TRAINED_MODELS) == {"unet3d", "resnet50", "cosmoflow"}
    assert {"micron_6500", "micron_9400", "micron_9550", "samsung960pro"} <= set(DRIVES)


def test_a_checkpoint_that_never_came_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "ml_loader", "--steps=10", "--checkpoint-every"]
    assert main([*words, "50"]) == 0
    assert "no checkpoint: the first is due after 50 steps" in capsys.readouterr().out
    assert main([*words, "0"]) == 0
    assert "checkpoint" not in capsys.readouterr().out
