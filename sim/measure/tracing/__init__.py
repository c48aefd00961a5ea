"""Wraps drives, CPU, locks, memory and terminals, so that their activity is drawn on a timeline."""
