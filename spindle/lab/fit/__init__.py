"""Fits a drive sheet, the file that describes a drive, to requests timed on that drive; only its geometry is given."""
