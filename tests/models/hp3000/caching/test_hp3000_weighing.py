"""Tests that a policy that weighs the time of an access is told of every fetch of a domain (cached bytes of a disc)."""

from typing import Any

import pytest

from spindle.models.hp3000.machine import MpeOptions
from spindle.models.hp3000.run import run
from spindle.sim.eviction.fac import Fac
from spindle.sim.eviction.lfu import Lfu


def test_fac_hears_what_each_fetch_took(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[float] = []
    weigh = Fac.weigh

    def hear(self: Fac, keys: Any, seconds: float, *traffic: Any) -> None:
        heard.append(seconds)
        weigh(self, keys, seconds, *traffic)

    monkeypatch.setattr(Fac, "weigh", hear)
    small: Any = {"terminals": 21, "minutes": 1.0, "warm_up": 0.5, "memory": 2_200_000}
    fac, lfu = (run(choices=MpeOptions(policy=policy), **small).summary() for policy in (Fac, Lfu))
    assert len(heard) > 100
    assert min(heard) > 0.003, "the drive's own overhead at least"
    assert fac["hit_ratio"] != lfu["hit_ratio"]
