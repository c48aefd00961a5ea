"""The machine from parts: a system whose users, CPU, cache and drives are chosen by options, or in a file of Python."""
