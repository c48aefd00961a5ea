"""MPE disc caching: what is fetched and kept of each disc, how writes are posted, and what an operator may set."""
