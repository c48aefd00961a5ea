"""Pictures of results, each a function of a tidy frame."""
