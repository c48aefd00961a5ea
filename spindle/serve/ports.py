"""Where a server listens if nothing else is asked: the port and the host of its options."""

USUAL_PORT = 10809
"""NBD's, as IANA has assigned it."""
LOOPBACK = "127.0.0.1"
