"""Questions to Spindle: their fields with units, bounds and help, and the reading of values from words."""
