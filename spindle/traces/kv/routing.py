"""Sends prompts to nodes, each with tiers of its own for keys and values, by a rule, and adds their runs up to one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from spindle.sim.error import UserError
from spindle.traces.kv.plan import KvDrives, KvMemory, KvPlan, KvTier, Linked
from spindle.traces.kv.serving import Counts, KvResult, PromptTimes, serve
from spindle.workloads.prompts import Prompt, PromptTrace

OBJECT_TIER = "object"
"""Name of the tier that is one object store for all nodes."""


class Router(Protocol):
    """A rule that sends prompts to nodes, in the order of their arrival."""

    def node_of(self, prompt: Prompt) -> int:
        """Return the number of the node for *prompt*."""


class RoundRobin:
    """Sends prompts to *nodes* in turn."""

    def __init__(self, nodes: int) -> None:
        self._nodes, self._next = nodes, -1

    def node_of(self, prompt: Prompt) -> int:
        self._next = (self._next + 1) % self._nodes
        return self._next


KNOWN_SHARE = 0.5
"""Share of a prompt's blocks that a node must know before the prompt is sent there: assumed."""


class PrefixRouter:
    """Sends a prompt to the node that was last sent its longest beginning; else to the one with fewest tokens.

    Like all routers that see only prompts, it does not know what a node has evicted.
    """

    def __init__(self, nodes: int) -> None:
        self._tokens = [0] * nodes
        self._last: dict[int, int] = {}
        """The node to which each block was sent last."""

    def node_of(self, prompt: Prompt) -> int:
        holder = self._last.get(prompt.blocks[0], -1) if prompt.blocks else -1
        known = next((place for place, block in enumerate(prompt.blocks) if self._last.get(block) != holder),
                     len(prompt.blocks))  # fmt: skip
        if holder < 0 or known < KNOWN_SHARE * len(prompt.blocks):
            holder = self._tokens.index(min(self._tokens))
        self._tokens[holder] += prompt.tokens
        self._last.update(dict.fromkeys(prompt.blocks, holder))
        return holder


ROUTING: Mapping[str, Callable[[int], Router]] = {"round-robin": RoundRobin, "prefix": PrefixRouter}


def serve_on_nodes(plan: KvPlan, trace: PromptTrace, nodes: int, router: Router) -> KvResult:
    """Run *trace* on so many *nodes*, each of which is a *plan*; prompts go where the *router* sends them."""
    if nodes == 1:
        return serve(plan, trace)
    if any(tier.name == OBJECT_TIER for tier in plan.tiers):
        raise UserError("--object is one store for all nodes, and the tiers of --nodes are their own; --instances "
                        "share all tiers")
    sent: list[list[Prompt]] = [[] for _ in range(nodes)]
    for prompt in trace.prompts:
        sent[router.node_of(prompt)].append(prompt)
    runs = [serve(plan, replace(trace, prompts=tuple(each))) for each in sent if each]
    return _merge(plan, trace, nodes, runs)


def _merge(plan: KvPlan, trace: PromptTrace, nodes: int, runs: Sequence[KvResult]) -> KvResult:
    """Return the *runs* of nodes as one: sizes, counts and bytes added up, and the busiest of each tier's stores."""
    whole = replace(plan, tiers=[_times(tier, nodes) for tier in plan.tiers], instances=plan.instances * nodes)
    named = ("blocks", "found", "tokens", "answer_tokens", "computed", "recomputed")
    counts = Counts([sum(column) for column in zip(*(run.counts.hits for run in runs), strict=True)],
                    **{name: sum(getattr(run.counts, name) for run in runs) for name in named})
    times = PromptTimes(*([each for run in runs for each in getattr(run.times, name)]
                          for name in ("queue", "load", "compute")))  # fmt: skip
    stores = [{name: (max if name == "busy" else sum)(store[name] for store in column) for name in column[0]}
              for column in zip(*(run.stores for run in runs), strict=True)]  # fmt: skip
    return KvResult(whole, trace, counts, times, stores, max(run.seconds for run in runs),
                    sum(run.busy for run in runs), nodes)  # fmt: skip


def _times(tier: KvTier, nodes: int) -> KvTier:
    """Return the *tier* of all nodes together."""
    size, price = tier.size * nodes, tier.price * nodes
    if isinstance(tier, KvDrives):
        return replace(tier, size=size, price=price, count=tier.count * nodes)
    assert isinstance(tier, KvMemory | Linked)
    return replace(tier, size=size, price=price)
