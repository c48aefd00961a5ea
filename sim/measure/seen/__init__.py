"""What a timeline sees: parts hand on what they do to whoever counts it, and it is shown on the way."""
