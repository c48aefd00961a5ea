"""The kind ``serving`` by hand: weights, memory and limits of a run, its tables, its prompts, what was measured."""

from math import isnan
from pathlib import Path

import pytest

from spindle.lab.verify import serving
from spindle.lab.verify.data import DataRow
from spindle.sim.error import UserError
from spindle.sim.parameter import change
from spindle.traces.batching.server import ServerLimits, TimedPrompt
from spindle.traces.batching.step_times import USUAL, ModelShape, StepBatch

RUN = {"run": "mine", "gpu_memory_gb": "1", "tensor_parallel": "2", "data_parallel": "", "expert_parallel": "",
       "max_num_seqs": "8", "max_num_batched_tokens": "2048", "block_size": "", "kv_blocks": "",
       "gpu_memory_utilization": "0.5", "prefix_caching": "", "layers": "2", "hidden": "8", "heads": "2",
       "kv_heads": "1", "head_dim": "4", "ffn": "16", "vocabulary": "100", "experts": "", "experts_per_token": "",
       "moe_ffn": "", "kv_bytes_per_token": "64", "workload": "work.csv"}  # fmt: skip
NOTHING_BESIDE = change(USUAL, beside=0)


def run(**changed: str) -> DataRow:
    return DataRow("runs.csv:2", {**RUN, **changed})


def test_weights_of_a_dense_model() -> None:
    """Each of two layers: attention 8 x 4 x (2 x 2 + 2 x 1) = 192, the rest 3 x 8 x 16 = 384; words 2 x 100 x 8."""
    assert serving._weights(run()) == 2 * (192 + 384) + 1600


@pytest.mark.parametrize(("parallel", "experts"), [("True", 2), ("False", 4), ("", 4)])
def test_experts_are_spread_over_replicas_where_that_is_said(parallel: str, experts: int) -> None:
    """Four experts of 3 x 8 x 5 = 120, on one or on two replicas; the dense part is not there."""
    model = run(experts="4", moe_ffn="5", data_parallel="2", expert_parallel=parallel)
    assert serving._weights(model) == 2 * (192 + 120 * experts) + 1600


def test_tokens_that_fit_beside_the_weights_on_two_gpus() -> None:
    """Of 2 GiB a half, less 2,752 weights of two bytes, in 64 bytes each."""
    assert serving._room(run(), NOTHING_BESIDE) == ((1 << 30) - 2 * 2752) // 64
    assert serving._room(run(), change(USUAL, beside=64_000)) == ((1 << 30) - 2 * 2752 - 2 * 64_000) // 64
    assert serving._room(run(gpu_memory_utilization=""), NOTHING_BESIDE) == int(((1 << 31) * 0.9 - 2 * 2752) // 64)
    assert serving._room(run(tensor_parallel=""), NOTHING_BESIDE) == ((1 << 29) - 2 * 2752) // 64


def test_weights_that_leave_no_memory_are_refused() -> None:
    with pytest.raises(UserError, match=r"runs\.csv:2: the weights leave no memory for keys and values"):
        serving._room(run(gpu_memory_gb="0.000001"), NOTHING_BESIDE)


def test_limits_of_a_run() -> None:
    """One block is a placeholder."""
    assert serving._limits(run(kv_blocks="100"), USUAL) == ServerLimits(8, 2048, 99, 16, True)
    assert serving._limits(run(kv_blocks="100", prefix_caching="False", block_size="32"), USUAL) == ServerLimits(
        8, 2048, 99, 32, False)  # fmt: skip
    tokens = ((1 << 30) - 2 * 2752) // 64
    assert serving._limits(run(), NOTHING_BESIDE).blocks == tokens // 16 - 1


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "step_times.csv").write_text(
        "run,part,size,activated_experts,ms\nmine,dense_all_layers,1,,1.5\nother,dense_all_layers,1,,9\n"
        "mine,dense_all_layers,3,,2.5\nmine,head_and_sampler,1,,0.5\n")  # fmt: skip
    (tmp_path / "attention_times.csv").write_text(
        "run,prefill_chunk,kv_prefill,n_decode,kv_decode,ms_all_layers\nmine,0,0,1,16,10\nmine,0,0,2,16,20\n"
        "mine,16,0,0,0,3\nmine,16,8,0,0,4\nmine,16,0,1,16,7\nother,0,0,3,16,99\n")  # fmt: skip
    return tmp_path


