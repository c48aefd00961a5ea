"""Tests where a command makes its runs: each that makes many goes to the workers or the cluster that it is told."""

import sys
from typing import Any

import pytest

from spindle.cli.main import main
from spindle.cli.workers import WorkerOptions

SHORT = ("--set", "minutes=1", "--set", "warm_up=0", "--seeds", "2")


def test_runs_are_made_here_or_on_a_cluster_whose_network_may_be_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    def cluster(address: str, trusted: bool) -> Any:
        return address, trusted

    monkeypatch.setattr("spindle.studies.sweep.cluster.Dask", cluster)
    assert (WorkerOptions().where(), WorkerOptions(7).where()) == (None, 7)
    assert WorkerOptions(cluster="tcp://a:1").where() == ("tcp://a:1", False)
    assert WorkerOptions(cluster="tcp://a:1", trusted=True).where() == ("tcp://a:1", True)


@pytest.mark.parametrize("words", [
    ("sweep", "max_iv", *SHORT), ("find", "max_iv", "users", "--between=1:9", "--where=iops<=9", *SHORT),
    ("experiment", "max_iv"), ("claims", "max_iv"), ("sensitivity", "max_iv"), ("ensemble", "hp3000"), ("report",),
], ids=lambda words: words[0])  # fmt: skip
def test_every_command_that_makes_many_runs_goes_to_the_cluster(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "distributed", None)
    for trusted, says in (((), "asks for no certificate"), (("--trusted",), "a cluster needs Dask")):
        assert main([*words, "--cluster=tcp://10.0.0.5:8786", *trusted]) == 2
        assert says in capsys.readouterr().err
