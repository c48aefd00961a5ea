"""Runs pipelines of tasks through a host's page cache: each task reads a file, computes, and writes a file.

Returns the seconds in which each task does the three.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import simpy

from spindle.models.unix_stdio.pipelines.host import PipelineHost
from spindle.models.unix_stdio.pipelines.machine import MountedMachine, PipelineMachine
from spindle.sim.clock import Wait


@dataclass(frozen=True)
class PipelineTask:
    """A task that reads the file *source* of *read* bytes, computes for so many seconds, and writes *target*."""

    source: str
    read: float
    compute: float
    target: str
    write: float


@dataclass(frozen=True)
class TaskTimes:
    """Seconds of each phase of a task."""

    read: float
    compute: float
    write: float


def chain(size: float, compute: float, tasks: int = 3) -> list[PipelineTask]:
    """Return tasks that each read the file of *size* bytes that the one before wrote."""
    return [PipelineTask(f"file {task}", size, compute, f"file {task + 1}", size) for task in range(tasks)]


def run_pipelines(
    tasks: Sequence[PipelineTask], host: PipelineHost, programs: int = 1, mounted: bool = False
) -> list[list[TaskTimes]]:
    """Return the times of the *tasks* of each of so many *programs*, which begin together and share no file.

    *mounted*: the files are those of a server, which the host has mounted.
    """
    env = simpy.Environment()
    machine = MountedMachine(env, host, programs) if mounted else PipelineMachine(env, host, programs)
    times: list[list[TaskTimes]] = [[] for _ in range(programs)]
    under_way = [env.process(_program(machine, f"program {number}", tasks, kept)) for number, kept in enumerate(times)]
    env.run(env.all_of(under_way))
    machine.check()
    return times


def _program(machine: PipelineMachine, name: str, tasks: Sequence[PipelineTask], times: list[TaskTimes]) -> Wait:
    env = machine.env
    for task in tasks:
        began = env.now
        yield from machine.read(f"{name}, {task.source}", task.read)
        read = env.now
        yield env.timeout(machine.time_beside(task.compute, machine.host.compute_stretch))
        computed = env.now
        yield from machine.write(f"{name}, {task.target}", task.write)
        machine.free_buffer(task.read)
        times.append(TaskTimes(read - began, computed - read, env.now - computed))
