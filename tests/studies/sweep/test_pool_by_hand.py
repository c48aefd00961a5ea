"""The rules of a pool and of a cluster, without a process: who gets which task, who is kept, and who is given up."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import pytest

from spindle.sim.error import UserError
from spindle.studies.sweep import cluster, executor
from spindle.studies.sweep.executor import (
    Inline,
    Lost,
    Pool,
    Worker,
    WorkerTask,
    is_worker,
    keep_workers,
    serving,
    take_workers,
)


def run_in_thread(ask: Callable[[], bool]) -> bool:
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(ask).result()


class Clock:
    """A clock that goes on by what is slept."""

    def __init__(self) -> None:
        self.now, self.sleeps = 100.0, 0

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.sleeps += 1


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (executor, cluster):
        monkeypatch.setattr(module, "monotonic", lambda: made.now)
        monkeypatch.setattr(module, "sleep", made.sleep)
    return made


class Hand:
    """A worker that does a task when it is told to."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self.log = name, log

    def take(self, do: Callable[[Any], Any], task: Any) -> WorkerTask[Any, Any]:
        self.log.append(f"{self.name} takes {task}")
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        if task == "lost":
            from loky.process_executor import TerminatedWorkerError

            future.set_exception(TerminatedWorkerError("it died"))
        elif task != "long":
            future.set_result(do(task))
        return WorkerTask(cast(Worker, self), task, future)

    def end(self) -> None:
        self.log.append(f"{self.name} ends")


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    made: list[str] = []
    monkeypatch.setattr(executor, "_idle_workers", [Hand(name, made) for name in "abc"])
    return made


def idle() -> list[str]:
    return [cast(Hand, each).name for each in executor._idle_workers]


def test_idle_workers_are_taken_first_and_kept_again(log: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "Worker", lambda: Hand("new", log))
    taken = take_workers(2)
    assert ([cast(Hand, each).name for each in taken], idle()) == (["c", "b"], ["a"])
    more = take_workers(2)
    assert ([cast(Hand, each).name for each in more], idle()) == (["a", "new"], [])
    busy = cast(Hand, more[1]).take(str, "long")
    busy.future.set_result("")
    keep_workers(taken, [busy])
    assert (idle(), log) == (["c", "b"], ["new takes long", "new ends"])


def test_a_pool_gives_a_task_to_whoever_is_free(log: list[str]) -> None:
    assert Pool(2).workers == 2
    assert sorted(Pool(2).run_each(str.upper, ["x", "lost", "y"]), key=lambda each: each[0]) == [
        ("lost", Lost(1)), ("x", "X"), ("y", "Y")]  # fmt: skip
    assert log[:2] == ["b takes x", "c takes lost"]
    assert log[2] in ("b takes y", "c takes y")
    assert sorted(idle()) == ["a", "b", "c"]
    assert list(Pool(1).run_each(str.upper, [])) == []
    assert sorted(idle()) == ["a", "b", "c"]


def test_a_pool_asks_for_no_task_before_somebody_is_free_and_ends_who_is_busy(log: list[str]) -> None:
    taken = []

    def tasks() -> Iterator[str]:
        for task in ("long", "x", "y", "z"):
            taken.append(task)
            yield task

    results = Pool(2).run_each(str.upper, tasks())
    assert next(results) == ("x", "X")
    assert taken == ["long", "x"]
    assert next(results) == ("y", "Y")
    cast(Any, results).close()
    assert (log[-1], taken) == ("b ends", ["long", "x", "y"])
    assert sorted(idle()) == ["a", "c"]


