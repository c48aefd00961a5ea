"""What a timeline traces: parts hand what they do on to whoever counts it, and it is shown on the way."""
