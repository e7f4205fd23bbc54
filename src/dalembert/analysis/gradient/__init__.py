"""Gradients of whole motions, backward: in all parameters, initial values and controls at once."""
