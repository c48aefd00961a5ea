"""``spindle kv``: a replay of prompts through a language model's KV cache in tiers (HBM, DRAM, flash, objects): time to
first token of each combination of options, or the smallest size that meets one (``--want``).
"""

from collections.abc import Sequence
from pathlib import Path

from spindle.cli.arguments import ArgumentParser, outputs
from spindle.cli.fields import take_fields
from spindle.cli.kv_question import KvCommand
from spindle.cli.printing import finish

ABOUT = """\
Times to the first token where prompts are prefilled apart from answers; no response of a server
that batches both (spindle verify has one). Take a trace of prompts (JSON lines as Mooncake's:
timestamp, input_length, output_length, hash_ids)
through a cache of keys and values in tiers: the accelerators' memory (--hbm), the host's (--dram),
flash drives (--nvme) and a store on the network (--object). A cached block saves its prefill only if
all before it are in some tier too. What is evicted from a tier is written to the next one (--inclusion
exclusive), or everything to all tiers at once (inclusive). Prompts are prefilled in the order of
arrival, one at a time on each instance; answers are decoded elsewhere. Several values of an option,
separated by commas, make a table of all combinations. --want shows the cheapest of these that meets
a time to first token, and searches a range of sizes, LOW:HIGH."""

EXAMPLES = """\
  spindle kv conversation_trace.jsonl --dram 512G --instances 8
  spindle kv trace.jsonl --dram 64G,128G,256G --instances 4 --want p95=500ms
  spindle kv trace.jsonl --dram 8G:1T --instances 4 --want p95=500ms --policy lru,s3-fifo
  spindle kv trace.jsonl --dram 512G --nvme 8T --drive samsung960pro --drives 16 --prices 0,4,0.1
  spindle kv trace.jsonl --dram 256G --policy lru,s3-fifo --json"""


def main(arguments: Sequence[str]) -> int:
    options = take_fields(ArgumentParser("kv", ABOUT, EXAMPLES), KvCommand, arguments)
    files = outputs([Path(options.trace)], {"--out": options.out})
    from spindle.cli.kv_runs import answer_kv  # and numpy, which no help text needs

    return finish(answer_kv(options, files["--out"]))
