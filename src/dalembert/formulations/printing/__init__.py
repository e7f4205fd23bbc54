"""Equations as people read them: text, LaTeX, parts by origin, counts."""
