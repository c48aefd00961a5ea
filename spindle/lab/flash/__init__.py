"""A sheet of flash fitted to what fio measures on a drive of one's own."""
