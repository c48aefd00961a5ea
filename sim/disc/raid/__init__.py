"""Simulates RAID arrays, block devices made of several drives, by the rules of md, Linux's software RAID."""
