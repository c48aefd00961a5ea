"""Other right ways to an answer pass: programs and formulas of a student, without the parts of the simulator."""

from collections import deque
from collections.abc import Callable, Sequence
from math import log

import numpy as np
import pytest

from spindle.course import exercise
from spindle.course.exercise import Assignment
from spindle.course.paging import PageFaults
from tests.samples import sample

STUDENTS = [f"student {number}" for number in range(sample(12, 60))]
FEW = STUDENTS[: sample(2, 20)]


def fifo(pages: Sequence[int], frames: int) -> int:
    queue, faults = deque[int](), 0
    for page in pages:
        if page not in queue:
            faults += 1
            if len(queue) == frames:
                queue.popleft()
            queue.append(page)
    return faults


def lru(pages: Sequence[int], frames: int) -> int:
    stack, faults = list[int](), 0
    for page in pages:
        if page in stack:
            stack.remove(page)
        else:
            faults += 1
            stack = stack[-frames + 1 :] if frames > 1 else []
        stack.append(page)
    return faults


def opt(pages: Sequence[int], frames: int) -> int:
    memory, faults = set[int](), 0
    for place, page in enumerate(pages):
        if page in memory:
            continue
        faults += 1
        if len(memory) == frames:
            after = list(pages[place + 1 :])
            memory.remove(max(memory, key=lambda each: after.index(each) if each in after else len(after)))
        memory.add(page)
    return faults


@pytest.mark.parametrize("student", STUDENTS)
def test_frames(student: str) -> None:
    task = exercise("frames", student)
    case = task._case
    assert isinstance(case, PageFaults)
    ways: dict[str, Callable[[Sequence[int], int], int]] = {"fifo": fifo, "lru": lru, "opt": opt}
    assert task.check(np.int64(ways[case.policy](task.given["pages"], case.frames))).right
    assert ways[case.policy](task.given["pages"], 2) == (~task.given["steps"](2)["hit"]).sum()


@pytest.mark.parametrize("student", STUDENTS)
def test_small_writes(student: str) -> None:
    """By the books: two accesses for a copy, four for a parity, six for two."""
    task = exercise("small_writes", student)
    case = task._case
    accesses = {"10": 2, "5": 4, "6": 6}[case.level]  # type: ignore[attr-defined]
    assert task.check(case.drives * case.rate / accesses).right  # type: ignore[attr-defined]


def programs(writes: Sequence[int], blocks: int, size: int) -> int:
    """Count programs on a die as the question describes it, with lists and a dictionary."""
    place: dict[int, tuple[int, int]] = {}
    pages: list[list[int]] = [[] for _ in range(blocks)]
    empty, full, count = list(range(blocks)), list[int](), 0
    host, copies = empty.pop(0), empty.pop(0)

    def valid(block: int) -> list[int]:
        return [page for slot, page in enumerate(pages[block]) if place[page] == (block, slot)]

    def program(page: int, block: int) -> bool:
        nonlocal count
        count += 1
        place[page] = block, len(pages[block])
        pages[block].append(page)
        return len(pages[block]) == size

    for page in writes:
        if not program(page, host):
            continue
        full.append(host)
        host = empty.pop(0)
        while len(empty) < 2:
            victim = min(full, key=lambda block: len(valid(block)))
            full.remove(victim)
            for moved in valid(victim):
                if program(moved, copies):
                    full.append(copies)
                    copies = empty.pop(0)
            pages[victim] = []
            empty.append(victim)
    return count


@pytest.mark.parametrize("student", STUDENTS)
def test_cleaning(student: str) -> None:
    task = exercise("cleaning", student)
    count = programs(task.given["writes"], 12, 8)
    assert count == task._answer
    assert task.check(count).right


@pytest.mark.parametrize("student", STUDENTS)
def test_log_segments(student: str) -> None:
    """From the rounded numbers of the question."""
    task = exercise("log_segments", student)
    words = repr(task).replace(",", "").split()
    segment = float(words[words.index("KiB") - 1]) * 1024
    there, rate = float(words[words.index("ms") - 1]) / 1e3, float(words[words.index("MB/s") - 1]) * 1e6
    live = float(words[words.index("live") - 2])
    assert task.check(segment / (there + segment / rate) * (1.0 - live) / 2.0 / 1e6).right


@pytest.mark.parametrize("student", FEW)
def test_journal(student: str) -> None:
    """With the frame alone, as pandas goes."""
    task = exercise("journal", student)
    rows, words = task.given["writes"], repr(task).split()
    done = rows[rows["ms"] <= float(words[words.index("after", words.index("Power")) + 1])]
    committed = set(done[done["what"] == "commit"]["transaction"])
    home = done[done["what"] == "home"].groupby("transaction")["block"].agg(set)
    left = [number for number in committed if home.get(number, set()) != set(task.given["transactions"][number])]
    assert task.check(sum(len(task.given["transactions"][number]) for number in left)).right


def at(measured: dict[int, float], depth: int, in_logarithms: bool) -> float:
    """Interpolate the response at *depth* between those that were measured."""
    low, high = max(each for each in measured if each < depth), min(each for each in measured if each > depth)
    here, there = low / measured[low], high / measured[high]
    if in_logarithms:
        share = log(depth / low) / log(high / low)
        return depth / (here * (there / here) ** share)
    return depth / (here + (there - here) * (depth - low) / (high - low))


@pytest.mark.parametrize("student", FEW)
@pytest.mark.parametrize("in_logarithms", [False, True])
def test_other_half(student: str, in_logarithms: bool) -> None:
    task: Assignment = exercise("other_half", student)
    assert task.check(at(task.given["measured"], task._case.depth, in_logarithms)).right  # type: ignore[attr-defined]
    assert task.given["fio_table"].count("randread") == len(task.given["measured"])
