"""Drive sheets in files, in the format of measured drives: read, checked, and made into a DiscType."""
