"""The commands of ``spindle``, one file each."""
