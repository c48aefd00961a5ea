"""Judges claims of papers by runs of studies, and finds out which verdicts depend on assumptions."""
