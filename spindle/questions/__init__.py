"""What can be asked: fields with units, bounds and help, their values from words, and answers."""
