"""Derivatives of the dynamics of trees: closed form, traced formulas, and tangents of sweeps."""
