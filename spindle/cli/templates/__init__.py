"""Files to begin with, which ``spindle new`` writes: a machine, a policy, a script."""
