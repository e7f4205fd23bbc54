"""Design: values of parameters for which a motion is best, and lengths with which a linkage does what is wanted.

`optimise.py` looks at motions, `synthesise.py` at poses; both search from many starts (`multi_start.py`) by trust-region methods
(`trust_region.py`). `circuits.py` finds out whether the poses of a linkage can be reached one after the other.
"""
