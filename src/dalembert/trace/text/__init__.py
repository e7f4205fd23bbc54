"""Traced expressions as text: Python, C, LaTeX and SymPy, compact with named intermediates, never expanded."""
