"""Writes a timeline in Chrome's JSON format, for small runs and for other programs.

Names from the Trace Event Format (docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). It has
processes and threads only, so that a track and its children become one process; times are in microseconds.
"""

import json
from typing import BinaryIO

from spindle.sim.measure.tracing.trace import Notes


class ChromeJson:
    """A trace written to *file* as JSON, one event a line; its methods are those of PerfettoTrace."""

    def __init__(self, file: BinaryIO) -> None:
        self._write = file.write
        self._before = b'{"displayTimeUnit": "ms", "traceEvents": [\n'
        self._places: list[tuple[int, int]] = [(0, 0)]
        self._names: list[str] = [""]

    def track(self, name: str, parent: int = 0) -> int:
        track = self._place(name, parent)
        self._event("M", track, "thread_name", args={"name": name})
        self._event("M", track, "thread_sort_index", args={"sort_index": track})
        return track

    def counter(self, name: str, unit: str, parent: int = 0) -> int:
        return self._place(f"{name}, {unit}", parent)

    def _place(self, name: str, parent: int) -> int:
        track = len(self._places)
        self._places.append((self._places[parent][0] or track, track))
        self._names.append(name)
        if not parent:
            self._event("M", track, "process_name", args={"name": name})
            self._event("M", track, "process_sort_index", args={"sort_index": track})
        return track

    def begin(self, track: int, name: str, instant: int, notes: Notes = ()) -> None:
        self._event("B", track, name, instant, dict(notes))

    def end(self, track: int, instant: int) -> None:
        self._event("E", track, "", instant)

    def value(self, counter: int, instant: int, value: int) -> None:
        self._event("C", counter, self._names[counter], instant, {"value": value})

    def _event(
        self, kind: str, track: int, name: str, instant: int = 0, args: dict[str, str | int | float] | None = None
    ) -> None:
        process, thread = self._places[track]
        event = f'{{"ph": "{kind}", "ts": {instant // 1000}.{instant % 1000:03d}, "pid": {process}, "tid": {thread}'
        if name:
            event += f', "name": {json.dumps(name)}'
        if args:
            event += f', "args": {json.dumps(args)}'
        self._write(self._before + event.encode() + b"}")
        self._before = b",\n"

    def finish(self) -> None:
        self._write(self._before.removesuffix(b",\n") + b"\n]}\n")
