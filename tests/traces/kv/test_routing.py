"""Tests prompts sent to nodes with tiers of their own, and the sum of the nodes' runs."""

import json
from dataclasses import replace

import pytest

from spindle.cli.main import main
from spindle.traces.kv.plan import KvDrives
from spindle.traces.kv.results import page
from spindle.traces.kv.routing import PrefixRouter, RoundRobin, _merge, serve_on_nodes
from spindle.traces.kv.serving import Counts, PromptTimes
from spindle.workloads.prompts import Prompt
from tests.conftest import ROOT
from tests.traces.kv.test_kv_by_hand import hand_made, trace
from tests.traces.kv.test_serving import plan, stack

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


def test_the_node_that_was_sent_fewest_tokens_is_sent_what_is_new() -> None:
    """Node 0 has 100 and again 100, of a prompt that it knows whole; so the new one goes to node 1, which has 150."""
    router = PrefixRouter(2)
    sent = [router.node_of(each) for each in (prompt(1), prompt(2, tokens=150), prompt(1), prompt(3))]
    assert sent == [0, 1, 0, 1]


def test_half_of_a_prompt_is_enough_and_tokens_are_counted_rather_than_prompts() -> None:
    """Node 0 has 500 tokens of one prompt, node 1 has 20 of two."""
    router = PrefixRouter(2)
    sent = [router.node_of(each) for each in (
        prompt(1, tokens=500), prompt(2, tokens=10), prompt(2, tokens=10), prompt(3, tokens=10), prompt(1, 4))]
    assert sent == [0, 1, 1, 1, 0]


def test_runs_of_nodes_are_one_run() -> None:
    """All adds up, but for the time, which is that of the last, and for how busy a tier is: as the busiest."""
    one = hand_made()
    link, drives = one.stores[1:]
    counts = Counts([1, 2, 3], blocks=4, found=5, tokens=6, answer_tokens=7, computed=8, recomputed=9)
    other = replace(one, counts=counts, times=PromptTimes([3.0], [4.0], [5.0]), seconds=12.0, busy=1.0,
                    stores=[{}, {**link, "busy": 3.5}, {**drives, "busy": 1.0}])  # fmt: skip
    whole = _merge(one.plan, one.trace, 2, [one, other])
    assert whole.counts == Counts([6, 5, 5], blocks=44, found=17, tokens=20_486, answer_tokens=37, computed=15_008,
                                  recomputed=521)  # fmt: skip
    assert whole.times == PromptTimes([0.0, 1.0, 3.0], [0.5, 0.25, 4.0], [2.5, 0.75, 5.0])
    assert whole.stores[0] == {}
    assert whole.stores[1] == {"bytes_read": 6e9, "bytes_written": 8e9, "busy": 3.5, "queue": 0.25}
    assert (whole.stores[2]["busy"], whole.stores[2]["units_copied"]) == (4.0, 50.0)
    assert (whole.seconds, whole.busy, whole.nodes, whole.plan.instances) == (12.0, 16.0, 2, 4)
    assert [(tier.size, tier.price) for tier in whole.plan.tiers] == [
        (2 * tier.size, 2 * tier.price) for tier in one.plan.tiers]  # fmt: skip
    assert [tier.count for tier in whole.plan.tiers if isinstance(tier, KvDrives)] == [4]
    shown = "\n".join(page(whole))
    assert "on 4 x 1 h100 in 2 nodes; 2 prompts" in shown
    assert "521 of them again on the same node; 37 are answered" in shown


def test_nodes_that_are_sent_nothing_have_sizes_and_no_run() -> None:
    """Both prompts know one another's beginning, so that one node of three has them, and its instance the one run."""
    prompts = trace((0.0, (1, 2)), (1.0, (1, 2)))
    alone, three = (serve_on_nodes(plan(*stack(4, 4)), prompts, nodes, PrefixRouter(nodes)) for nodes in (1, 3))
    assert (three.nodes, three.plan.instances, three.plan.tiers[1].size) == (3, 3, 3 * alone.plan.tiers[1].size)
    assert (three.counts, three.times, three.stores) == (alone.counts, alone.times, alone.stores)


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
