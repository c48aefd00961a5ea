"""A page in a browser for playing with the machines, which compute in its workers."""
