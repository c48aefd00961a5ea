"""Pages that say what each public name is for."""
