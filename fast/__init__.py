"""The parts that carry most of a run's time, compiled from the same source."""
