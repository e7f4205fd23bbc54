"""Tyres on a road; one file each."""
