"""Kinematics of linkages: assembly modes, sweeps along a freedom, transmission angles, paths to follow."""
