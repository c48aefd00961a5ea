"""A question put to a machine: what is run, how long, what is measured, how it is shown."""
