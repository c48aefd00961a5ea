"""Makes and serves the page of ``spindle play``, and answers its requests for runs, in workers of the browser."""