def test_tables_are_of_the_run_and_in_seconds(data: Path) -> None:
    tables = serving._tables(data, "mine")
    assert tables.dense(2) == pytest.approx(2e-3)
    assert tables.head(1) == pytest.approx(0.5e-3)
    assert tables.decode(2, 16) == pytest.approx(20e-3)
    assert tables.prefill(16, 4) == pytest.approx(3.5e-3)
    assert tables.mixed(16, 0, 1, 16) == pytest.approx(7e-3)
    assert tables.experts is None
    with pytest.raises(UserError, match=r"step_times\.csv or attention_times\.csv says nothing of the run third"):
        serving._tables(data, "third")


def test_a_run_without_rows_in_one_of_both_tables_is_refused(data: Path) -> None:
    (data / "attention_times.csv").write_text(
        "run,prefill_chunk,kv_prefill,n_decode,kv_decode,ms_all_layers\nother,0,0,3,16,99\n")  # fmt: skip
    with pytest.raises(UserError, match="says nothing of the run mine"):
        serving._tables(data, "mine")


def test_a_stepper_has_the_shape_and_the_gpus_of_the_run(data: Path) -> None:
    usual = serving._stepper(data, run(tensor_parallel=""), USUAL)
    assert (usual.shape, usual.gpus, usual.replicas) == (ModelShape(2, 8, 0, 0), 1, 1)
    assert usual.tables.attention(StepBatch((), 2, 32)) == pytest.approx(20e-3)
    with (data / "step_times.csv").open("a") as file:
        file.write("mine,experts_all_layers,1,2,4\nmine,experts_all_layers,3,2,8\n")
    stepper = serving._stepper(data, run(experts="4", experts_per_token="2", data_parallel="3"), NOTHING_BESIDE)
    assert (stepper.shape, stepper.gpus, stepper.replicas) == (ModelShape(2, 8, 4, 2), 2, 3)
    assert stepper.parameters is NOTHING_BESIDE
    assert stepper.tables.experts is not None
    assert stepper.tables.experts(2, 2) == pytest.approx(6e-3)


def test_experts_that_only_one_of_both_tables_has_are_refused(data: Path) -> None:
    says = r"runs\.csv:2: one of runs\.csv and step_times\.csv says experts, and the other none"
    with pytest.raises(UserError, match=says):
        serving._stepper(data, run(experts="4"), USUAL)
    with (data / "step_times.csv").open("a") as file:
        file.write("mine,experts_all_layers,1,2,4\n")
    with pytest.raises(UserError, match=says):
        serving._stepper(data, run(), USUAL)


def test_prompts_begin_at_the_first_arrival(tmp_path: Path) -> None:
    (tmp_path / "work.csv").write_text("planned_arrival_s,prompt_tokens,output_tokens,prefix_blocks_of_16\n"
                                       "7.5,20,2,0-2 9\n5,30,1,\n")  # fmt: skip
    assert serving._prompts(tmp_path, run()) == [TimedPrompt(2.5, 20, 2, [0, 1, 2, 9]), TimedPrompt(0.0, 30, 1, [])]


def test_measured_times_of_each_request(tmp_path: Path) -> None:
    """A single token has no time for each further one."""
    path = tmp_path / "mine_requests.csv"
    assert serving._measured_times(path, 2) == {}
    path.write_text("queued_s,first_token_s,last_token_s,output_tokens\n1,3,9,4\n2,2.5,2.5,1\n")
    times = serving._measured_times(path, 2)
    assert times == {"TTFT": [2.0, 0.5], "TPOT": [2.0, times["TPOT"][1]], "latency": [8.0, 0.5]}
    assert isnan(times["TPOT"][1])
    with pytest.raises(UserError, match="has 2 requests, and the workload 3"):
        serving._measured_times(path, 3)


def test_a_statistic_is_the_mean_or_the_least_value_that_a_share_does_not_exceed() -> None:
    values = [5.0, 1.0, 2.0, 4.0]
    assert serving._statistic(values, None) == 3.0
    assert [serving._statistic(values, share) for share in (0.25, 0.5, 0.9)] == [1.0, 2.0, 5.0]


@pytest.mark.parametrize(("file", "keep", "says"), [
    ("step_times.csv", "dense", r"step_times\.csv: run mine has no head_and_sampler"),
    ("step_times.csv", "head", r"step_times\.csv: run mine has no dense_all_layers"),
    ("attention_times.csv", "mine,16", r"attention_times\.csv: run mine has 0 of 1 corners of the grid of decoding"),
    ("attention_times.csv", "mine,0", r"attention_times\.csv: run mine has 0 of 1 corners of the grid of prompts"),
])  # fmt: skip
def test_a_table_that_lacks_a_part_is_refused(data: Path, file: str, keep: str, says: str) -> None:
    heading, *lines = (data / file).read_text().splitlines()
    (data / file).write_text("\n".join([heading, *(line for line in lines if keep in line)]))
    with pytest.raises(UserError, match=says):
        serving._tables(data, "mine")


