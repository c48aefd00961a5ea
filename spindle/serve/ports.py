"""The port and the host at which a server listens by default."""

USUAL_PORT = 10809
"""The port that IANA has assigned to NBD, the network block device protocol."""
LOOPBACK = "127.0.0.1"
"""The address that only this machine reaches."""
