"""Tests that Che's approximation leaves the run as it was, and that hits beyond it have two causes."""

import pytest

from spindle.models.hp3000.run import run
from spindle.models.hp3000.studies.trials import ChunkReferences
from spindle.sim.units import MIB

SHORT = {"terminals": 32, "clerks": 20, "minutes": 2.0, "warm_up": 1.0, "memory": 4 * MIB}


def test_theory_stands_beside_a_run_that_it_leaves_as_it_was() -> None:
    seen = ChunkReferences(4096)
    watched, alone = run(**SHORT, watch=seen), run(**SHORT)  # type: ignore[arg-type]
    extras = seen.add_theory(watched).extras
    assert watched.summary() == alone.summary()
    assert 0 < extras["domain_bytes"] < watched.counters["memory.used_seconds"] / watched.seconds
    assert 0.0 < extras["che"] < extras["hit_ratio"] < 1.0
    beyond = extras["beyond_order"] + extras["beyond_rules"]
    assert beyond == pytest.approx(extras["hit_ratio"] - extras["che"], abs=1e-12)
    assert extras["beyond_che"] == pytest.approx(extras["beyond_order"] + extras["beyond_rules"])
