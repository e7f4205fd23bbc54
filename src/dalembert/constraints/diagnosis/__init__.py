"""Diagnosis: what moves, what is redundant, what contradicts itself, in words."""
