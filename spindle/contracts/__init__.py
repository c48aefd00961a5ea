"""Contracts: promises that every eviction policy, or every scheduler, must keep, each with a check."""
