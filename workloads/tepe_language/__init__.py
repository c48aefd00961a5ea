"""The language of TEPE scripts: its grammar, and how a text becomes scripts or a mistake with its place."""
