"""Defines the parameters of the serving engine, with sources: of conversations as in Mooncake's trace, and of links."""

from dataclasses import dataclass

from spindle.sim.parameter import Rule, assumed, cited
from spindle.sim.streams import Lognormal
from spindle.traces.kv.plan import BITS_100, PCIE_5, Prefill
from spindle.workloads.prompts import Conversations

_TRACE = "counted in conversation_trace.jsonl of Mooncake (Qin et al., FAST 2025), an hour of 12,031 prompts"
_TOKENS, _SPREAD = Rule(1.0, 1e7), Rule(0.0, 4.0)
"""Ranges of values that are not refused: of tokens, and of the spread of a lognormal distribution."""


@dataclass(frozen=True)
class KvParameters(Prefill):
    """Parameters of a run: seconds, bytes, tokens.

    A lognormal distribution has a median, and a spread that is chosen for the mean.
    """

    # Conversations: the chance of one more prompt, seconds between two, tokens of the first and of those added later.
    again: float = cited(0.387, f"{_TRACE} in 7,373 conversations, of prompts that share more than the first block; an "
                         "hour cuts some short", "1", Rule(0.0, 0.99))
    pause: float = cited(123.0, f"{_TRACE}: between two prompts of a conversation, median", "s", Rule(1e-3, 1e6))
    pause_spread: float = cited(1.055, f"{_TRACE}: for the mean of 215 s", "1", _SPREAD)
    first: float = cited(5264.0, f"{_TRACE}: of a first prompt, median", "tokens", _TOKENS)
    first_spread: float = cited(1.196, f"{_TRACE}: for the mean of 10,765", "1", _SPREAD)
    adds: float = cited(486.0, f"{_TRACE}: of a later prompt 829 are new, median, of which the answer is 343", "tokens",
                        _TOKENS)
    adds_spread: float = cited(1.889, f"{_TRACE}: for the mean of 3,237 that are new", "1", _SPREAD)
    answer: int = cited(343, "Mooncake, FAST25-release/README.md: average output length of the conversation trace",
                        "tokens", Rule(0, 1 << 20))
    context: int = cited(131_072, "Grattafiori et al., The Llama 3 herd of models (2024): 128K tokens", "tokens",
                         Rule(1, 1 << 24))
    block_tokens: int = cited(512, "Mooncake, FAST25-release/README.md: the block size", "tokens", Rule(1, 1 << 20))

    # Links
    dram_rate: float = cited(PCIE_5, "PCI Express 5.0 x16, one direction, an accelerator: 32 GT/s on 16 lanes",
                             "bytes/s", Rule(1e6, 1e13))
    object_rate: float = assumed(BITS_100, "a network of 100 Gbit/s, an instance", "bytes/s", Rule(1e6, 1e13))
    object_latency: float = cited(0.1, "Amazon S3 user guide, performance guidelines: 100 to 200 ms to the first byte",
                                  "s", Rule(0.0, 10.0))

    def conversations(self) -> Conversations:
        return Conversations(self.again, Lognormal(self.pause, self.pause_spread),
                             Lognormal(self.first, self.first_spread), Lognormal(self.adds, self.adds_spread),
                             self.answer, self.context, self.block_tokens)  # fmt: skip
