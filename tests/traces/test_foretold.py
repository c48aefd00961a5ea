"""Tests DiskSim's responses beside the requests of a list: each is known while its request is under way."""

from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ
from spindle.traces.replay.drives import DiskSimAnswers
from spindle.workloads.traces.record import Record

REQUESTS = [Record(None, "", READ, 0, 512, number=number) for number in (0, 1)]


def answers(tmp_path: Path, text: str) -> DiskSimAnswers:
    path = tmp_path / "disksim_predicted.csv"
    path.write_text(text)
    return DiskSimAnswers(path)


def test_answers_are_known_from_when_their_requests_are_read_until_these_are_done(tmp_path: Path) -> None:
    foretold = answers(tmp_path, "note,disksim_ms,seq\n-,7,0\n-,8,1\n-,9,2\n")
    first, second = foretold.with_answers(iter(REQUESTS))
    assert (foretold.take_seconds(second), foretold.take_seconds(first)) == (0.008, 0.007)
    with pytest.raises(KeyError):
        foretold.take_seconds(first)


@pytest.mark.parametrize(("text", "says"), [
    ("seq,disksim_ms\n0,7\n", ": it ends after 1 answers, and there is none for request 1"),
    ("seq,disksim_ms\n0,7\n2,8\n", ": answer 2 is to request 2, and must be to 1, which stands in this place"),
    ("seq,disksim_ms\n0,nan\n", ":2:3: disksim_ms must be a number that is not negative, not 'nan'"),
    ("seq,disksim\n", ":1:1: there is no column disksim_ms; is 'disksim' meant for it?"),
    ("", ": there is no request in it: an answer is a line below the header"),
])  # fmt: skip
def test_answers_to_other_requests_are_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UserError) as raised:
        list(answers(tmp_path, text).with_answers(iter(REQUESTS)))
    assert str(raised.value) == f"{tmp_path / 'disksim_predicted.csv'}{says}"
