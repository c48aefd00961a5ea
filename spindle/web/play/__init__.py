"""A page in a browser where anybody plays with the machines, which compute in its workers."""
