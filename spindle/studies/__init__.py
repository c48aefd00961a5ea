"""Studies: a question put to a machine, with its runs, their windows, the measures and the pictures."""
