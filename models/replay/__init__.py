"""Drives that only their sheets know, held against requests that were measured on them."""
