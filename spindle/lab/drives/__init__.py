"""Drive models compared with requests timed on the drives: their errors, rules for reading sheets, unknown hosts."""
