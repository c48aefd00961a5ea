"""A moving picture of a run: arms, discs, queues, CPU, locks, terminals and memory, at any instant of its trace."""
