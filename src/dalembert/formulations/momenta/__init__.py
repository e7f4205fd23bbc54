"""Formulations whose states are coordinates and momenta."""
