"""Compiled functions of a mechanism for those who optimise and learn: values and derivatives for JAX, PyTorch and CasADi."""
