"""Tests replays and loads on drives that sleep, stall or are behind a network: how much longer they take, by hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from spindle.ask import replay
from spindle.questions.storage import DriveOptions
from spindle.sim.units import US, Bytes
from spindle.traces.replay.answer import answer_replay
from spindle.traces.replay.answer_page import page
from spindle.traces.replay.load import answer_load
from spindle.traces.replay.load_question import LoadOptions, LoadQuestion
from spindle.traces.replay.question import ReplayQuestion
from spindle.traces.replay.replay import TraceReplayed

EXAMPLE = Path(__file__).parents[2] / "examples" / "trace.csv"
SSD = DriveOptions("samsung960pro")
SLEEPING = replace(SSD, sleep_after=5.0, wake=0.25)
STALLING = replace(SSD, stall_every=3, stall=0.5)


def replayed(tmp_path: Path, device: DriveOptions, *asked: tuple[float, str]) -> TraceReplayed:
    """Reads of 4 KiB, each at its time of a device of its name."""
    path = tmp_path / "trace.csv"
    path.write_text("time,device,op,offset,size\n" + "".join(f"{time},{name},R,0,4096\n" for time, name in asked))
    return answer_replay(ReplayQuestion(device=device), path).replayed


@pytest.mark.parametrize(("device", "more"), [
    (SLEEPING, 0.25 + 0.25),  # at 10 and 20, after 10 s each; a new drive is awake
    (STALLING, 0.5), (replace(SSD, stall_every=1, stall=0.5), 1.5),
    (replace(SSD, network_latency=0.002), 0.006),
    (replace(SSD, network_rate=Bytes(4_096_000)), 0.003),  # a millisecond for 4 KiB
])  # fmt: skip
def test_three_reads_take_longer_by_what_was_asked(tmp_path: Path, device: DriveOptions, more: float) -> None:
    usual, found = (replayed(tmp_path, each, (0.0, "0"), (10.0, "0"), (20.0, "0")).tally.all_times.sum
                    for each in (SSD, device))  # fmt: skip
    assert found - usual == pytest.approx(more, abs=0.1 * US)


def test_drives_sleep_and_stall_by_themselves_and_share_the_network(tmp_path: Path) -> None:
    """Each has a read at 0 and one at 4, when it slept; of two answers at once, one waits for the other."""
    both = [(time, name) for time in (0.0, 4.0) for name in ("0", "1")]
    kinds = (SSD, replace(SLEEPING, sleep_after=3.0), STALLING, replace(SSD, network_rate=Bytes(4_096_000)))
    usual, slept, stalled, sent = (replayed(tmp_path, each, *both).tally.all_times for each in kinds)
    assert slept.sum - usual.sum == pytest.approx(2 * 0.25, abs=0.1 * US)
    assert stalled.sum == usual.sum
    assert sent.sum - usual.sum == pytest.approx(2 * (0.001 + 0.002), abs=0.1 * US)


def test_a_load_has_them_too() -> None:
    def mean(device: DriveOptions) -> float:
        times = answer_load(LoadQuestion(LoadOptions(requests=6), device)).replayed.tally.all_times
        return times.sum / times.count

    for device, more in ((replace(SSD, network_latency=0.002), 0.002), (STALLING, 2 * 0.5 / 6)):
        assert mean(device) - mean(SSD) == pytest.approx(more, abs=0.1 * US)


def test_the_page_says_how_often(tmp_path: Path) -> None:
    lines = [page(replayed(tmp_path, each, (0.0, "0"), (10.0, "0"), (20.0, "0"))) for each in (SLEEPING, STALLING, SSD)]
    assert "drives woke 2 times, and stalled 0 times" in lines[0]
    assert "drives woke 0 times, and stalled 1 time" in lines[1]
    assert not any(line.startswith("drives woke") for line in lines[2])


@pytest.mark.parametrize(("drive", "threads", "seconds"), [
    ("hp7933", 4, 1.0), ("hp7933", 1, 4.0), ("intels3700", 4, 1.0),
])  # fmt: skip
def test_a_drive_serves_others_while_one_is_on_the_network(drive: str, threads: int, seconds: float) -> None:
    """Four requests at a latency of a second, and tens of milliseconds at a disc."""
    device = DriveOptions(drive, network_latency=1.0)
    replayed = answer_load(LoadQuestion(LoadOptions(threads=threads, requests=4), device)).replayed
    assert replayed.end == pytest.approx(seconds, abs=0.2)
    assert replayed.breakdown()["channel"] == pytest.approx(4.0, abs=0.1)
    assert replayed.storage.drives["0"].busy() < 0.2


@pytest.mark.parametrize("asked", [
    {"raid": "1", "drives": 3}, {"raid": "5", "drives": 3}, {"cache": 1 << 20}, {"tiers": "1MB:1us"},
    {"flash": "samsung960pro", "flash_size": 1 << 24},
])  # fmt: skip
def test_whatever_lies_above_the_drives_waits_for_the_network(asked: dict[str, object]) -> None:
    """A read that nothing above has takes as much longer as the latency is."""
    usual, across = (replay(EXAMPLE, limit=1, drive="hp7933", wrap=True, **asked, **more)["response_max"]
                     for more in ({}, {"network_latency": 1.0}))  # fmt: skip
    assert across - usual == pytest.approx(1.0, abs=0.02)
