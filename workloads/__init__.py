"""Loads, independent of any machine: users' scripts and programs, traces, and synthetic requests."""
