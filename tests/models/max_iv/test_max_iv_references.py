"""Tests recorded references to FHL, Jacobson's cache: a run stays the same, and LRU of the references has its hits."""

import pytest

from spindle.models.max_iv.run import run
from spindle.models.max_iv.studies.trials import SectorReferences

SHORT = {"users": 3, "sectors": 512, "minutes": 4.0, "warm_up": 3.0}


def test_theory_stands_beside_a_run_that_it_leaves_as_it_was() -> None:
    seen = SectorReferences()
    watched, alone = run(**SHORT, watch=seen), run(**SHORT)  # type: ignore[arg-type]
    extras = seen.add_theory(watched, 512).extras
    assert watched.summary() == alone.summary()
    assert {name: extras[name] for name in alone.extras} == alone.extras
    # The cache is LRU; what it forgets at end-of-file marks, and late hits, are little.
    assert extras["beyond_rules"] == pytest.approx(0.0, abs=0.03)
    assert -0.03 < extras["beyond_rules"] < 0.0
    assert extras["beyond_che"] == pytest.approx(extras["hit_ratio"] - extras["che"])
