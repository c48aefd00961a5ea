"""The file manager: directories and files as they lie on a disc, and the accounts there."""
