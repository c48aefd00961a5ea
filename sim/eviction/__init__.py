"""Who should go when room is needed: one file per policy, one protocol."""
