"""The machine from parts, users, a CPU, a cache and drives of choice: on the page, on the command line, as a file."""
