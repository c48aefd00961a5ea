"""Makes pages for a browser: the page of ``spindle play``, and moving pictures of runs."""
