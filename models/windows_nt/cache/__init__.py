"""The cache: copies by way of pages, read-ahead, and what is yet to be written."""
