"""The shot sequence of NBS, a real-time system that reads short data base tables on one big partition."""
