"""Runs the tasks of a sweep on a Dask cluster, whose workers may join, leave and die meanwhile."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from itertools import islice
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, TypeVar

from spindle.output.origin import source
from spindle.sim.error import UserError
from spindle.studies.sweep.executor import Lost, serving

if TYPE_CHECKING:
    from distributed import Client

K = TypeVar("K")
T = TypeVar("T")

ADDRESS = re.compile(r"([a-z]+)://([\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5}")
ENCRYPTED = ("tls", "wss")
ANSWER_SECONDS = 15.0
"""Seconds to wait for a scheduler to answer, and for the first worker to join: both may have just been started."""
TASKS_A_THREAD = 2
"""Tasks sent to each thread of a worker: one to do, and the next, to be done while the first result is sent."""
RECOUNT_SECONDS = 1.0
POLL_SECONDS = 0.005
GONE_SECONDS = 30.0


class Dask:
    """An executor: all workers of the Dask scheduler at *address*, ``tls://host:8786``; they may join and leave.

    The store of a sweep must be at a path that all workers can reach. A Dask port without certificates runs the
    programs of any client that reaches it, on its machine and on this one: so ``tcp`` is allowed to this machine only,
    unless the network is *trusted*.
    """

    def __init__(self, address: str, trusted: bool = False) -> None:
        parts = ADDRESS.fullmatch(address)
        if parts is None:
            raise UserError(f"a cluster has an address such as tcp://host:8786, not {address[:60]!r}")
        if not (trusted or parts[1] in ENCRYPTED or _is_here(parts[2])):
            raise UserError(f"{address} asks for no certificate, so that anybody on the network could run programs "
                            "here: take tls://, or say that the network is trusted")
        self.address = address
        if parts[1] in ENCRYPTED:
            _check_certificates(address)
        with _client(address) as client:
            _check(client, address)
            self.workers = max(1, _threads(client))

    def run_each(self, do: Callable[[K], T], tasks: Iterable[K]) -> Iterator[tuple[K, T | Lost]]:
        from distributed import as_completed

        call, waiting = partial(serving, do), iter(tasks)
        with _client(self.address) as client:
            crew, futures, ended = _Crew(client, self.address), dict[Any, K](), as_completed(loop=client.loop)
            try:
                while True:
                    for task in islice(waiting, max(0, TASKS_A_THREAD * max(1, crew.threads()) - len(futures))):
                        (future,) = client.map(call, [task], pure=False)
                        futures[future] = task
                        ended.add(future)
                    if not futures:
                        return
                    if ended.has_ready():
                        future = next(ended)
                        try:
                            outcome = self._outcome(future)
                        except TimeoutError:  # the result was lost with its worker, and is computed again
                            ended.add(future)
                            continue
                        yield futures.pop(future), outcome
                        future.release()
                    elif crew.is_gone():
                        raise UserError(f"no worker of {self.address} is left; run the sweep again when some are back")
                    else:
                        sleep(POLL_SECONDS)
            finally:
                with suppress(OSError):  # of a scheduler that has ended
                    client.cancel(list(futures), force=True)

    def _outcome(self, future: Any) -> Any:
        from distributed import KilledWorker

        if future.status == "finished":
            return self._result(future)
        if future.status != "error":
            raise _lost_scheduler(self.address)
        error = future.exception()
        if isinstance(error, KilledWorker):
            return Lost(_deaths(error))
        raise error

    def _result(self, future: Any) -> Any:
        try:
            return future.result(timeout=ANSWER_SECONDS)
        except TimeoutError:
            raise
        except OSError as error:  # the connection for the result has ended
            raise _lost_scheduler(self.address) from error


class _Crew:
    """Counts the threads of a cluster's workers, again every RECOUNT_SECONDS."""

    def __init__(self, client: "Client", address: str) -> None:
        self._client = client
        self._address = address
        self._count = 0
        self._counted = -RECOUNT_SECONDS
        self._seen = monotonic()

    def threads(self) -> int:
        now = monotonic()
        if now - self._counted >= RECOUNT_SECONDS:
            try:
                self._count, self._counted = _threads(self._client), now
            except OSError as error:  # Dask has tried for ANSWER_SECONDS to reach the scheduler again
                raise _lost_scheduler(self._address) from error
        if self._count:
            self._seen = now
        return self._count

    def is_gone(self) -> bool:
        """True if there has been no worker for GONE_SECONDS; Dask's nanny takes some seconds to start one anew."""
        return not self.threads() and monotonic() - self._seen > GONE_SECONDS


def _lost_scheduler(address: str) -> UserError:
    return UserError(f"the Dask scheduler at {address} went away; run the sweep again when it is back")


def _is_here(host: str) -> bool:
    """Tell if *host* is a name that can only mean this machine."""
    try:
        return host == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _threads(client: "Client") -> int:
    return sum(int(count) for count in client.nthreads().values())


def _deaths(killed: Any) -> int:
    """Return the number of workers that died of a task before Dask stopped trying."""
    return int(getattr(killed, "allowed_failures", 3)) + 1


def _client(address: str) -> "Client":
    try:
        from distributed import Client
    except ImportError as error:
        raise UserError("a cluster needs Dask: pip install 'dask[distributed]'") from error
    try:
        return Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
    except OSError as error:
        raise UserError(f"no Dask scheduler answers at {address} within {ANSWER_SECONDS:g} s") from error


def _check_certificates(address: str) -> None:
    """Raise UserError if Dask has no certificates for a client of *address*."""
    try:
        import distributed  # noqa: F401 - says that it is missing, whatever of it was imported
        from distributed.security import Security
    except ImportError as error:
        raise UserError("a cluster needs Dask: pip install 'dask[distributed]'") from error
    try:
        context = Security().get_connection_args("client").get("ssl_context")
    except OSError as error:  # of ssl, too
        raise UserError(f"{address}: a file of Dask's setting distributed.comm.tls cannot be read: {error}") from error
    if context is None:
        raise UserError(f"{address} asks for certificates, and Dask has none: below distributed.comm.tls in "
                        "~/.config/dask/spindle.yaml name ca-file, and cert and key below client")


def _check(client: "Client", address: str) -> None:
    """Raise UserError if there is no worker, or one whose version would compute something else."""
    try:
        client.wait_for_workers(1, timeout=ANSWER_SECONDS)
    except TimeoutError as error:
        raise UserError(f"the Dask scheduler at {address} has no workers") from error
    try:
        sources = client.run(source)
    except ImportError as error:
        raise UserError(f"the workers of {address} cannot import Spindle: {error}") from error
    for worker, theirs in sources.items():
        if theirs != source():
            raise UserError(f"the worker {worker} has another Spindle ({theirs}) than this machine ({source()})")
