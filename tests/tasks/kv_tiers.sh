# Prompts through a KV cache: how much host memory, under which policy, and what of tiers without a model of a server?
awk 'BEGIN { for (x = 1; n++ < 300; x = x * 16807 % 2147483647) { h = 9 * int(40 * (x / 2147483647) ^ 3)
    printf "{\"timestamp\": %d, \"input_length\": 2048, \"output_length\": 50, \"hash_ids\": [%d, %d, %d, %d]}\n",
    200 * n, h, h + 1, h + 2, h + 3 } }' > prompts.jsonl
spindle kv prompts.jsonl --hbm 1G --dram 1G,16G --policy lru,s3-fifo --out kv.csv
spindle curve prompts.jsonl --tiers 64K:1us,400K:100us --below 50ms --policy lru,s3-fifo
