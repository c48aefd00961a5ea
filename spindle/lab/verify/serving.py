"""Predicts layers of the kind ``serving``: a server of a language model, to which requests arrive at given times.

Predicted are TTFT, the time to the first token; TPOT, the time of each further token; and the latency of a request. A
folder has runs.csv (limits and shape of each run), the workload that it names, step_times.csv and attention_times.csv;
CASE_requests.csv has the measurements, and may be missing.
"""

from collections.abc import Iterator, Mapping
from math import isnan, nan, prod
from pathlib import Path
from statistics import fmean
from typing import Any

from spindle.lab.verify.data import DataRow, read_table, table_if_there
from spindle.lab.verify.point import EvidencePoint
from spindle.sim.error import UserError, known_choice
from spindle.sim.measure.result import percentile
from spindle.sim.parameter import change
from spindle.sim.units import GIB, MS
from spindle.traces.batching import step_times
from spindle.traces.batching.server import ModelServer, ServedPrompt, ServerLimits, TimedPrompt

PERCENTILE_SHARES = {"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99}
OF_A_REQUEST = "of a request"
QUANTITIES_OF_SERVING = tuple(f"{quantity} {statistic}" for quantity in ("TTFT", "TPOT", "latency")
                              for statistic in ("mean", *PERCENTILE_SHARES, OF_A_REQUEST))  # fmt: skip
Times = Mapping[str, list[float]]
"""Seconds of each request, by quantity; not a number where an answer has no second token."""


def predict_serving(data: Path, case: str, settings: Mapping[str, Any]) -> Iterator[EvidencePoint]:
    """Predict the run *case*: means and percentiles over all requests, and each request."""
    parameters = change(step_times.USUAL, **settings)
    run = _run(read_table(data / "runs.csv"), case)
    prompts = _prompts(data, run)
    server = ModelServer(_limits(run, parameters), _stepper(data, run, parameters))
    predicted = _predicted_times(_serve_all(server, prompts))
    measured = _measured_times(data / f"{case}_requests.csv", len(prompts))
    for quantity, values in predicted.items():
        known = measured.get(quantity) or [nan] * len(values)
        told, seen = _numbers(values), _numbers(known)
        for statistic, share in (("mean", None), *PERCENTILE_SHARES.items()) if told else ():
            yield EvidencePoint(case, f"{quantity} {statistic}", _statistic(told, share),
                                _statistic(seen, share) if seen else None)  # fmt: skip
        for number, (value, was) in enumerate(zip(values, known, strict=True)):
            if not isnan(value):
                yield EvidencePoint(f"{case} request {number}", f"{quantity} {OF_A_REQUEST}", value,
                                    None if isnan(was) else was)  # fmt: skip


def _numbers(values: list[float]) -> list[float]:
    return [value for value in values if not isnan(value)]


def _serve_all(server: ModelServer, prompts: list[TimedPrompt]) -> list[ServedPrompt]:
    """Serve *prompts* in the order of their arrival; return them in their order in the workload."""
    arrivals = sorted(range(len(prompts)), key=lambda number: prompts[number].at)
    served = dict(zip(arrivals, server.serve([prompts[number] for number in arrivals]), strict=True))
    return [served[number] for number in range(len(prompts))]


def _statistic(values: list[float], share: float | None) -> float:
    """Return the mean of *values*, or the value below which a *share* of them lie."""
    return fmean(values) if share is None else percentile(sorted(values), share)


def _run(runs: list[DataRow], case: str) -> DataRow:
    named = {run.text("run"): run for run in runs}
    return known_choice("run", named, case)


def _limits(run: DataRow, parameters: step_times.StepParameters) -> ServerLimits:
    block = run.whole("block_size", 16)
    blocks = run.whole("kv_blocks") if run.text("kv_blocks") else _room(run, parameters) // block
    # One block of vLLM is a placeholder and never given out.
    return ServerLimits(run.whole("max_num_seqs"), run.whole("max_num_batched_tokens"), blocks - 1, block,
                  run.text("prefix_caching") != "False")  # fmt: skip


def _room(run: DataRow, parameters: step_times.StepParameters) -> int:
    """Return the tokens whose keys and values fit beside the weights, in the memory of one replica."""
    share = run.whole("tensor_parallel", 1)
    memory = run.number("gpu_memory_gb") * GIB * run.number("gpu_memory_utilization", parameters.memory_share) * share
    weights = _weights(run) * parameters.element
    tokens = int((memory - weights - parameters.beside * share) // run.number("kv_bytes_per_token"))
    if tokens <= 0:
        raise UserError(f"{run.place}: the weights leave no memory for keys and values")
    return tokens


def _weights(run: DataRow) -> float:
    """Return the number of a replica's parameters, by the shape of the model; experts are spread over replicas."""
    hidden, head = run.number("hidden"), run.number("head_dim")
    attention = hidden * head * (2.0 * run.number("heads") + 2.0 * run.number("kv_heads"))
    experts = run.number("experts", 0.0)
    spread = run.whole("data_parallel", 1) if run.text("expert_parallel") == "True" else 1
    rest = 3.0 * hidden * (run.number("moe_ffn") * experts / spread if experts else run.number("ffn"))
    return run.number("layers") * (attention + rest) + 2.0 * run.number("vocabulary") * hidden


def _stepper(data: Path, run: DataRow, parameters: step_times.StepParameters) -> step_times.Stepper:
    shape = step_times.ModelShape(run.whole("layers"), run.whole("hidden"), run.whole("experts", 0, low=0),
                  run.whole("experts_per_token", 0, low=0))  # fmt: skip
    tables = _tables(data, run.text("run"))
    if (tables.experts is None) == bool(shape.experts):
        raise UserError(f"{run.place}: one of runs.csv and step_times.csv says experts, and the other none")
    return step_times.Stepper(tables, shape, run.whole("tensor_parallel", 1),
                   run.whole("data_parallel", 1), parameters)  # fmt: skip


def _tables(data: Path, run: str) -> step_times.StepTables:
    steps = [row for row in read_table(data / "step_times.csv") if row.text("run") == run]
    attention = {_corner(row): row.number("ms_all_layers") * MS
                 for row in read_table(data / "attention_times.csv") if row.text("run") == run}  # fmt: skip
    if not steps or not attention:
        raise UserError(f"{data}: step_times.csv or attention_times.csv says nothing of the run {run}")
    experts = {(row.number("size"), row.number("activated_experts")): row.number("ms") * MS
               for row in steps if row.text("part") == "experts_all_layers"}  # fmt: skip
    where = f"{data / 'attention_times.csv'}: run {run}"
    return step_times.StepTables(
        _line(data, steps, "dense_all_layers"), _line(data, steps, "head_and_sampler"),
        _grid(where, "decoding", {corner[2:]: time for corner, time in attention.items() if not corner[0]}),
        _grid(where, "prompts", {corner[:2]: time for corner, time in attention.items()
                                 if corner[0] and not corner[2]}),
        _grid(where, "both", {corner: time for corner, time in attention.items() if corner[0] and corner[2]}),
        step_times.ValueRows(experts) if experts else None,
    )  # fmt: skip


def _grid(where: str, part: str, values: Mapping[tuple[float, ...], float]) -> step_times.ValueGrid:
    """Return the grid of *values*; UserError where it is empty, or lacks a corner."""
    corners = prod(len(set(axis)) for axis in zip(*values, strict=True)) if values else 1
    if len(values) < corners:
        raise UserError(f"{where} has {len(values)} of {corners} corners of the grid of {part}")
    return step_times.ValueGrid(values)


def _corner(row: DataRow) -> tuple[float, ...]:
    return tuple(row.number(name) for name in ("prefill_chunk", "kv_prefill", "n_decode", "kv_decode"))


def _line(data: Path, steps: list[DataRow], part: str) -> step_times.ValueLine:
    values = {row.number("size"): row.number("ms") * MS for row in steps if row.text("part") == part}
    if not values:
        raise UserError(f"{data / 'step_times.csv'}: run {steps[0].text('run')} has no {part}")
    return step_times.ValueLine(values)


def _prompts(data: Path, run: DataRow) -> list[TimedPrompt]:
    rows = read_table(data / run.text("workload"))
    if not rows:
        raise UserError(f"{data / run.text('workload')} has no requests")
    start = min(row.number("planned_arrival_s") for row in rows)
    return [TimedPrompt(row.number("planned_arrival_s") - start, row.whole("prompt_tokens"),
                        row.whole("output_tokens"), _names(row)) for row in rows]  # fmt: skip


def _names(row: DataRow) -> list[int]:
    """Return the numbers of the blocks of a prompt, which are written as ranges: 0-4 7 9-12."""
    names: list[int] = []
    for text in row.text("prefix_blocks_of_16").split():
        first, _, last = text.partition("-")
        try:
            names += range(int(first), int(last or first) + 1)
        except ValueError:
            raise UserError(f"{row.place}: blocks are written as 0-4 7, not {text}") from None
    return names


def _predicted_times(served: list[ServedPrompt]) -> Times:
    return {"TTFT": [each.first_token for each in served],
            "TPOT": [each.token for each in served],
            "latency": [each.latency for each in served]}  # fmt: skip


def _measured_times(path: Path, expected: int) -> Times:
    rows = table_if_there(path)
    if not rows:
        return {}
    if len(rows) != expected:
        raise UserError(f"{path} has {len(rows)} requests, and the workload {expected}")
    times = [tuple(row.number(name) for name in ("queued_s", "first_token_s", "last_token_s")) for row in rows]
    tokens = [row.whole("output_tokens") for row in rows]
    return {"TTFT": [first - queued for queued, first, _ in times],
            "TPOT": [(last - first) / (made - 1) if made > 1 else nan
                     for (_, first, last), made in zip(times, tokens, strict=True)],
            "latency": [last - queued for queued, _, last in times]}  # fmt: skip
