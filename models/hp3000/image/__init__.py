"""An IMAGE data base: its data sets, its calls, and the control block that all calls go by."""
