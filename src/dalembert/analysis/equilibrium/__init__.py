"""Equilibria: what is left over of the forces, and the search for states where nothing is."""
