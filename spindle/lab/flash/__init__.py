"""Fits a drive file of flash to the times that fio measures on the user's drive."""
