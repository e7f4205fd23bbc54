"""Builders of elastic bodies: beams, solids, matrices of finite elements, nodal bodies, given modes, SID files."""
