"""Compiled quantities, called on one state or on many: how arguments go in, results come out, and Python functions are called."""
