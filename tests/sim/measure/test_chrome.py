"""Tests a timeline in Chrome's format by hand: its events, and that it is whole without any."""

import json
from io import BytesIO

from spindle.sim.measure.tracing.chrome import ChromeJson


def test_tracks_below_one_another_are_a_process_and_its_threads() -> None:
    file = BytesIO()
    trace = ChromeJson(file)
    group = trace.track("a")
    lane, level = trace.track("b", group), trace.counter("c", "bytes", group)
    alone = trace.counter("d", "requests")
    below = trace.track("e", lane)
    trace.begin(lane, "x", 1_234_567, (("for", "ann"), ("n", 1)))
    trace.end(lane, 2_000_001)
    trace.value(level, 3_000_000, 0)
    trace.value(alone, 4, 5)
    trace.finish()
    assert (group, lane, level, alone, below) == (1, 2, 3, 4, 5)

    def about(process: int, thread: int, what: str, /, **args: object) -> dict[str, object]:
        return {"ph": "M", "ts": "0.000", "pid": process, "tid": thread, "name": what, "args": args}

    assert json.loads(file.getvalue(), parse_float=str) == {"displayTimeUnit": "ms", "traceEvents": [
        about(1, 1, "process_name", name="a"), about(1, 1, "process_sort_index", sort_index=1),
        about(1, 1, "thread_name", name="a"), about(1, 1, "thread_sort_index", sort_index=1),
        about(1, 2, "thread_name", name="b"), about(1, 2, "thread_sort_index", sort_index=2),
        about(4, 4, "process_name", name="d, requests"), about(4, 4, "process_sort_index", sort_index=4),
        about(1, 5, "thread_name", name="e"), about(1, 5, "thread_sort_index", sort_index=5),
        {"ph": "B", "ts": "1234.567", "pid": 1, "tid": 2, "name": "x", "args": {"for": "ann", "n": 1}},
        {"ph": "E", "ts": "2000.001", "pid": 1, "tid": 2},
        {"ph": "C", "ts": "3000.000", "pid": 1, "tid": 3, "name": "c, bytes", "args": {"value": 0}},
        {"ph": "C", "ts": "0.004", "pid": 4, "tid": 4, "name": "d, requests", "args": {"value": 5}},
    ]}  # fmt: skip
    assert file.getvalue().count(b"\n") == 16


def test_a_trace_of_nothing_is_still_json() -> None:
    file = BytesIO()
    ChromeJson(file).finish()
    assert json.loads(file.getvalue()) == {"displayTimeUnit": "ms", "traceEvents": []}
