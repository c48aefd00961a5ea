"""Confidence intervals, paired differences, batch means, and theory beside a run."""
