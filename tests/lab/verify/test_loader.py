"""The kind ``loader``: use falls with the number of accelerators, and never below the floor that was met."""

from pathlib import Path

import pytest

from spindle.lab.verify.loader import StepWaits, predict_loaders
from spindle.sim.error import UserError

LOADS = "model,accelerator,batch,compute_s_per_batch,au_floor_percent\nnet,b200,4,0.5,50\n"
POINTS = ("system,model,accelerator,accelerators,samples_per_s,au_percent\nhost,net,b200,2,10,60\nhost,net,b200,100,,\n"
          "host,net,b200,1,5,51\n")  # fmt: skip
WAITS = {"net": {"base": 0.1, "growth": 0.2, "counted": 0.5}}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "workloads.csv").write_text(LOADS)
    (tmp_path / "points.csv").write_text(POINTS)
    return tmp_path


def test_use_by_hand() -> None:
    waits = StepWaits(base=0.1, growth=0.2, margin=0.5)
    assert waits.use(2, 0.0) == pytest.approx(100.0 / (1.1 + 0.2 * 1.5))
    assert waits.use(1, 90.0) == 90.5


def test_points_of_a_system(data: Path) -> None:
    samples, use, above, _, unknown, *_ = predict_loaders(data, "host", WAITS)
    expected = 100.0 / 1.4
    assert (use.predicted, use.measured) == (pytest.approx(expected), 60.0)
    assert use.error == pytest.approx(expected - 60.0)
    assert samples.predicted == pytest.approx(2 * 4 / 0.5 * expected / 100.0 * 0.5)
    assert above.quantity == "samples a second above the floor"
    assert unknown.measured is None


def test_near_the_floor_nothing_is_above_it(data: Path) -> None:
    quantities = [point.quantity for point in predict_loaders(data, "host", WAITS)]
    assert quantities.count("use above the floor") == 1
    assert quantities.count("use") == 3


@pytest.mark.parametrize(
    ("case", "settings", "words"),
    [("hosts", WAITS, "unknown system 'hosts': did you mean host"), ("host", {}, "a table of waits for net"),
     ("host", {"net": {"bass": 1.0}}, "unknown parameter 'bass'")],
)
def test_a_mistake_is_one_line(data: Path, case: str, settings: dict[str, dict[str, float]], words: str) -> None:
    with pytest.raises(UserError, match=words):
        list(predict_loaders(data, case, settings))


def test_an_accelerator_that_no_workload_knows(data: Path) -> None:
    (data / "workloads.csv").write_text(LOADS.replace("b200", "b300"))
    with pytest.raises(UserError, match="does not say net on b200"):
        list(predict_loaders(data, "host", WAITS))


@pytest.mark.parametrize(("file", "old", "new", "says"), [
    ("points.csv", "b200,100,", "b200,0,", r"points\.csv:3: accelerators must be a whole number from 1 to"),
    ("points.csv", "b200,100,", "b200,2.5,", r"points\.csv:3: accelerators must be a whole number from 1 to"),
    ("points.csv", "b200,100,", "b200,1e300,", r"points\.csv:3: accelerators must be a whole number from 1 to"),
    ("workloads.csv", ",0.5,", ",0,", r"workloads\.csv:2: compute_s_per_batch must be above 0, not '0'"),
    ("workloads.csv", ",4,", ",-4,", r"workloads\.csv:2: batch must be above 0, not '-4'"),
])  # fmt: skip
def test_a_number_that_no_host_has_is_refused(data: Path, file: str, old: str, new: str, says: str) -> None:
    (data / file).write_text((data / file).read_text().replace(old, new))
    with pytest.raises(UserError, match=says):
        list(predict_loaders(data, "host", WAITS))
