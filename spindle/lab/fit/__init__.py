"""A drive sheet fitted to requests that were timed on the drive, from its geometry alone."""