def test_what_a_task_raises_is_raised_and_is_no_death(log: list[str]) -> None:
    with pytest.raises(ZeroDivisionError):
        list(Pool(1).run_each(lambda task: 1 // task, [0]))
    failed: Future[Any] = Future()
    failed.set_exception(KeyError("x"))
    assert not WorkerTask(cast(Worker, None), 0, failed).is_lost()
    waiting: Future[Any] = Future()
    done, other = (WorkerTask(cast(Worker, None), 0, each) for each in (failed, waiting))
    assert WorkerTask.wait_any([other, done]) == [done]
    assert [*Inline().run_each(str, [3, 4])] == [(3, "3"), (4, "4")]


def test_a_task_that_nobody_has_taken_is_waited_for_a_second(log: list[str], clock: Clock) -> None:
    given = WorkerTask(cast(Worker, Hand("a", log)), 0, Future[Any]())
    given.end()
    assert (clock.now, log) == (pytest.approx(101.0, abs=0.002), ["a ends"])
    assert clock.sleeps == pytest.approx(1000, abs=1)
    given.future.set_result(0)
    given.end()
    assert clock.now < 101.002


class Loky:
    """A process that dies as soon as it has started, the first time."""

    made: ClassVar[list[tuple[Any, dict[str, Any]]]] = []

    def __init__(self, count: int, **options: Any) -> None:
        self.made.append((count, options))
        self.number = len(self.made)

    def submit(self, *task: Any) -> tuple[int, tuple[Any, ...]]:
        if self.number == 1:
            raise RuntimeError("shut down")
        return self.number, task

    def shutdown(self, **options: bool) -> None:
        self.made.append(("shut down", options))


def test_a_worker_that_has_died_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = []
    monkeypatch.setattr("loky.ProcessPoolExecutor", Loky)
    monkeypatch.setattr("loky.backend.resource_tracker.ensure_running", lambda: silent.append(sys.warnoptions[-1:]))
    monkeypatch.setattr(Loky, "made", [])
    monkeypatch.setattr(sys, "warnoptions", ["default"])
    monkeypatch.delenv("LOKY_MAX_MEMORY_LEAK_SIZE", raising=False)
    given = Worker().take(str, 5)
    assert (given.task, given.future) == (5, (2, (executor._do_in, str(Path.cwd()), str, 5)))
    assert given.worker.take(str, 6).future == (2, (executor._do_in, str(Path.cwd()), str, 6))
    one = (1, {"timeout": 300, "initializer": executor.serve, "initargs": (os.getpid(),)})
    assert Loky.made == [one, one]
    assert (silent, sys.warnoptions) == ([["ignore"], ["ignore"]], ["default"])
    assert float(os.environ["LOKY_MAX_MEMORY_LEAK_SIZE"]) == 2e9
    monkeypatch.setenv("LOKY_MAX_MEMORY_LEAK_SIZE", "5")
    Worker()
    assert os.environ["LOKY_MAX_MEMORY_LEAK_SIZE"] == "5", "which the user chose"
    given.worker.end()
    assert Loky.made[-1] == ("shut down", {"wait": True, "kill_workers": True})


def test_a_task_is_done_in_the_folder_of_its_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gone").mkdir()
    assert executor._do_in(str(tmp_path / "gone"), lambda task: (task, Path.cwd().name), 4) == (4, "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(UserError, match=r"^workers work in the working directory, which is there no longer: "):
        executor._working_folder()


def test_who_does_a_task_of_another_is_a_worker_meanwhile() -> None:
    assert run_in_thread(is_worker) is False  # which has never served
    assert serving(lambda task: (task, is_worker()), 3) == (3, True)
    with pytest.raises(ZeroDivisionError):
        serving(lambda task: 1 // task, 0)
    assert not is_worker()


def test_a_process_that_serves_leaves_ctrl_c_to_its_driver_and_ends_with_it(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    signals, threads, codes = [], [], []
    parents = iter([7, 7, 8])
    monkeypatch.setattr(executor, "_serving", Event())
    monkeypatch.setattr(executor.signal, "signal", lambda *given: signals.append(given))
    monkeypatch.setattr(executor, "Thread", lambda **given: SimpleNamespace(start=lambda: threads.append(given)))
    executor.serve(7)
    assert is_worker()
    assert signals == [(signal.SIGINT, signal.SIG_IGN)]
    ((watch),) = threads
    assert watch["daemon"] is True
    monkeypatch.setattr(executor.os, "getppid", lambda: next(parents))
    monkeypatch.setattr(executor.os, "_exit", codes.append)
    watch["target"](*watch["args"])
    assert (codes, clock.now) == ([1], 101.0)  # two looks, half a second apart


@pytest.mark.parametrize(("workers", "points", "idle_workers", "chosen"), [
    (1, 9, 2, Inline()), (2, 9, 0, Pool(2)), (4, 4, 0, Pool(4)), (3, 3, 0, Inline()), (3, 3, 2, Inline()),
    (3, 3, 3, Pool(3)), (9, 2, 2, Pool(2)), (2, 1, 2, Inline()), (None, 9, 0, Pool(3)), (None, 2, 2, Pool(2)),
])  # fmt: skip
def test_few_tasks_are_done_here_unless_workers_are_idle(
    monkeypatch: pytest.MonkeyPatch, workers: int | None, points: int, idle_workers: int, chosen: object
) -> None:
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "3")
    monkeypatch.setattr("loky.cpu_count", lambda: 3)
    monkeypatch.setattr(executor, "_idle_workers", [None] * idle_workers)
    assert executor.executor(workers, points) == chosen
    assert serving(lambda count: executor.executor(workers, count), points) == Inline()
    own = Pool(7)
    assert executor.executor(own, 1) is own


def test_no_process_or_fewer_are_refused() -> None:
    for count in (0, -1):
        with pytest.raises(UserError, match=f"^workers must be at least 1, not {count}$"):
            executor.executor(count, 9)


# A cluster, as far as it needs none.


class Scheduler:
    def __init__(self, *threads: int) -> None:
        self.workers, self.asked = dict(enumerate(threads)), 0

    def nthreads(self) -> dict[int, int]:
        self.asked += 1
        return self.workers


def test_threads_are_counted_again_after_a_second_and_a_cluster_is_gone_after_half_a_minute(clock: Clock) -> None:
    scheduler = Scheduler(2, 3)
    crew = cluster._Crew(cast(Any, scheduler), "tcp://a:1")
    assert (crew.threads(), crew.threads(), scheduler.asked) == (5, 5, 1)
    scheduler.workers = {}
    clock.sleep(0.9)
    assert (crew.threads(), crew.is_gone(), scheduler.asked) == (5, False, 1)
    clock.sleep(0.1)
    assert (crew.threads(), scheduler.asked) == (0, 2)
    clock.sleep(29.9)  # since a worker was seen
    assert not crew.is_gone()
    clock.sleep(0.2)
    assert crew.is_gone()
    scheduler.workers = {0: 1}
    clock.sleep(1.0)
    assert not crew.is_gone()
    clock.sleep(40.0)
    assert not crew.is_gone()


def test_a_cluster_that_never_had_a_worker_is_gone_half_a_minute_after_the_beginning(clock: Clock) -> None:
    crew = cluster._Crew(cast(Any, Scheduler()), "tcp://a:1")
    assert (crew.threads(), crew.is_gone()) == (0, False)
    clock.sleep(30.1)
    assert crew.is_gone()


class Task(Future[Any]):
    """A task of Dask's, which has a *status*."""

    def __init__(self, status: str, error: Exception | None = None) -> None:
        super().__init__()
        self.status = status
        if error is None:
            self.set_result("done")
        else:
            self.set_exception(error)


class KilledWorker(Exception):
    """As Dask's own, which takes seconds to import."""

    allowed_failures = 2


def test_what_became_of_a_task_of_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", cast(Any, SimpleNamespace(KilledWorker=KilledWorker)))
    who = cast(cluster.Dask, SimpleNamespace(address="tcp://a:1"))
    who._result = lambda future: cluster.Dask._result(who, future)  # type: ignore[method-assign]
    assert cluster.Dask._outcome(who, Task("finished")) == "done"
    assert cluster.Dask._outcome(who, Task("error", KilledWorker())) == Lost(3)
    with pytest.raises(KeyError, match="lost"):
        cluster.Dask._outcome(who, Task("error", KeyError("lost")))
    for status, error in (("cancelled", None), ("lost", None), ("finished", ConnectionError("reset"))):
        with pytest.raises(UserError, match=r"^the Dask scheduler at tcp://a:1 went away; "):
            cluster.Dask._outcome(who, Task(status, error))
    with pytest.raises(TimeoutError):  # it was lost with its worker
        cluster.Dask._outcome(who, Task("finished", TimeoutError()))
    assert cluster._deaths(object()) == 4  # what Dask tries where nobody says


class Answer:
    """A future of Dask's that *does* a task, and is *lost* with its worker so many times before."""

    status = "finished"

    def __init__(self, does: Callable[[], Any], lost: int = 0) -> None:
        self.does, self.lost, self.released = does, lost, False

    def result(self, timeout: float) -> Any:
        assert timeout == 15.0
        self.lost -= 1
        if self.lost >= 0:
            raise TimeoutError
        return self.does()

    def release(self) -> None:
        self.released = True


class Client:
    """A client of a cluster of *threads*, whose tasks end in the order in which they were sent."""

    loop = "its loop"

    def __init__(self, threads: int, lost: str = "", gone: bool = False) -> None:
        self.threads, self.lost, self.gone = threads, lost, gone
        self.sent: dict[str, Answer] = {}
        self.given: list[object] = []

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.given.append("closed")

    def nthreads(self) -> dict[str, int]:
        return {"a": self.threads}

    def map(self, call: Callable[[str], Any], tasks: list[str], pure: bool) -> list[Answer]:
        assert not pure, "the same task may be run twice"
        (task,) = tasks
        self.sent[task] = Answer(lambda: call(task), task == self.lost)
        return [self.sent[task]]

    def cancel(self, futures: list[Answer], force: bool) -> None:
        self.given.append((futures, force))
        if self.gone:
            raise OSError("the scheduler has ended")


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Callable[[Client], cluster.Dask]:
    def connected(client: Client) -> cluster.Dask:
        class Ended(list[Answer]):
            def __init__(self, loop: object) -> None:
                assert loop == client.loop

            add = list.append

            def has_ready(self) -> bool:
                return bool(self) and client.threads > 0

            def __next__(self) -> Answer:
                return self.pop(0)

        monkeypatch.setitem(sys.modules, "distributed", cast(Any, SimpleNamespace(
            as_completed=Ended, KilledWorker=KilledWorker)))  # fmt: skip
        monkeypatch.setattr(cluster, "_client", {"tcp://a:1": client}.__getitem__)
        made = object.__new__(cluster.Dask)
        made.address = "tcp://a:1"
        return made

    return connected


Connect = Callable[[Client], cluster.Dask]


def test_each_thread_of_a_cluster_has_one_task_to_do_and_the_next(connect: Connect) -> None:
    """What was lost with its worker is waited for again; and all is over when the last has ended."""
    client, taken = Client(2, lost="x1"), list[str]()

    def tasks() -> Iterator[str]:
        for number in range(6):
            taken.append(f"x{number}")
            yield taken[-1]

    results = connect(client).run_each(lambda task: (task.upper(), is_worker()), tasks())
    assert next(results) == ("x0", ("X0", True))
    assert (taken, client.sent["x0"].released) == (["x0", "x1", "x2", "x3"], False)
    assert [task for task, _ in results] == ["x2", "x3", "x4", "x1", "x5"]
    assert all(answer.released for answer in client.sent.values())
    assert client.given == [([], True), "closed"]


@pytest.mark.parametrize("gone", [False, True])
def test_what_is_no_longer_wanted_of_a_cluster_is_cancelled(connect: Connect, gone: bool) -> None:
    client = Client(1, gone=gone)
    results = connect(client).run_each(str.upper, "abc")
    assert next(results) == ("a", "A")
    cast(Any, results).close()
    assert client.given == [([client.sent["b"]], True), "closed"]


def test_a_cluster_whose_workers_are_gone_is_given_up(connect: Connect, clock: Clock) -> None:
    client = Client(0)
    with pytest.raises(UserError, match=r"^no worker of tcp://a:1 is left; run the sweep again when some are back$"):
        next(connect(client).run_each(str.upper, "abc"))
    assert (clock.now, clock.sleeps) == (pytest.approx(130.0, abs=0.01), pytest.approx(6000, abs=2))
    assert client.given == [([client.sent["a"], client.sent["b"]], True), "closed"]


def test_a_client_waits_a_quarter_of_a_minute_for_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def client(address: str, **options: object) -> object:
        asked.append((address, options))
        if len(asked) > 1:
            raise OSError("refused")
        return "a client"

    monkeypatch.setitem(sys.modules, "distributed", cast(Any, SimpleNamespace(Client=client)))
    assert cast(Any, cluster._client("tcp://a:1")) == "a client"
    assert asked == [("tcp://a:1", {"timeout": 15.0, "set_as_default": False})]
    with pytest.raises(UserError, match=r"^no Dask scheduler answers at tcp://a:1 within 15 s$"):
        cluster._client("tcp://a:1")


def test_a_cluster_has_as_many_workers_as_threads_and_one_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[object] = []
    monkeypatch.setattr(cluster, "_check", lambda *given: checked.append(given))
    monkeypatch.setattr(cluster, "_check_certificates", checked.append)
    for address, threads in (("tcp://localhost:1", 3), ("tls://a:1", 0)):
        client = Client(threads)
        monkeypatch.setattr(cluster, "_client", lambda address, client=client: client)
        made = cluster.Dask(address)
        assert (made.address, made.workers, client.given) == (address, threads or 1, ["closed"])
        assert checked.pop() == (client, address)
    assert checked == ["tls://a:1"]


def test_one_worker_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[object] = []
    crew = SimpleNamespace(wait_for_workers=lambda count, timeout: waited.append((count, timeout)), run=lambda do: {})
    cluster._check(cast(Any, crew), "tcp://a:1")
    assert waited == [(1, 15.0)]
