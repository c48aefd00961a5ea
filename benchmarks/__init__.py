"""What a run costs, as ratios and event counts."""
