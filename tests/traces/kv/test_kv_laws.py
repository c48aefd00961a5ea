"""A KV cache that miscounts stops the run of a user."""

import pytest

from spindle.models.kv_cache.run import run as kv_cache
from spindle.sim.parts import LawBroken
from spindle.sim.units import GIB, Bytes
from spindle.traces.kv import serving
from spindle.traces.kv.serving import Serving


@pytest.mark.parametrize(("counter", "more", "says"), [
    ("blocks", -1_000_000, "blocks were loaded"), ("found", 1_000_000, "blocks were loaded"),
    ("found", -1_000_000, "blocks were loaded"), ("computed", 10_000_000, "tokens were computed"),
    ("computed", -10_000_000, "tokens were computed"),
])  # fmt: skip
def test_a_kv_cache_that_miscounts_is_stopped(
    monkeypatch: pytest.MonkeyPatch, counter: str, more: int, says: str
) -> None:
    whole = Serving.check

    def miscount(serving: Serving) -> None:
        setattr(serving.counts, counter, getattr(serving.counts, counter) + more)
        whole(serving)

    monkeypatch.setattr(Serving, "check", miscount)
    with pytest.raises(LawBroken, match=says):
        kv_cache(minutes=0.2, warm_up=0.0, hbm=Bytes(GIB))


def test_the_parts_of_a_first_token_are_the_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "pause", lambda env, seconds: env.timeout(1.5 * seconds))
    with pytest.raises(LawBroken, match="first token: its parts against the clock"):
        kv_cache(minutes=0.2, warm_up=0.0, hbm=Bytes(GIB))
