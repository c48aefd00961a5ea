"""RAID: a block device made of drives, by the rules of Linux's md."""
