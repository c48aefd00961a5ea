"""Programs of a user's own, in files: how they are read, checked and written."""
