"""A pipeline whose host keeps a buffer or a writer is stopped."""

from collections.abc import Iterator
from typing import Any

import pytest

from spindle.models.unix_stdio.pipelines.host import PipelineHost
from spindle.models.unix_stdio.pipelines.machine import PipelineMachine
from spindle.models.unix_stdio.pipelines.run import PipelineTask, run_pipelines
from spindle.sim.parts import LawBroken


@pytest.mark.parametrize(("name", "says"), [("free_buffer", "with 2e.06 bytes and 0 writers left"),
                                            ("write", "with 0 bytes and 1 writers left")])  # fmt: skip
def test_a_host_that_keeps_a_buffer_or_a_writer_is_stopped(
    monkeypatch: pytest.MonkeyPatch, name: str, says: str
) -> None:
    def write(machine: PipelineMachine, file: str, size: float) -> Iterator[Any]:
        machine._writers += 1
        yield machine.env.timeout(1.0)

    monkeypatch.setattr(PipelineMachine, name, write if name == "write" else lambda machine, size: None)
    with pytest.raises(LawBroken, match=says):
        run_pipelines([PipelineTask("in", 2e6, 0.0, "out", 1e6)], PipelineHost())
