"""Confidence intervals, paired differences, batch means, and what theory says beside a run."""
