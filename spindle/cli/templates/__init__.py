"""Files to begin with that ``spindle new`` writes: a policy and a script."""
