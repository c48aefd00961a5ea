"""Language-model servers in time: batches made anew at every step, KV memory in blocks, step times from tables."""
