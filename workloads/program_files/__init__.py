"""Programs of a user's own for the HP 3000, in files of TOML: read with their values checked, and written."""
