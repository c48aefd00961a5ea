"""Processes of this machine, or a cluster: two options of every command that makes many runs."""

from argparse import Namespace

from spindle.cli.arguments import ArgumentParser
from spindle.settings import count
from spindle.sim.error import UserError
from spindle.studies.sweep.executor import Workers

MAX_WORKERS = 1024


def add_options(parser: ArgumentParser, sees: str) -> None:
    """*sees* names what a cluster's workers need beside Spindle itself."""
    parser.add_argument("--workers", metavar="N", help="processes; default one a core")
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help=f"a Dask scheduler instead, such as tls://host:8786; {sees}"
    )
    parser.add_argument("--trusted", action="store_true", help="nobody else is on the network of a tcp:// cluster")


def workers(options: Namespace) -> Workers:
    """None without an option, which is one process a core."""
    if options.cluster is None:
        if options.trusted:
            raise UserError("--trusted is said of the network of a --cluster")
        return None if options.workers is None else count("--workers", options.workers, most=MAX_WORKERS)
    if options.workers is not None:
        raise UserError("--workers is for this machine; a cluster has the workers that it has")
    from spindle.studies.sweep.cluster import Dask

    return Dask(options.cluster, options.trusted)
