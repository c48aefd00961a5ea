"""Claims of papers, judged by studies, and their sensitivity to assumptions."""
