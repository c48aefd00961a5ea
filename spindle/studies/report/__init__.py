"""Writes the report: all claims and studies on web pages."""
