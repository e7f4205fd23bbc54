"""Recursive algorithms, linear in the number of bodies: Newton–Euler, composite bodies, articulated bodies."""
