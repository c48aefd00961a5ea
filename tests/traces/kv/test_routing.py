"""Prompts sent to nodes that have tiers of their own, and what their runs are together."""

import json

import pytest

from spindle.cli.main import main
from spindle.traces.kv.routing import PrefixRouter, RoundRobin
from spindle.workloads.prompts import Prompt
from tests.conftest import ROOT

PROMPTS = ROOT / "examples" / "prompts.jsonl"
SMALL = ["kv", str(PROMPTS), "--model", "llama-3.1-8b", "--gpus", "1", "--hbm", "1G", "--dram", "2G", "--json"]


def prompt(*blocks: int, tokens: int = 100) -> Prompt:
    return Prompt(0.0, tokens, 1, blocks)


def test_in_turn() -> None:
    router = RoundRobin(3)
    assert [router.node_of(prompt(1)) for _ in range(5)] == [0, 1, 2, 0, 1]


def test_a_prompt_goes_where_its_beginning_was_sent() -> None:
    """Half of it must be known; else it goes to the node with the fewest tokens."""
    router = PrefixRouter(3)
    sent = [router.node_of(each) for each in (
        prompt(1, 2), prompt(3), prompt(1, 2, 4), prompt(1, 9, 9, 9), prompt(3, 5), prompt(1, 2), prompt(8))]
    # 1 2: none is known, so node 0; 3: node 1; 1 2 4: two of three are on 0; 1 9 9 9: one of four, so the empty node 2;
    # 3 5: half is on 1; 1 2: block 1 went to 2 since, and 2 is on 0, so that half is on 2; 8: 0 and 1 have 200 tokens.
    assert sent == [0, 1, 0, 2, 1, 2, 0]
    assert PrefixRouter(2).node_of(prompt()) == 0


def runs(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, float]]:
    assert main([*SMALL, *words]) == 0
    found: list[dict[str, float]] = json.loads(capsys.readouterr().out)["runs"]
    return found


def test_routing_by_prefix_hits_more_than_in_turn_and_less_than_one_pool(capsys: pytest.CaptureFixture[str]) -> None:
    turn, prefix = runs(capsys, "--nodes", "4", "--routing", "round-robin,prefix")
    (one,) = runs(capsys, "--instances", "4", "--dram", "8G", "--hbm", "4G")
    assert turn["hit_share"] < prefix["hit_share"] <= one["hit_share"]
    assert turn["prompts"] == prefix["prompts"] == one["prompts"] == 80
    assert turn["blocks"] == prefix["blocks"] == one["blocks"]


def test_sizes_and_counts_of_nodes_add_up(capsys: pytest.CaptureFixture[str]) -> None:
    (one,), (four,) = (runs(capsys, "--nvme", "20G", "--nodes", nodes, "--prices", "1,1,1") for nodes in ("1", "4"))
    for name in ("hbm", "dram", "nvme"):
        assert four["tiers"][name]["bytes"] == 4 * one["tiers"][name]["bytes"]  # type: ignore[index]
    assert four["price"] == pytest.approx(4 * one["price"])
    assert four["hit_share"] == pytest.approx(sum(tier["hit_share"] for tier in four["tiers"].values()))  # type: ignore[attr-defined]
    assert 0.0 < four["instances_busy"] < 1.0
    assert main([*SMALL[:-1], "--nodes", "4"]) == 0
    assert "on 4 x 1 h100 in 4 nodes; 80 prompts" in capsys.readouterr().out


def test_more_nodes_than_prompts(capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = runs(capsys, "--nodes", "200")
    assert found["prompts"] == 80
    assert found["part_queue"] == 0.0, "each has a node to itself"


def test_a_store_for_all_is_no_tier_of_a_node(capsys: pytest.CaptureFixture[str]) -> None:
    for words, says in ((["--nodes", "2", "--object", "4G"], "--object is one store for all nodes"),
                        (["--nodes", "0"], "--nodes must be a whole number from 1"),
                        (["--nodes", "2", "--routing", "best"], "unknown routing 'best'"),
                        (["--routing", "prefix"], "--routing is for nodes; --nodes says how many")):
        assert main([*SMALL, *words]) == 2
        assert says in capsys.readouterr().err
