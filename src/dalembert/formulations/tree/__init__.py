"""Formulations in the coordinates or speeds of the spanning tree: Kane, Lagrange, Boltzmann–Hamel, recursions."""
