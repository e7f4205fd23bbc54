"""Motions that are best in some sense: direct collocation with exact Jacobians, solved by IPOPT or SciPy."""
