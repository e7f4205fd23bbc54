"""Newton and Euler's laws body by body, with the joints as constraints, and every way of eliminating from them [B §3–4]."""
