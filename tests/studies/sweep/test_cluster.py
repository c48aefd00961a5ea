"""A cluster of two ``dask worker`` processes over TCP: both work, one may go, and the command line reaches them."""

import filecmp
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pytest

from spindle.cli.main import main
from spindle.sim.error import UserError
from spindle.studies.run_book import RunBook
from spindle.studies.study import UNTIMED, Runs, SeedRows, Study
from spindle.studies.sweep.cluster import TASKS_A_THREAD, Dask, _check, _Crew
from spindle.studies.sweep.executor import Workers
from spindle.studies.sweep.sweep import sweep
from tests.studies.sweep.points import measured, noted, waits

ROOT = Path(__file__).parents[3]
SYSTEM = ["sweep", "max_iv", "--set=users=1,2", "--set=minutes=3", "--set=warm_up=0", "--seeds=2"]

UNWATCHED = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False", "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
             "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s"}  # fmt: skip
"""Dask looks at its own processes a hundred times a second, which takes as long as what they do here."""


@contextmanager
def dask(folder: Path, *arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments], cwd=folder, stdout=log, stderr=log,
            env={**os.environ, "PYTHONPATH": str(ROOT), **UNWATCHED},
        )  # fmt: skip
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def listening(file: Path) -> str:
    """The address of the scheduler that writes *file* when it is ready."""
    until = time.monotonic() + 30
    while not (file.exists() and file.stat().st_size) and time.monotonic() < until:
        time.sleep(0.05)
    return str(json.loads(file.read_text())["address"])


class Cluster:
    """A scheduler and two workers, each a process of its own as it would be on a machine of its own."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        file = folder / "scheduler.json"
        self.scheduler = stack.enter_context(dask(folder, "scheduler", "--host=127.0.0.1", "--port=0", "--no-dashboard",
                                 f"--scheduler-file={file}"))  # fmt: skip
        self.address = listening(file)
        self.workers = [
            stack.enter_context(dask(folder, "worker", self.address, "--nthreads=1", "--no-nanny", "--no-dashboard"))
            for _ in range(2)
        ]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pytest.importorskip("distributed", reason="Dask is not installed, so that no cluster is tested")
    with ExitStack() as stack:
        yield Cluster(tmp_path_factory.mktemp("cluster"), stack)


DRIVER = """
import sys
from spindle.studies.sweep import stored_sweep as stored
from spindle.studies.sweep.sweep import sweep
from spindle.studies.sweep.cluster import Dask
from tests.studies.sweep.points import noted

stored.source = lambda: "as it was"  # Spindle may be edited while it is tested
sweep(noted, workers=Dask(sys.argv[1]), out=sys.argv[2] + ".parquet", point=range(int(sys.argv[3])), log=sys.argv[2])
"""


def driving(cluster: Cluster, log: Path, points: int) -> "subprocess.Popen[bytes]":
    """A driver of a sweep whose points write their names into *log* as they begin."""
    command = [sys.executable, "-c", DRIVER, cluster.address, str(log), str(points)]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)


def after(lines: int, log: Path, driver: "subprocess.Popen[bytes]") -> None:
    """Wait until *lines* points have begun."""
    while not log.exists() or len(log.read_text().split()) < lines:
        assert driver.poll() is None
        time.sleep(0.01)


def finished(log: Path, points: int, most: int) -> None:
    """Every point is there, and *most* of them at most were computed twice."""
    begun = log.read_text().split()
    assert set(begun) == set(map(str, range(points)))
    assert len(begun) - points <= most
    assert pd.read_parquet(f"{log}.parquet")["third"].tolist() == [point / 3 for point in range(points)]


def test_a_killed_driver_leaves_what_its_workers_have_finished(cluster: Cluster, tmp_path: Path) -> None:
    log, points = tmp_path / "noted", 400
    driver = driving(cluster, log, points)
    after(50, log, driver)
    driver.kill()
    driver.wait()
    assert driving(cluster, log, points).wait(60) == 0
    finished(log, points, 2)  # what each worker was at


def one(seeds: SeedRows) -> dict[str, float]:
    return dict(seeds.one())


def rows(who: Workers) -> pd.DataFrame:
    """Five seeds of a study."""
    book, study = RunBook(workers=who, progress=False), Study("s", [Runs(measured, UNTIMED)], measures=one)
    book.make((point, seed) for point in study.points() for seed in range(1, 6))
    return book.frame(study.points(), range(1, 6))


def test_two_workers_over_tcp(cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    who = Dask(cluster.address)
    until = time.monotonic() + 20
    while Dask(cluster.address).workers < 2 and time.monotonic() < until:
        time.sleep(0.1)
    frame = sweep(waits, workers=who, store=tmp_path / "store", point=range(200))
    assert frame["square"].tolist() == [point * point for point in range(200)]
    assert set(frame["process"]) == {worker.pid for worker in cluster.workers}

    for name, where in (("far", ["--cluster", cluster.address]), ("near", ["--workers=1"])):
        assert main([*SYSTEM, *where, f"--out={tmp_path / name}.parquet"]) == 0
    assert filecmp.cmp(tmp_path / "far.parquet", tmp_path / "near.parquet", shallow=False)
    assert capsys.readouterr().err == ""

    near, far = (rows(where) for where in (1, who))
    pd.testing.assert_frame_equal(far, near)
    assert len(far) == 5


def test_a_node_that_vanishes_takes_only_what_it_was_at(cluster: Cluster, tmp_path: Path) -> None:
    """No test below this one may need both workers."""
    log, points = tmp_path / "noted", 400
    driver = driving(cluster, log, points)
    after(50, log, driver)
    cluster.workers[0].kill()
    assert driver.wait(60) == 0
    finished(log, points, TASKS_A_THREAD)


def test_a_scheduler_that_vanishes_is_said_and_nothing_is_lost(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No test below this one may need the cluster."""
    log, points = tmp_path / "noted", 400
    driver = driving(cluster, log, points)
    after(50, log, driver)
    cluster.scheduler.kill()
    said = driver.communicate(timeout=60)[1].decode()
    assert "went away; run the sweep again when it is back" in said, said
    cluster.workers[1].kill()
    assert driver.returncode == 1
    monkeypatch.setattr("spindle.studies.sweep.stored_sweep.source", lambda: "as it was")
    sweep(noted, workers=1, out=f"{log}.parquet", point=range(points), log=str(log))
    finished(log, points, TASKS_A_THREAD)


