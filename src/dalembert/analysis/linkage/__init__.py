"""Kinematics of linkages: ways to assemble, sweeps along a freedom, transmission angles, paths to follow."""
