"""Batteries of contracts: the promises that every part of a kind keeps, tried on one part."""