class Unreachable:
    """A client whose scheduler has gone between two questions, as Dask reports it on a busy machine."""

    def nthreads(self) -> None:
        raise OSError("Timed out trying to connect to tcp://127.0.0.1:8786 after 15 s")


def test_a_scheduler_that_can_no_longer_be_asked_went_away() -> None:
    with pytest.raises(UserError, match=r"^the Dask scheduler at tcp://a:1 went away; run the sweep again"):
        _Crew(cast(Any, Unreachable()), "tcp://a:1").threads()


def test_an_address_that_nobody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.studies.sweep.cluster.ANSWER_SECONDS", 1.0)
    pytest.importorskip("distributed", reason="Dask is not installed, so that no cluster is tested")
    with pytest.raises(UserError, match=r"^no Dask scheduler answers at tcp://127.0.0.1:1 within 1 s$"):
        Dask("tcp://127.0.0.1:1")


@pytest.mark.parametrize("text", ["", "host", "host:8786", "tcp://host", "tcp://host:port", "file:///etc/passwd"])
def test_an_address_that_is_none(text: str) -> None:
    with pytest.raises(UserError, match=r"^a cluster has an address such as tcp://host:8786, not "):
        Dask(text)


def test_without_dask_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError, match=r"^a cluster needs Dask: pip install 'dask\[distributed\]'$"):
        Dask("tls://host:8786")


@pytest.mark.parametrize("host", ["host", "10.0.0.5", "[fe80::1]", "127.0.0.1.example.org", "localhost.example.org"])
def test_what_leads_off_this_machine_is_encrypted_or_trusted(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError, match=r"asks for no certificate, .*: take tls://, or say"):
        Dask(f"tcp://{host}:8786")
    with pytest.raises(UserError, match="asks for no certificate"):
        Dask(f"ws://{host}:8786")
    for kind, trusted in (("tcp", True), ("ws", True), ("wss", False), ("tls", False)):
        with pytest.raises(UserError, match="a cluster needs Dask"):
            Dask(f"{kind}://{host}:8786", trusted=trusted)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.10", "[::1]"])
def test_on_this_machine_nothing_need_be_encrypted(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError, match="a cluster needs Dask"):
        Dask(f"tcp://{host}:8786")


def test_a_cluster_with_certificates_needs_some_here(tmp_path: Path) -> None:
    import dask
    import distributed  # noqa: F401 - before its settings are changed, or all of them would go with the change

    with dask.config.set({"distributed.comm.tls.ca-file": None}):
        with pytest.raises(UserError, match=r"^tls://host:8786 asks for certificates, and Dask has none: below dist"):
            Dask("tls://host:8786")
        names = ("ca-file", "client.cert", "client.key")
        with dask.config.set({f"distributed.comm.tls.{name}": str(tmp_path / "no.pem") for name in names}), \
                pytest.raises(UserError, match=r"distributed\.comm\.tls cannot be read"):
            Dask("tls://host:8786")


class Crew:
    """A client of a scheduler whose only worker has the source *theirs*, or cannot import it."""

    def __init__(self, theirs: str) -> None:
        self.theirs = theirs

    def wait_for_workers(self, count: int, timeout: float) -> None:
        if not self.theirs:
            raise TimeoutError

    def run(self, do: object) -> dict[str, str]:
        if self.theirs == "none":
            raise ImportError("no spindle")
        return {"tcp://w": self.theirs}


@pytest.mark.parametrize(("theirs", "says"), [
    ("other", r"^the worker tcp://w has another Spindle \(other\) than this machine \(mine\)$"),
    ("none", "^the workers of tcp://a cannot import Spindle: no spindle$"),
    ("", "^the Dask scheduler at tcp://a has no workers$"),
])  # fmt: skip
def test_a_worker_that_would_compute_something_else_is_refused(
    theirs: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spindle.studies.sweep.cluster.source", lambda: "mine")
    _check(Crew("mine"), "tcp://a")  # type: ignore[arg-type]
    with pytest.raises(UserError, match=says):
        _check(Crew(theirs), "tcp://a")  # type: ignore[arg-type]
