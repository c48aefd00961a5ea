"""Discs without caching, and the channels by which they reach memory."""
