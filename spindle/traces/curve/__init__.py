"""Hit ratios without a clock."""
