"""What the papers state, judged by studies, and what hangs on what was assumed."""
