"""Integrators: one file each, with the step control and the linear algebra that they share. `registry.py` names them."""
