"""Reads fio's normal output, which it prints for people: a row of numbers for each group of jobs, as from its JSON."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# fio's HOWTO, section "Interpreting the output"; the lines are those of stat.c (show_thread_status_normal).

_OPENED = re.compile(r"^(?P<name>[^\s:][^:\n]*): \(g=(?P<group>\d+)\): rw=(?P<rw>\w+), bs=(?P<bs>.*), ioengine=\S+, "
                     r"iodepth=(?P<depth>\d+)", re.MULTILINE)  # fmt: skip
_GROUP = re.compile(r"^(?P<name>[^\s:][^:\n]*): \(groupid=(?P<group>\d+), jobs=(?P<jobs>\d+)\): "
                    r"err=\s*(?P<error>\d+)[^\n]*$", re.MULTILINE)  # fmt: skip
_RAN = re.compile(r"^\s*(?:read|write)\s*:\s*IOPS=.*?/(?P<ran>\d+)msec\)", re.MULTILINE)
_MEAN = re.compile(r"^\s*lat \((?P<unit>[num])sec\):.*?avg=\s*(?P<mean>[\d.]+)(?P<times>k?)", re.MULTILINE)
_TAILS = re.compile(r"clat percentiles \((?P<unit>[num])sec\):(?P<list>(?:\n\s*\|[^\n]*)+)")
_TAIL = re.compile(r"(?P<percent>[\d.]+)th=\[\s*(?P<value>\d+)\]")
_ISSUED = re.compile(r"issued rwts?: total=(?P<reads>\d+),(?P<writes>\d+)")
_NUMBERED = re.compile(r"-\d+$")
_UNITS_MS = {"n": 1e-6, "u": 1e-3, "m": 1.0}
_TIMES = {"": 1.0, "k": 1e3}
_PERCENTS = {"50.00": "p50_ms", "95.00": "p95_ms", "99.00": "p99_ms", "99.90": "p999_ms"}


@dataclass(frozen=True)
class TextGroup:
    """The jobs of one *name*, in a *group* that ran at once: their *error*, or '', and their *row* of a table."""

    name: str
    group: str
    error: str
    row: dict[str, str]


def is_fio_text(text: str) -> bool:
    """Tell if *text* begins as fio's output does, with a line for each job that it opened."""
    return _OPENED.search(text[: 1 << 12]) is not None


def read_fio_text(text: str) -> Iterator[TextGroup]:
    """Yield the groups of *text*. Jobs of one name without group_reporting are joined, and have no percentiles.

    Several outputs may stand in it, each of which opens its jobs before it tells of their groups.
    """
    opened, parts = dict[tuple[str, str], re.Match[str]](), dict[tuple[str, str], list[tuple[re.Match[str], str]]]()
    marks = sorted((*_OPENED.finditer(text), *_GROUP.finditer(text)), key=re.Match.start)
    run, is_told = 0, False
    for match, end in zip(marks, [*map(re.Match.start, marks[1:]), len(text)], strict=True):
        run, is_told = run + (is_told and match.re is _OPENED), match.re is _GROUP
        key = match["name"], f"{run}.{match['group']}"
        if is_told:
            parts.setdefault(key, []).append((match, text[match.end(): end]))
        else:
            opened[key] = match
    for (name, group), found in parts.items():
        head = opened.get((name, group)) or opened.get((_NUMBERED.sub("", name), group))
        if head is not None:
            error = next((match["error"] for match, _ in found if match["error"] != "0"), "")
            yield TextGroup(name, group, error, {} if error else _row(head, found))


def _row(head: re.Match[str], found: Sequence[tuple[re.Match[str], str]]) -> dict[str, str]:
    bodies = [body for _, body in found]
    requests = [_requests(body) for body in bodies]
    total = sum(requests)
    means = [_mean_ms(body) for body in bodies]
    mean = sum(count * each for count, each in zip(requests, means, strict=True)) / total if total else 0.0
    jobs = max(len(found), *(int(match["jobs"]) for match, _ in found))
    return {
        "rw": head["rw"], "iodepth": head["depth"], "numjobs": str(jobs), "bs": _size(head["bs"]),
        "requests": str(total), "iops": repr(sum(_rate(body) for body in bodies)), "latency_mean_ms": repr(mean),
        **(_percentiles(bodies[0]) if len(bodies) == 1 else {}),
    }  # fmt: skip


def _requests(body: str) -> int:
    match = _ISSUED.search(body)
    return 0 if match is None else int(match["reads"]) + int(match["writes"])


def _rate(body: str) -> float:
    """Return requests divided by seconds, for the rate itself is printed with three digits only."""
    match = _RAN.search(body)
    return 0.0 if match is None or match["ran"] == "0" else _requests(body) / (int(match["ran"]) / 1e3)


def _mean_ms(body: str) -> float:
    match = _MEAN.search(body)
    return 0.0 if match is None else float(match["mean"]) * _TIMES[match["times"]] * _UNITS_MS[match["unit"]]


def _percentiles(body: str) -> dict[str, str]:
    match = _TAILS.search(body)
    if match is None:
        return {}
    unit = _UNITS_MS[match["unit"]]
    return {_PERCENTS[each["percent"]]: repr(int(each["value"]) * unit) for each in _TAIL.finditer(match["list"])
            if each["percent"] in _PERCENTS}  # fmt: skip


def _size(text: str) -> str:
    """Return the bytes of *text*, as ``(R) 4096B-4096B, (W) ...`` or the older ``4K-4K/4K-4K/4K-4K``."""
    match = re.search(r"(\d+)(B|[KkMm]i?B?)?", text)
    if match is None:
        return text
    unit = (match[2] or "")[:1].lower()
    return match[1] + ("" if unit == "b" else unit)
