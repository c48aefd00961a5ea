"""The report: every study and claim on one page."""
