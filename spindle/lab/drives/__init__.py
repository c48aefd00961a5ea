"""Compares drive models with requests timed on the drives: errors, rules for reading drive files, unknown hosts."""
