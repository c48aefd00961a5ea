"""What several drives share on their way to the host: buses and controllers that carry one transfer at a time."""
