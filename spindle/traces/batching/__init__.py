"""Simulates language-model servers step by step: a batch for each, memory for keys and values in blocks, step times."""
