"""Analyses of mechanisms with laws: in the mode of a state, everything is smooth again."""