def test_a_grid_that_lacks_a_corner_is_refused(data: Path) -> None:
    with (data / "attention_times.csv").open("a") as file:
        file.write("mine,0,0,1,32,11\n")
    with pytest.raises(UserError, match="has 3 of 4 corners of the grid of decoding"):
        serving._tables(data, "mine")


def write_run(data: Path, work: str) -> None:
    names = ",".join(RUN)
    values = ",".join({**RUN, "kv_blocks": "50", "gpu_memory_gb": "24"}.values())
    (data / "runs.csv").write_text(f"{names}\n{values}\n")
    (data / "work.csv").write_text(f"planned_arrival_s,prompt_tokens,output_tokens,prefix_blocks_of_16\n{work}")


def predicted(data: Path) -> dict[tuple[str, str], float]:
    return {(point.case, point.quantity): point.predicted for point in serving.predict_serving(data, "mine", {})}


def test_requests_are_served_as_they_arrive_and_told_as_they_are_listed(data: Path) -> None:
    write_run(data, "0,16,3,\n0.001,16,3,\n5,16,2,\n")
    as_they_arrive = predicted(data)
    write_run(data, "5,16,2,\n0,16,3,\n0.001,16,3,\n")
    found = predicted(data)
    for listed, arrived in ((0, 2), (1, 0), (2, 1)):
        for quantity in ("TTFT of a request", "latency of a request"):
            assert found[f"mine request {listed}", quantity] == as_they_arrive[f"mine request {arrived}", quantity]


def test_answers_of_one_token_have_no_time_for_each_further_one(data: Path) -> None:
    write_run(data, "0,16,1,\n5,16,1,\n")
    assert not [quantity for _, quantity in predicted(data) if quantity.startswith("TPOT")]


def test_an_answer_that_had_one_token_is_not_measured_by_another(data: Path) -> None:
    """Of three answers the second had one token: the third is still the third."""
    write_run(data, "0,16,3,\n5,16,3,\n9,16,3,\n")
    (data / "mine_requests.csv").write_text(
        "queued_s,first_token_s,last_token_s,output_tokens\n0,1,5,3\n0,3,3,1\n0,1,9,3\n")  # fmt: skip
    tokens = [point.measured for point in serving.predict_serving(data, "mine", {})
              if point.quantity == "TPOT of a request"]  # fmt: skip
    assert tokens == [2.0, None, 4.0]


def test_a_workload_without_requests_is_refused(data: Path) -> None:
    write_run(data, "")
    with pytest.raises(UserError, match=r"work\.csv has no requests"):
        list(serving.predict_serving(data, "mine", {}))


def test_a_run_predicts_statistics_and_each_request_of_three_quantities(data: Path) -> None:
    write_run(data, "0,16,3,\n5,16,1,\n")
    (data / "mine_requests.csv").write_text(
        "queued_s,first_token_s,last_token_s,output_tokens\n0,1,5,3\n0,3,3,1\n")  # fmt: skip
    points = list(serving.predict_serving(data, "mine", {}))
    assert [(point.case, point.quantity, point.measured) for point in points] == [
        *(("mine", f"TTFT {name}", value) for name, value in (
            ("mean", 2.0), ("p50", 1.0), ("p90", 3.0), ("p95", 3.0), ("p99", 3.0))),
        ("mine request 0", "TTFT of a request", 1.0), ("mine request 1", "TTFT of a request", 3.0),
        *(("mine", f"TPOT {name}", 2.0) for name in ("mean", "p50", "p90", "p95", "p99")),
        ("mine request 0", "TPOT of a request", 2.0),
        *(("mine", f"latency {name}", value) for name, value in (
            ("mean", 4.0), ("p50", 3.0), ("p90", 5.0), ("p95", 5.0), ("p99", 5.0))),
        ("mine request 0", "latency of a request", 5.0), ("mine request 1", "latency of a request", 3.0),
    ]  # fmt: skip
    first, last = points[5].predicted, points[-2].predicted
    assert last == pytest.approx(first + 2 * points[12].predicted)
    assert {point.quantity for point in points} <= {*serving.QUANTITIES_OF_SERVING}
