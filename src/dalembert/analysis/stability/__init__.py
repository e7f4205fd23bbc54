"""Eigenvalues over parameters and speeds: root loci and stability maps."""
