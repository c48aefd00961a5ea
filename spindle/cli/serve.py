"""``spindle serve``: lets real programs use simulated drives over NBD, the network block device protocol.

Replies come when the simulated drive is done.
"""

import os
import sys
from argparse import SUPPRESS, Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING

from spindle.cli.arguments import ArgumentParser
from spindle.cli.fields import SETTING_PREFIX, add_fields, given_fields, read_fields
from spindle.cli.named_files import outputs
from spindle.cli.printing import complain, finish
from spindle.output.files import growing, same_file
from spindle.output.text import json_text, plural
from spindle.questions.array import ArrayOptions
from spindle.questions.field import ask, option_of
from spindle.questions.settings import Words
from spindle.questions.storage import CacheOptions, DriveOptions, FlashTierOptions
from spindle.questions.words import count
from spindle.serve.ports import LOOPBACK, USUAL_PORT
from spindle.sim.disc.registry import STORES
from spindle.sim.error import UserError, plain
from spindle.sim.part_forms import SHEET
from spindle.sim.quantity import quantity
from spindle.sim.units import Bytes
from spindle.traces.replay.question import ReplayQuestion

if TYPE_CHECKING:
    from spindle.serve.address import Address
    from spindle.serve.export import Export
    from spindle.serve.plan import ServePlan
    from spindle.serve.session import ServeSession
    from spindle.serve.stop import Stop

MAX_PORT = 65535
"""The highest number of a TCP port."""
MAX_DRIVES = 64
"""Most drives of a server."""
SERVED_FIELDS: Sequence[tuple[Callable[..., object], Sequence[str]]] = (
    (ArrayOptions, ()), (DriveOptions, ("drive", "wrap")), (CacheOptions, ()), (FlashTierOptions, ()))  # fmt: skip
"""Groups of options on the simulated drives, each with the fields that a server does not take, or asks itself."""


@dataclass(frozen=True)
class ServeOptions:
    """Options of ``spindle serve``: the address, the files for the bytes of drives, and the log."""

    drive: str = ask("", f"{' | '.join([*STORES, 'FILE' + SHEET])}", first="1", metavar="DRIVE")
    data: Words = ask((), "file for the bytes of a drive, made if absent; one for each drive; default memory, lost at "
                          "the end", metavar="FILE")
    size: Bytes = ask(Bytes(0), "of an export; 0 is the whole drive", "bytes", least=0)
    read_only: bool = ask(False, "refuse writes")
    speed: float = ask(1.0, "factor by which time runs faster", metavar="TIMES")
    port: int = ask(USUAL_PORT, "0 takes one that is free", least=0, most=MAX_PORT)
    listen: str = ask(LOOPBACK, "the default only this machine reaches", metavar="HOST")
    socket: str = ask("", "a socket file instead of the port, for this user alone", metavar="FILE",
                      excludes=("port", "listen"))
    log: str = ask("", "a line for each request: when, what, and its response", metavar="FILE.csv")
    tap: bool = ask(False, "a live line: queue, arm, hit ratio, lateness")
    json: bool = ask(False, "the summary, as JSON")

    def address(self) -> "Address":
        from spindle.serve.address import SocketFile, TcpPort

        return SocketFile(Path(self.socket)) if self.socket else TcpPort(self.listen, self.port)


def main(arguments: Sequence[str]) -> int:
    options = _parser().take(arguments)
    asked = read_fields(ServeOptions, options)
    # Imported here, because a help text needs no drives.
    from spindle.serve.stop import Stop

    plan = _plan(options)
    beside = [Path(asked.socket)] if asked.socket else []
    log = outputs([Path(asked.drive), *plan.data, *beside], {"--log": asked.log})["--log"]
    with Stop() as stop:
        session = _serve(plan, log, stop, asked)
        if asked.json:
            return finish(json_text(_numbers(session)))
        return finish("\n".join(_page(session, options, asked.log)))


def _serve(plan: "ServePlan", log: Path | None, stop: "Stop", asked: ServeOptions) -> "ServeSession":
    """Serve until *stop*, write the log, and return the session."""
    from spindle.serve.session import ServeSession

    with ExitStack() as stack:
        rows = None if log is None else stack.enter_context(growing(log))
        session = ServeSession(plan, None if rows is None else rows.file, complain)
        stream = sys.stderr if asked.json else sys.stdout

        def announce(address: "Address", exports: Mapping[str, "Export"]) -> None:
            if rows is not None:
                rows.appear()
            print(_head(plan, address, exports), file=stream, flush=True)

        session.run(announce, stop, asked.tap)
    return session


