"""The sources of a timeline: wrappers of drives, CPU, locks, memory and terminals, which draw what these count."""
