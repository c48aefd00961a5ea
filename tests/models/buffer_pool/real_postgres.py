"""Start a PostgreSQL of this machine and count hits of pgbench: ``python -m tests.models.buffer_pool.real_postgres``.

Debian's package ``postgresql`` is enough. The server lies in a folder of its own, listens on a socket in it only, and
ends with the ``with`` block.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from spindle.models.buffer_pool.studies import MEASURED_LOADS, PGBENCH_SCALE, POOL_MIB

CLIENTS = 4
NOBODY = "postgres"
"""The user as whom the server runs if this process is root, which PostgreSQL refuses."""
WARM, MEASURED = {"select": 30_000, "tpcb": 20_000}, {"select": 15_000, "tpcb": 5_000}
"""Transactions of each client."""
ZIPF = "\\set aid random_zipfian(1, {accounts}, {skew})\nSELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n"
HITS = """SELECT heap_blks_hit, heap_blks_read, idx_blks_hit, idx_blks_read
FROM pg_statio_user_tables WHERE relname = 'pgbench_accounts'"""


def programs() -> Path | None:
    """The folder of the newest server's programs; None where there is none."""
    folders = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    if not folders and (found := shutil.which("postgres")) is not None:
        folders = [Path(found).resolve().parent]
    complete = [each for each in folders if all((each / name).exists() for name in ("initdb", "pg_ctl", "pgbench"))]
    return max(complete, key=lambda each: each.parent.name, default=None)


class Postgres:
    """A server of *programs* whose data lie in *folder*."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._folder = programs, folder
        self._user = NOBODY if os.geteuid() == 0 else None
        if self._user is not None:
            shutil.chown(folder, self._user)
        self._data = folder / "data"
        self.call("initdb", "-D", str(self._data), "-A", "trust", "-U", NOBODY, "--no-sync")

    def call(self, program: str, *words: str) -> str:
        ran = subprocess.run([self._programs / program, *words], capture_output=True, text=True, user=self._user,
                             cwd=self._folder, env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, timeout=600)
        if ran.returncode:
            raise RuntimeError(f"{program}: {ran.stderr or ran.stdout}")
        return ran.stdout

    @contextmanager
    def running(self, **settings: str) -> Iterator[None]:
        of = {"listen_addresses": "", "unix_socket_directories": str(self._folder), **settings}
        words = " ".join(f"-c {name}='{value}'" for name, value in of.items())
        self.call("pg_ctl", "-D", str(self._data), "-o", words, "-w", "-l", str(self._folder / "log"), "start")
        try:
            yield
        finally:
            self.call("pg_ctl", "-D", str(self._data), "-w", "-m", "fast", "stop")

    def bench(self, *words: str) -> str:
        return self.call("pgbench", "-h", str(self._folder), "-U", NOBODY, *words, "postgres")

    def ask(self, statement: str) -> list[str]:
        text = self.call("psql", "-h", str(self._folder), "-U", NOBODY, "-XAtq", "-c", statement, "postgres")
        return text.strip().split("|")

    def hits(self, load: str, pool: int, scale: int = PGBENCH_SCALE, shorter: int = 1) -> Mapping[str, float]:
        """The shares of pages of accounts and of their index that were found in *pool* MiB, by clients of *load*.

        They do 1 / *shorter* of the usual transactions.
        """
        case = MEASURED_LOADS[load]
        words = ["-n", "-c", str(CLIENTS), "-M", "prepared", *(["-S"] if case.mix == "select" else [])]
        if case.skew:
            script = self._folder / "zipf.sql"
            script.write_text(ZIPF.format(accounts=scale * 100_000, skew=case.skew), "utf-8")
            words = [*words[:-1], "-f", str(script)]
        with self.running(shared_buffers=f"{pool}MB", max_connections="20", synchronous_commit="off",
                          autovacuum="off"):
            self.bench(*words, "-t", str(WARM[case.mix] // shorter))
            self.ask("SELECT pg_stat_reset()")
            self.bench(*words, "-t", str(MEASURED[case.mix] // shorter))
            heap, heap_read, index, index_read = map(float, self.ask(HITS))
        return {"heap_hit_ratio": heap / (heap + heap_read), "index_hit_ratio": index / (index + index_read)}


@contextmanager
def postgres(programs: Path, scale: int = PGBENCH_SCALE) -> Iterator[Postgres]:
    """A server with pgbench's tables at *scale*."""
    with TemporaryDirectory(prefix="pg") as folder:
        server = Postgres(programs, Path(folder))
        with server.running(fsync="off"):
            server.bench("-i", "-q", "-s", str(scale))
            server.ask("VACUUM ANALYZE")
        yield server


def main() -> int:
    found = programs()
    if found is None:
        print("no PostgreSQL is installed here")
        return 1
    with postgres(found) as server:
        for load in MEASURED_LOADS:
            for pool in POOL_MIB:
                hits = server.hits(load, pool)
                print(f"{load:<10}{pool:>5} MiB  accounts {hits['heap_hit_ratio']:.4f}  index "
                      f"{hits['index_hit_ratio']:.4f}", flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
