"""The sources of a timeline: wrappers that pass on what a part counts, and trace it."""
