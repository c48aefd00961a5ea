"""The page of ``spindle play``: its files and server, its requests, and the workers that compute runs in a browser."""
