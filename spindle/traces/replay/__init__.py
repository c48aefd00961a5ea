"""Drives by their sheets, compared with requests that were measured on them."""
