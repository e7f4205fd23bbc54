"""Sensitivities of motions, and the identification of parameters with them."""
