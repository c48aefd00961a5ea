"""The Software Tools under Max-IV: the shell, what a command does, and what the shell moves to make way."""