def _parser() -> ArgumentParser:
    parser = ArgumentParser("serve")
    for asked, without in SERVED_FIELDS:
        add_fields(parser, asked, without, {"drives": "number of drives, an export each, or in the array; default 1"})
    parser.add_argument("--memory", dest=f"{SETTING_PREFIX}cache", help=SUPPRESS)
    add_fields(parser, ServeOptions)
    return parser


def _plan(options: Namespace) -> "ServePlan":
    from spindle.questions.idle import without_arm
    from spindle.serve.plan import ServePlan
    from spindle.traces.replay.answer import storage_plan

    array, device = read_fields(ArrayOptions, options), read_fields(DriveOptions, options)
    served = read_fields(ServeOptions, options)
    if "drives" in given_fields(ArrayOptions, options):
        count("--drives", str(array.drives), most=MAX_DRIVES)
    _check_files(served.data, served.socket)
    memory, front = read_fields(CacheOptions, options), read_fields(FlashTierOptions, options)
    asked = ReplayQuestion(device=device, array=array, memory=memory, front=front)
    storage = replace(storage_plan(asked), count=None)
    exports = 1 if storage.raid is not None else max(1, array.drives)
    return ServePlan(
        storage, served.address(), exports, served.size or None, tuple(map(Path, served.data)), served.read_only,
        served.speed, [*without_arm(device.scheduler, storage.disc)],
    )  # fmt: skip


def _check_files(data: Sequence[str], socket: str) -> None:
    """Raise UserError if a file is named twice; the socket of a killed server may exist."""
    files = [*product(["--data"], data), *product(["--socket"], [socket] if socket else [])]
    for place, (option, name) in enumerate(files):
        if not name or name.endswith(os.sep):
            raise UserError(f"{option} must name a file, not {name!r}")
        for other, before in files[:place]:
            if same_file(Path(name), Path(before)):
                raise UserError(f"{option} {name} and {other} {before} are one file: each needs its own")


def _head(plan: "ServePlan", address: "Address", exports: Mapping[str, "Export"]) -> str:
    """Return lines on the drives that are served, at which address, and who can reach it."""
    disc = plan.storage.disc.name
    speed = "" if plan.speed == 1.0 else f", time {plan.speed:g} times as fast"
    lines = [f"{disc}{speed}"]
    lines += [f"{address.uri(name)}  {quantity(export.size, 'bytes')} {export.store.where}"
              for name, export in exports.items()]
    lines += plan.notes
    may = "read" if plan.read_only else "read and write"
    lines.append(f"{address.exposure()} and may {may}; Ctrl-C ends it")
    return plain("\n".join(lines))


def _numbers(session: "ServeSession") -> dict[str, object]:
    from spindle.traces.replay.data import VERSION, replay_data

    counted = {"seconds": session.seconds, "connections": session.connections, "malformed": session.malformed,
               "flushes_and_trims": session.arrivals.beside, "lateness": session.lateness.numbers(session.due())}
    return {"version": VERSION, **counted, **(replay_data(session.as_replay()) if session.arrivals.end else {})}


def _page(session: "ServeSession", options: Namespace, log: str) -> list[str]:
    from spindle.traces.replay.answer_page import page

    malformed = f", {session.malformed} of them malformed" if session.malformed else ""
    head = f"served {plural(session.connections, 'connection')}{malformed} in {session.seconds:.1f} s"
    if not session.arrivals.end:
        return ["", f"{head}; no drive was asked for anything"]
    lines = ["", head, *page(session.as_replay()), "", *session.lateness.page(session.due())]
    return [*lines, *_how_to_replay(session, options, log)] if log else lines


def _how_to_replay(session: "ServeSession", options: Namespace, log: str) -> list[str]:
    names = [name for asked, _ in SERVED_FIELDS for name in given_fields(asked, options)]
    known = ["drives"] if session.plan.storage.raid is None else []  # the log names the device of each request
    given = {name: getattr(options, SETTING_PREFIX + name) for name in ("drive", *names) if name not in known}
    words = [word for name, text in given.items() for word in (option_of(name), text)]
    lines = ["", f"{log} is a trace; the same again: {join(['spindle', 'replay', log, *words])}"]
    if session.arrivals.beside and session.plan.storage.cache is not None:
        lines.append(f"except for {session.arrivals.beside} flushes and trims, which moved blocks of the cache, and "
                     "which a trace cannot hold")
    return lines
