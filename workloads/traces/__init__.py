"""Block traces as others recorded them: read record by record from files of any length, described, and written."""
