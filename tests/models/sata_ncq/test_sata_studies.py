"""Tests the studies of FAC, Kim's policy, and NCQ: parameters, the paper's examples, and real traces."""

from pathlib import Path

import pytest

from spindle.models.sata_ncq.parameters import NcqParameters
from spindle.models.sata_ncq.studies import policies
from spindle.models.sata_ncq.studies.inputs import examples
from spindle.models.sata_ncq.studies.policies import LOAD_TITLES, share_run
from spindle.models.sata_ncq.studies.trials import CONTENDERS
from spindle.models.sata_ncq.system import SYSTEM
from spindle.models.sata_ncq.weighed_time import response, service
from spindle.sim.error import UserError
from spindle.studies.run_book import RunBook
from spindle.studies.study import Point
from spindle.workloads.pc import pc_trace


def test_runs_reach_no_picture_and_take_changed_parameters() -> None:
    runs = {point.run: point for study in SYSTEM.studies for point in study.points()}
    for run, point in runs.items():
        if run is not policies.file_run:
            with pytest.raises(UserError, match="unknown parameter 'disks'"):
                run(**point.change({"disks": 3}).keywords(), seed=1)


def test_the_examples_of_figure_2_come_out_exactly() -> None:
    row = examples(seed=1)
    assert (row["first_n"], row["first_counter"], row["counter_max"]) == (2.0, 6, 10)
    assert [row[f"second_{name}"] for name in ("n", "average", "maximum", "counter")] == [10, 1900.0, 2200, 0]


def test_real_traces_are_taken_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "data" / "traces"
    folder.mkdir(parents=True)
    made = pc_trace(NcqParameters().load("pcfat32"), 1, 60)
    rows = [f"{record.first // 512},8,{record.op.name[0]}" for record in made]
    (folder / "arc_p3.csv.gz").write_text("\n".join(["lba_512,sectors,op", *rows, ""]))
    monkeypatch.setenv(policies.FOLDER_VARIABLE, str(tmp_path))
    study = next(each for each in policies.STUDIES if each.name == "real_traces")
    points = [Point(each.run, each.arguments, {"requests": 30}) for each in study.points()]
    book = RunBook(workers=1, progress=False)
    book.make((point, 1) for point in points)
    assert study.figure is not None
    table = study.figure.table(book.frame(points, [1]))
    assert set(table["trace"]) == {*LOAD_TITLES.values(), "arc_p3"}
    assert "Real traces were not at hand" not in study.figure.caption(table)
    assert "Real traces were not at hand" in study.figure.caption(table[table["trace"] != "arc_p3"])


def test_the_wait_is_told_to_a_policy_only_if_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both see the same accesses, of which some have to wait."""
    told: dict[str, list[float]] = {}
    for policy in ("both, with the wait", "FAC"):
        told[policy] = []
        contender = CONTENDERS[policy]
        base = contender.policy()

        class Spy(type(base)):  # type: ignore[misc]
            def weigh(self, keys: object, seconds: float, *rest: object, policy: str = policy) -> None:
                told[policy].append(seconds)

        monkeypatch.setitem(CONTENDERS, policy, contender._replace(policy=Spy))
        share_run(policy, 0.1, requests=200)
    assert len(told["FAC"]) == len(told["both, with the wait"])
    assert max(told["FAC"]) < 0.03 < max(told["both, with the wait"])


def test_a_waited_access_is_charged_as_any_other() -> None:
    assert (CONTENDERS["FAC"].cost, CONTENDERS["both, with the wait"].cost) == (service, response)
    result = share_run("both, with the wait", 0.1, requests=200)
    assert sum(result.breakdown().values()) == pytest.approx(result.response()["response_mean"])
