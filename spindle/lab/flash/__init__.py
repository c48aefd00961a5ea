"""A sheet of flash fitted to what fio measures on your drive."""
