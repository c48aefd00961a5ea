"""Contracts: the promises that every eviction policy, or every scheduler, keeps, as checks of one of them."""
