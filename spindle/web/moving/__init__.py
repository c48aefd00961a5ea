"""Shows a run as a moving picture: arms, discs, queues, CPU, locks, terminals and memory at any instant."""
