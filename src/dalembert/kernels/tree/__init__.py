"""Recursive algorithms of trees as sweeps over the bodies: articulated bodies, composite bodies, Newton–Euler, energies."""
